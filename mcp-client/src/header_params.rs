//! Parameters that tools want in headers: which ones, and what a call puts there.
//!
//! Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters. Only a transport
//! with headers has a use for it.

use std::collections::{HashMap, HashSet};
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::protocol::Tool;
use serde_json::{Map, Number, Value};

use crate::client::Client;
use crate::error::Error;
use crate::session::Call;

/// The schema keyword that names a header.
const KEYWORD: &str = "x-mcp-header";

/// How long a call waits for a list of tools that it needs for its headers.
const LIST_PATIENCE: Duration = Duration::from_secs(5);

/// The largest integer that every peer reads as the same number: 2^53 - 1.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// What the tools that were listed want in headers.
#[derive(Debug, Default)]
pub(crate) struct HeaderParams {
    known: Mutex<HashMap<String, Arc<[HeaderParam]>>>,
}

/// One parameter that goes into a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    /// What follows `Mcp-Param-`.
    header: String,
    /// The names of the properties that lead to it.
    path: Vec<String>,
}

impl HeaderParams {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<[HeaderParam]>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a new list says.
    pub(crate) fn replace(&self, listed: Vec<(String, Vec<HeaderParam>)>) {
        let listed = listed.into_iter();
        *self.known() = listed.map(|(tool, params)| (tool, params.into())).collect();
    }

    fn of(&self, tool: &str) -> Option<Arc<[HeaderParam]>> {
        self.known().get(tool).cloned()
    }

    /// Stops asking about a tool that no list mentions.
    fn remember(&self, tool: &str) {
        self.known().entry(tool.to_owned()).or_default();
    }
}

impl Client {
    /// What a tool wants in headers; nothing where there are none. The error says why the tool's
    /// definition is invalid.
    pub(crate) fn header_params(&self, tool: &Tool) -> Result<Vec<HeaderParam>, String> {
        match self.inner.header_params {
            Some(_) => read(&tool.input_schema),
            None => Ok(Vec::new()),
        }
    }

    /// Gives a tool call what its headers repeat. A tool that was not listed yet is looked for in the
    /// server's list; without a list the call goes out as it is, and the server will say what it lacks.
    pub(crate) async fn mirror(&self, call: &mut Call) -> Result<(), Error> {
        let Some(known) = &self.inner.header_params else {
            return Ok(());
        };
        let Some(tool) = tool_of(call) else {
            return Ok(());
        };
        if known.of(&tool).is_none() {
            self.list_for_headers().await;
            known.remember(&tool);
        }
        call.headers = values(call, &known.of(&tool).unwrap_or_default())?;
        Ok(())
    }

    /// Looks at a new list of tools after the server refused a call's headers; true if the call is
    /// worth another try.
    pub(crate) async fn mirror_anew(&self, call: &mut Call) -> bool {
        let Some(known) = &self.inner.header_params else {
            return false;
        };
        let Some(tool) = tool_of(call) else {
            return false;
        };
        // What was kept did not help.
        self.forget("tools/list");
        if !self.list_for_headers().await {
            return false;
        }
        match values(call, &known.of(&tool).unwrap_or_default()) {
            Ok(headers) => {
                call.headers = headers;
                true
            }
            Err(_) => false,
        }
    }

    async fn list_for_headers(&self) -> bool {
        match tokio::time::timeout(LIST_PATIENCE, self.list_tools()).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => {
                tracing::warn!(target: "mcp_client", %error, "no list of tools to tell a call's headers");
                false
            }
            Err(_) => {
                tracing::warn!(target: "mcp_client", "no list of tools in time to tell a call's headers");
                false
            }
        }
    }
}

fn tool_of(call: &Call) -> Option<String> {
    match call.method.as_str() {
        "tools/call" => call.name(),
        _ => None,
    }
}

/// The values that a call puts into headers. A parameter that is absent or `null` has none.
fn values(call: &Call, params: &[HeaderParam]) -> Result<Vec<(String, String)>, Error> {
    let Some(arguments) = call.field("arguments").filter(|_| !params.is_empty()) else {
        return Ok(Vec::new());
    };
    let wrong = |reason: String| Error::Arguments {
        target: call.target.clone(),
        reason,
    };
    let arguments: Value = serde_json::from_str(arguments).map_err(|e| wrong(e.to_string()))?;
    let mut headers = Vec::new();
    for param in params {
        let mut path = param.path.iter();
        let value = path.try_fold(&arguments, |value, name| value.get(name));
        let text = match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(value)) => value.to_string(),
            Some(Value::Number(number)) => integer(number).map_err(|reason| {
                wrong(format!(
                    "{}, which goes into a header, {reason}",
                    param.path.join(".")
                ))
            })?,
            // Anything else has no form in a header, and the server will refuse it for its type.
            _ => continue,
        };
        headers.push((param.header.clone(), text));
    }
    Ok(headers)
}

