//! The arguments of a tool that are mirrored in headers.
//!
//! Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters.

use http::{HeaderMap, HeaderName};
use mcp_core::{rpc::RpcError, schema::HeaderParameter};
use serde_json::Number;

use super::{decode, differs, mismatch, missing, single};
use crate::{parameters::Members, tool::InputSchema};

/// A tool's arguments with `x-mcp-header`.
#[derive(Debug, Default)]
pub(crate) struct HeaderParameters(Box<[Mirrored]>);

#[derive(Debug)]
struct Mirrored {
    name: HeaderName,
    shown: String,
    /// The members that lead to it.
    path: Vec<String>,
    /// Other names of the first one: nobody gets past the comparison under such a name.
    aliases: Box<[&'static str]>,
}

impl HeaderParameters {
    /// Those that a tool's schema has; `compared` knows their other names.
    pub(crate) fn new(found: Vec<HeaderParameter>, compared: Option<&InputSchema>) -> Self {
        let mirrored = |HeaderParameter { header, path, .. }| {
            let shown = format!("Mcp-Param-{header}");
            let first = path.first().map_or("", String::as_str);
            let aliases = compared.map(|compared| compared.aliases_of(first).collect());
            Mirrored {
                name: HeaderName::try_from(&shown).expect("the schema's names are tokens"),
                shown,
                aliases: aliases.unwrap_or_default(),
                path,
            }
        };
        Self(found.into_iter().map(mirrored).collect())
    }

    /// The names of the headers, in lower case.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|parameter| parameter.name.as_str())
    }

    /// Compares a call's headers with its arguments.
    ///
    /// # Errors
    ///
    /// `-32020` where they differ.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<&str>,
    ) -> Result<(), RpcError> {
        self.0
            .iter()
            .try_for_each(|parameter| parameter.check(headers, arguments))
    }
}

impl Mirrored {
    fn check(&self, headers: &HeaderMap, arguments: Option<&str>) -> Result<(), RpcError> {
        let header = single(headers, &self.name, &self.shown)?;
        let argument = arguments.and_then(|arguments| self.find(arguments));
        match (header, argument) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(missing(&self.shown)),
            (Some(_), None) => Err(mismatch(format!(
                "the header `{}` is there, and the argument `{}` is not",
                self.shown,
                self.path.join(".")
            ))),
            (Some(header), Some(argument)) => {
                let mirrored = decode(&self.shown, header)?;
                if is_same(&mirrored, argument) {
                    Ok(())
                } else {
                    Err(differs(&self.shown, &mirrored, argument))
                }
            }
        }
    }

    /// The argument, if it has a value.
    fn find<'a>(&self, arguments: &'a str) -> Option<&'a str> {
        let (first, rest) = self.path.split_first()?;
        let names = std::iter::once(first.as_str()).chain(self.aliases.iter().copied());
        let mut found = names.filter_map(|name| member(arguments, name));
        rest.iter()
            .try_fold(found.next()?, |value, name| member(value, name))
    }
}

/// A member that has a value. Where it stands twice, the last one counts, as where a tool keeps what it is given in a map.
fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let members = Members::of(object).flatten();
    let (_, value) = members.filter(|(key, _)| key == name).last()?;
    (value != "null").then_some(value)
}

/// Whether a header says what an argument is. Numbers are compared as numbers.
fn is_same(header: &str, argument: &str) -> bool {
    match argument.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(argument).is_ok_and(|text| text == header),
        Some(b'-' | b'0'..=b'9') => is_same_number(header, argument),
        _ => header == argument,
    }
}

