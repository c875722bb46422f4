//! A revision's official schema, read strictly.

use std::path::PathBuf;

use mcp_core::Revision;
use serde_json::{Value, json};

/// A revision's schema, in which objects have only the members that they name.
pub(super) struct Schema {
    dialect: Value,
    place: &'static str,
    definitions: Value,
}

impl Schema {
    /// Reads it, if it is at hand: the specification is no part of this project.
    pub(super) fn load(revision: Revision) -> Option<Self> {
        let Some(dir) = std::env::var_os("MCP_SPEC_DIR") else {
            eprintln!("skipped: MCP_SPEC_DIR does not say where the specification is");
            return None;
        };
        let path = PathBuf::from(dir).join(format!("{revision}/schema.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        let place = match schema.get("$defs") {
            Some(_) => "$defs",
            None => "definitions",
        };
        let mut definitions = schema[place].take();
        for (name, definition) in definitions.as_object_mut().unwrap() {
            // Capabilities and hints of models are open by their texts.
            if !["ModelHint", "JSONRPCError", "JSONRPCErrorResponse"].contains(&&**name) {
                close(definition);
            }
        }
        Some(Self {
            dialect: schema["$schema"].take(),
            place,
            definitions,
        })
    }

    #[track_caller]
    pub(super) fn check(&self, definition: &str, value: &Value) {
        let faults = self.faults(definition, value);
        assert!(
            faults.is_empty(),
            "this is no {definition}:\n{}\n{value:#}",
            faults.join("\n")
        );
    }

    pub(super) fn faults(&self, definition: &str, value: &Value) -> Vec<String> {
        assert!(
            self.definitions.get(definition).is_some(),
            "no {definition}"
        );
        let root = json!({
            "$schema": self.dialect,
            "$ref": format!("#/{}/{definition}", self.place),
            self.place: self.definitions,
        });
        let validator = jsonschema::validator_for(&root).unwrap();
        let faults = validator.iter_errors(value);
        faults
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect()
    }
}

/// Lets an object have no members but those that it names, and `_meta`; schemas of tools are their own.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.entry("_meta").or_insert(json!({}));
                for (name, property) in properties {
                    if !["inputSchema", "outputSchema", "_meta"].contains(&&**name) {
                        close(property);
                    }
                }
                schema.entry("additionalProperties").or_insert(json!(false));
            }
            for keyword in ["items", "additionalProperties"] {
                schema.get_mut(keyword).into_iter().for_each(close);
            }
            for keyword in ["anyOf", "oneOf"] {
                schema.get_mut(keyword).into_iter().for_each(close);
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(close),
        _ => {}
    }
}

pub(super) fn each_revision(mut check: impl FnMut(Revision, &Schema)) {
    for revision in Revision::LEGACY {
        if let Some(schema) = Schema::load(*revision) {
            check(*revision, &schema);
        }
    }
}