/// An integer in decimal, however it was written. What is no integer stays as it is: the server will
/// refuse it for its type.
fn integer(number: &Number) -> Result<String, String> {
    let whole = match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => Some(integer),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is cut off fails the comparison"
        )]
        (None, Some(float)) if float.fract() == 0.0 => Some(float as i64),
        _ => None,
    };
    match whole {
        None => Ok(number.to_string()),
        Some(integer) if (-MAX_INTEGER..=MAX_INTEGER).contains(&integer) => Ok(integer.to_string()),
        Some(_) => Err(format!("must be between -{MAX_INTEGER} and {MAX_INTEGER}")),
    }
}

/// Reads what a tool wants in headers; the error says why its definition is invalid.
fn read(schema: &Map<String, Value>) -> Result<Vec<HeaderParam>, String> {
    let mut found = Vec::new();
    scan(schema, Some(&[]), &mut found)?;
    let mut seen = HashSet::new();
    for param in &found {
        if !seen.insert(param.header.to_ascii_lowercase()) {
            return Err(format!("its {KEYWORD} {:?} stands twice", param.header));
        }
    }
    Ok(found)
}

/// Goes through a schema. `path` leads to it by `properties` alone, or is `None`.
fn scan(
    schema: &Map<String, Value>,
    path: Option<&[String]>,
    found: &mut Vec<HeaderParam>,
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
                    let path = path.map(|path| [path, slice::from_ref(name)].concat());
                    scan_value(property, path.as_deref(), found)?;
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
    path: Option<&[String]>,
    found: &mut Vec<HeaderParam>,
) -> Result<(), String> {
    match value {
        Value::Object(schema) => scan(schema, path, found),
        Value::Array(values) => values
            .iter()
            .try_for_each(|value| scan_value(value, None, found)),
        _ => Ok(()),
    }
}

fn annotation(
    schema: &Map<String, Value>,
    header: &Value,
    path: Option<&[String]>,
) -> Result<HeaderParam, String> {
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
            path.join(".")
        ));
    }
    Ok(HeaderParam {
        header: header.to_owned(),
        path: path.to_vec(),
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

    fn params(schema: Value) -> Result<Vec<HeaderParam>, String> {
        read(schema.as_object().unwrap())
    }

    fn one(property: Value) -> Result<Vec<HeaderParam>, String> {
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
        let expected = expected.map(|(header, path)| HeaderParam {
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

    fn sent(arguments: &str) -> Result<Vec<(String, String)>, Error> {
        let param = |header: &str, path: &[&str]| HeaderParam {
            header: header.to_owned(),
            path: path.iter().map(|&name| name.to_owned()).collect(),
        };
        let fields = vec![
            ("name".to_owned(), "\"t\"".to_owned()),
            ("arguments".to_owned(), arguments.to_owned()),
        ];
        let call = Call::new("tools/call", "t", fields);
        values(&call, &[param("A", &["a"]), param("B", &["b", "c"])])
    }

    #[test]
    fn values_have_one_spelling() {
        for (argument, expected) in [
            (r#""us-west1""#, "us-west1"),
            (r#""""#, ""),
            ("true", "true"),
            ("false", "false"),
            ("42", "42"),
            ("-7", "-7"),
            ("42.0", "42"),
            ("4.2e1", "42"),
            ("-0", "0"),
            ("9007199254740991", "9007199254740991"),
            ("1.5", "1.5"),
        ] {
            let headers = sent(&format!(r#"{{"a":{argument}}}"#)).unwrap();
            assert_eq!(
                headers,
                [("A".to_owned(), expected.to_owned())],
                "{argument}"
            );
        }
        let nested = sent(r#"{"b":{"c":"x"}}"#).unwrap();
        assert_eq!(nested, [("B".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn null_and_absent_values_have_no_header() {
        for arguments in [
            r#"{"a":null}"#,
            "{}",
            r#"{"b":5}"#,
            r#"{"b":{}}"#,
            r#"{"a":[1],"b":{"c":{}}}"#,
        ] {
            assert_eq!(sent(arguments).unwrap(), [], "{arguments}");
        }
    }

    #[test]
    fn an_integer_that_peers_would_round_is_refused() {
        for integer in [
            "9007199254740992",
            "-9007199254740992",
            "123456789012345678901234567890",
            "1e300",
        ] {
            let error = sent(&format!(r#"{{"a":{integer}}}"#)).unwrap_err();
            assert!(
                error.to_string().contains("a, which goes into a header"),
                "{error}"
            );
        }
    }
}