fn is_same_number(header: &str, argument: &str) -> bool {
    let (Ok(header), Ok(argument)) = (header.parse::<Number>(), argument.parse::<Number>()) else {
        return false;
    };
    let is_integer = |number: &Number| number.is_i64() || number.is_u64();
    // Integers past what a double holds are still told apart.
    header == argument
        || !(is_integer(&header) && is_integer(&argument)) && header.as_f64() == argument.as_f64()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use http::HeaderValue;
    use mcp_core::schema::header_parameters;
    use serde_json::{Value, json};

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "limit": {"type": "integer", "x-mcp-header": "Limit"},
                "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
                "from": {"type": "object", "properties": {
                    "tenant": {"type": "string", "x-mcp-header": "Tenant"},
                }},
                "text": {"type": "string"},
            },
        })
    }

    fn parameters() -> HeaderParameters {
        let found = header_parameters(schema().as_object().unwrap());
        HeaderParameters::new(found.unwrap(), None)
    }

    fn check(headers: &[(&'static str, &str)], arguments: Value) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let arguments = arguments.to_string();
        parameters().check(&map, Some(&arguments)).is_ok()
    }

    #[test]
    fn the_names_are_those_that_properties_lead_to() {
        let parameters = parameters();
        let mut names: Vec<&str> = parameters.names().collect();
        names.sort_unstable();
        let expected = [
            "mcp-param-dry-run",
            "mcp-param-limit",
            "mcp-param-region",
            "mcp-param-tenant",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_header_is_there_if_and_only_if_its_argument_has_a_value() {
        assert!(check(&[], json!({"text": "x"})));
        assert!(check(&[], json!({"region": null, "from": {}})));
        assert!(check(
            &[("mcp-param-region", "eu")],
            json!({"region": "eu"})
        ));
        assert!(!check(&[], json!({"region": "eu"})));
        assert!(!check(&[("mcp-param-region", "eu")], json!({})));
        assert!(!check(
            &[("mcp-param-region", "null")],
            json!({"region": null})
        ));
        assert!(!check(&[], json!({"from": {"tenant": "a"}})));
        assert!(check(
            &[("mcp-param-tenant", "a")],
            json!({"from": {"tenant": "a"}})
        ));
        // Nobody registered this one.
        assert!(check(&[("mcp-param-other", "x")], json!({})));
        assert!(check(&[("mcp-param-region", "")], json!({"region": ""})));
    }

    #[test]
    fn texts_are_compared_once_they_are_decoded() {
        let same = |header: &str, text: &str| {
            check(&[("mcp-param-region", header)], json!({"region": text}))
        };
        assert!(same("=?base64?w6k=?=", "é"));
        assert!(same("=?base64?ZXU=?=", "eu"));
        assert!(same("=?base64?PT9iYXNlNjQ/UVE9PT89?=", "=?base64?QQ==?="));
        assert!(!same("=?base64?QQ==?=", "=?base64?QQ==?="));
        assert!(!same("=?base64?ZXU?=", "eu"));
        assert!(same("=?BASE64?QQ==?=", "=?BASE64?QQ==?="));
        assert!(!same("EU", "eu"));
        assert!(!same("é", "é"));
        assert!(!check(
            &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")],
            json!({"region": "eu"})
        ));
    }

    #[test]
    fn integers_are_compared_as_numbers() {
        let same = |header: &str, limit: Value| {
            check(&[("mcp-param-limit", header)], json!({"limit": limit}))
        };
        assert!(same("42", json!(42)));
        assert!(same("42.0", json!(42)));
        assert!(same("42", json!(42.0)));
        assert!(same("4.2e1", json!(42)));
        assert!(same("-7", json!(-7)));
        assert!(same("-0", json!(0)));
        assert!(same("9007199254740993", json!(9_007_199_254_740_993_u64)));
        assert!(!same("9007199254740992", json!(9_007_199_254_740_993_u64)));
        for header in ["43", "042", "+42", "42abc", "0x2a", "", "inf", "42,0"] {
            assert!(!same(header, json!(42)), "{header}");
        }
    }

    #[test]
    fn booleans_are_written_in_lower_case() {
        let same =
            |header: &str, dry: bool| check(&[("mcp-param-dry-run", header)], json!({"dry": dry}));
        assert!(same("true", true));
        assert!(same("false", false));
        assert!(!same("True", true));
        assert!(!same("1", true));
        assert!(!same("true", false));
    }
}
