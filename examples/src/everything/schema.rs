//! A tool whose schema is served as it was written. All others have theirs from their signatures.

use mcp_server::{ToolSet, prelude::*};
use serde_json::{Value, json};

pub(super) fn tools() -> ToolSet {
    tools![json_schema_2020_12_tool]
}

/// The schema that the conformance suite wants to see again, keyword for keyword.
fn verbatim() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Contact {
    name: Option<String>,
    address: Option<Value>,
    contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

/// Has a schema with keywords that no signature brings.
#[tool(read_only, input_schema = verbatim())]
async fn json_schema_2020_12_tool(contact: Args<Contact>) -> String {
    let Args(contact) = contact;
    let name = contact.name.as_deref().unwrap_or("somebody");
    let how = contact.contact_method.or(contact.phone).or(contact.email);
    format!(
        "{name}, by {}, {}",
        how.as_deref().unwrap_or("letter"),
        contact.address.unwrap_or_default()
    )
}
