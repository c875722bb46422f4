//! Arguments that are mirrored into headers: the keyword `x-mcp-header` of input schemas.
//!
//! Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters.

use serde_json::{Map, Value};

use super::object::owned;
use crate::text::{borrowed, joined, repeats};

/// The schema keyword that names a header.
const KEYWORD: &str = "x-mcp-header";

/// An argument that is mirrored into a header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderParameter {
    /// What follows `Mcp-Param-`.
    pub header: String,
    /// The names of the properties that lead to it.
    pub path: Vec<String>,
}

impl HeaderParameter {
    /// A header, and the properties that lead to its argument.
    #[must_use]
    pub fn new(header: impl Into<String>, path: Vec<String>) -> Self {
        Self {
            header: header.into(),
            path,
        }
    }
}

/// Reads off an input schema which arguments are mirrored into headers.
///
/// # Errors
///
/// Why the definition of the tool is invalid: clients leave such a tool out of their lists.
///
/// ```
/// use mcp_core::schema::header_parameters;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {
///     "region": {"type": "string", "x-mcp-header": "Region"},
/// }});
/// let found = header_parameters(schema.as_object().unwrap()).unwrap();
/// assert_eq!((found[0].header.as_str(), found[0].path.join(".")), ("Region", "region".to_owned()));
/// ```
pub fn header_parameters(schema: &Map<String, Value>) -> Result<Vec<HeaderParameter>, String> {
    let mut found = Vec::new();
    scan(schema, Some(&[]), &mut found)?;
    let mut names = Vec::with_capacity(found.len());
    for param in &found {
        names.push(param.header.to_ascii_lowercase());
    }
    match repeats(&borrowed(&names)).first() {
        Some(place) => Err(format!(
            "its {KEYWORD} {:?} stands twice",
            found[*place].header
        )),
        None => Ok(found),
    }
}

/// Goes through a schema. `path` leads to it by `properties` alone, or is `None`.
fn scan(
    schema: &Map<String, Value>,
    path: Option<&[&str]>,
    found: &mut Vec<HeaderParameter>,
) -> Result<(), String> {
    if let Some(header) = schema.get(KEYWORD) {
        found.push(annotation(schema, header, path)?);
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            // Data, whatever is in it.
            ("const" | "enum" | "default" | "examples", _) => {}
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    let Some(path) = path else {
                        scan_value(property, None, found)?;
                        continue;
                    };
                    let mut path = path.to_vec();
                    path.push(name);
                    scan_value(property, Some(&path), found)?;
                }
            }
            // Names of their own stand here, not keywords.
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                for schema in schemas.values() {
                    scan_value(schema, None, found)?;
                }
            }
            (_, value) => scan_value(value, None, found)?,
        }
    }
    Ok(())
}

