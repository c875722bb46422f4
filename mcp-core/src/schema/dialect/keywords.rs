//! The keywords of the dialect, and small changes to schemas made of them.

use serde_json::Value;

use super::Keywords;
use crate::schema::object::{set, text};

/// The formats of strings that JSON Schema registers; others are unknown to hosts.
pub(crate) const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// What a schema may keep whatever its type; the last mirrors an argument into a header.
///
/// Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters.
pub(crate) const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "x-mcp-header"];

pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// What schemars or a user may write that says nothing to a model.
pub(super) fn is_dropped(keyword: &str) -> bool {
    matches!(
        keyword,
        "$schema"
            | "$id"
            | "$comment"
            | "$anchor"
            | "$defs"
            | "definitions"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "nullable"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
    ) || keyword.starts_with("x-") && !is_annotation(keyword)
}

/// Whether a schema has one of these keywords: most have two or three, so that to go over them takes less than to look
/// for each.
pub(super) fn has_any(keywords: &Keywords, is_wanted: fn(&str) -> bool) -> bool {
    keywords.keys().any(|keyword| is_wanted(keyword))
}

/// Keywords of the dialect beside `type` and the annotations.
pub(crate) fn applicable(name: &str) -> &'static [&'static str] {
    match name {
        "object" => &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ],
        "array" => &["items", "minItems", "maxItems", "uniqueItems"],
        "string" => &["minLength", "maxLength", "pattern", "format", "enum"],
        "integer" | "number" => &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
        _ => &[],
    }
}

/// Any JSON value, said in a way that hosts and models understand.
pub(super) fn any_json(mut keywords: Keywords) -> Value {
    const DESCRIPTION: &str = "Any JSON value.";
    if !keywords.contains_key("description") {
        set(&mut keywords, "description", DESCRIPTION);
    }
    let mut types = Vec::new();
    for name in ["object", "array", "string", "number", "boolean", "null"] {
        let mut schema = of_type(name);
        if name == "object" {
            set(&mut schema, "additionalProperties", true);
        } else if name == "array" {
            let mut items = Keywords::new();
            set(&mut items, "description", DESCRIPTION);
            set(&mut schema, "items", items);
        }
        types.push(Value::Object(schema));
    }
    set(&mut keywords, "anyOf", types);
    Value::Object(keywords)
}

/// A type and nothing else.
pub(super) fn of_type(name: &str) -> Keywords {
    let mut keywords = Keywords::new();
    set(&mut keywords, "type", name);
    keywords
}

pub(super) fn annotations(keywords: &Keywords) -> Keywords {
    let mut kept = Keywords::new();
    for (keyword, value) in keywords {
        if is_annotation(keyword) && (keyword != "default" || !value.is_null()) {
            set(&mut kept, keyword, value.clone());
        }
    }
    kept
}

pub(super) fn describe(keywords: &mut Keywords, more: &str) {
    let description = match text(keywords, "description") {
        Some(before) => format!("{before}\n{more}"),
        None => more.to_owned(),
    };
    set(keywords, "description", description);
}

/// Says in the description what a variant means.
pub(super) fn describe_variant(keywords: &mut Keywords, name: &str, doc: &str) {
    describe(keywords, &format!("{name}: {}", doc.trim()));
}
