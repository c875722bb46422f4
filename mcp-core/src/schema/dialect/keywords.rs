//! The keywords of the dialect, and small changes to schemas made of them.

use serde_json::{Value, json};

use super::Keywords;

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

/// Whether a schema has such a keyword: most have two or three, so that to go over them takes less than to look for
/// each.
pub(super) fn has_any(keywords: &Keywords, is_wanted: impl Fn(&str) -> bool) -> bool {
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
    keywords
        .entry("description")
        .or_insert_with(|| "Any JSON value.".into());
    keywords.insert(
        "anyOf".to_owned(),
        json!([
            {"type": "object", "additionalProperties": true},
            {"type": "array", "items": {"description": "Any JSON value."}},
            {"type": "string"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "null"},
        ]),
    );
    Value::Object(keywords)
}

pub(super) fn annotations(keywords: &Keywords) -> Keywords {
    let mut kept = Keywords::new();
    for (keyword, value) in keywords {
        if is_annotation(keyword) && (keyword != "default" || !value.is_null()) {
            kept.insert(keyword.clone(), value.clone());
        }
    }
    kept
}

pub(super) fn describe(keywords: &mut Keywords, text: &str) {
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(before) => format!("{before}\n{text}"),
        None => text.to_owned(),
    };
    keywords.insert("description".to_owned(), description.into());
}

pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