fn scan_value(
    value: &Value,
    path: Option<&[&str]>,
    found: &mut Vec<HeaderParameter>,
) -> Result<(), String> {
    match value {
        Value::Object(schema) => scan(schema, path, found)?,
        Value::Array(values) => {
            for value in values {
                scan_value(value, None, found)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn annotation(
    schema: &Map<String, Value>,
    header: &Value,
    path: Option<&[&str]>,
) -> Result<HeaderParameter, String> {
    let Some(header) = header.as_str().filter(|header| is_token(header)) else {
        return Err(format!("its {KEYWORD} {header} is no name of a header"));
    };
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Err(format!(
            "its {KEYWORD} {header:?} is on something that properties alone do not lead to"
        ));
    };
    if !is_primitive(schema.get("type")) {
        return Err(format!(
            "its {KEYWORD} {header:?} is on {:?}, which must be a string, an integer or a boolean",
            joined(path, ".")
        ));
    }
    Ok(HeaderParameter {
        header: header.to_owned(),
        path: owned(path),
    })
}

/// A type that has a form in a header. Where `null` is allowed beside it, there is no header for it.
fn is_primitive(of: Option<&Value>) -> bool {
    let primitive = |name: &Value| matches!(name.as_str(), Some("string" | "integer" | "boolean"));
    match of {
        Some(Value::Array(types)) => {
            types.iter().any(primitive)
                && types
                    .iter()
                    .all(|name| primitive(name) || name.as_str() == Some("null"))
        }
        Some(name) => primitive(name),
        None => false,
    }
}

/// RFC 9110, 5.6.2: `1*tchar`.
fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn params(schema: Value) -> Result<Vec<HeaderParameter>, String> {
        header_parameters(schema.as_object().unwrap())
    }

    fn one(property: Value) -> Result<Vec<HeaderParameter>, String> {
        params(json!({"type": "object", "properties": {"p": property}}))
    }

    #[test]
    fn a_parameter_is_found_by_its_path() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "where": {"type": "object", "properties": {"zone": {"type": "integer", "x-mcp-header": "Zone"}}},
            "query": {"type": "string"},
        }});
        let mut found = params(schema).unwrap();
        found.sort_by(|a, b| a.header.cmp(&b.header));
        let expected = [("Region", vec!["region"]), ("Zone", vec!["where", "zone"])];
        let expected = expected.map(|(header, path)| HeaderParameter {
            header: header.to_owned(),
            path: path.into_iter().map(str::to_owned).collect(),
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn names_are_tokens() {
        for name in ["Region", "x-1", "!#$%&'*+-.^_`|~"] {
            assert!(
                one(json!({"type": "string", "x-mcp-header": name})).is_ok(),
                "{name}"
            );
        }
        for name in [
            json!(""),
            json!("My Region"),
            json!("Region:Primary"),
            json!("Région"),
            json!("Region\t1"),
            json!("a\r\nb"),
            json!("(x)"),
            json!(5),
            json!(null),
            json!(["Region"]),
        ] {
            assert!(
                one(json!({"type": "string", "x-mcp-header": name})).is_err(),
                "{name}"
            );
        }
    }

    #[test]
    fn types_are_primitive() {
        for of in [
            json!("string"),
            json!("integer"),
            json!("boolean"),
            json!(["string", "null"]),
        ] {
            assert!(
                one(json!({"type": of, "x-mcp-header": "H"})).is_ok(),
                "{of}"
            );
        }
        for of in [
            json!("number"),
            json!("object"),
            json!("array"),
            json!("null"),
            json!(["null"]),
            json!(["string", "number"]),
            json!(null),
            json!([]),
        ] {
            assert!(
                one(json!({"type": of, "x-mcp-header": "H"})).is_err(),
                "{of}"
            );
        }
        assert!(one(json!({"x-mcp-header": "H"})).is_err(), "any type");
        assert!(one(json!({"$ref": "#/$defs/S", "x-mcp-header": "H"})).is_err());
    }

    #[test]
    fn names_are_unique_without_regard_to_case() {
        let twice = |second: &str| {
            params(json!({"properties": {
                "a": {"type": "string", "x-mcp-header": "MyField"},
                "b": {"type": "string", "x-mcp-header": second},
            }}))
        };
        assert!(twice("MyField").is_err());
        assert!(twice("myfield").is_err());
        assert!(twice("Other").is_ok());
    }

    #[test]
    fn properties_alone_lead_to_a_parameter() {
        let marked = json!({"type": "string", "x-mcp-header": "H"});
        let inner = json!({"type": "object", "properties": {"p": marked}});
        for schema in [
            marked.clone(),
            json!({"properties": {"list": {"type": "array", "items": marked}}}),
            json!({"properties": {"list": {"type": "array", "prefixItems": [inner]}}}),
            json!({"oneOf": [inner]}),
            json!({"anyOf": [inner]}),
            json!({"allOf": [inner]}),
            json!({"not": inner}),
            json!({"if": inner}),
            json!({"then": inner}),
            json!({"else": inner}),
            json!({"$defs": {"D": inner}, "properties": {"p": {"$ref": "#/$defs/D"}}}),
            json!({"$defs": {"x-mcp-header": marked}}),
            json!({"additionalProperties": marked}),
            json!({"patternProperties": {"^a": marked}}),
        ] {
            assert!(params(schema.clone()).is_err(), "{schema}");
        }
    }

    #[test]
    fn what_only_looks_like_an_annotation_is_none() {
        for schema in [
            json!({"properties": {"x-mcp-header": {"type": "string"}}}),
            json!({"properties": {"p": {"type": "object", "default": {"x-mcp-header": "H"}}}}),
            json!({"properties": {"p": {"enum": [{"x-mcp-header": ""}], "const": {"x-mcp-header": ""}}}}),
            json!({"$defs": {"x-mcp-header": {"type": "string"}}}),
        ] {
            assert_eq!(params(schema.clone()), Ok(Vec::new()), "{schema}");
        }
    }
}
