//! Parameters that tools want in headers: which ones, and what a call puts there.
//!
//! Specification: basic/transports/streamable-http, Custom Headers from Tool Parameters. Only a transport
//! with headers has a use for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::protocol::Tool;
use mcp_core::schema::{HeaderParameter, header_parameters};
use serde_json::{Number, Value};

use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::session::Call;

/// How long a call waits for a list of tools that it needs for its headers.
const LIST_PATIENCE: Duration = Duration::from_secs(5);

/// The largest integer that every peer reads as the same number: 2^53 - 1.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// What the tools that were listed want in headers.
#[derive(Debug, Default)]
pub(crate) struct HeaderParams {
    known: Mutex<HashMap<String, Arc<[HeaderParameter]>>>,
}

impl HeaderParams {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<[HeaderParameter]>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a new list says.
    pub(crate) fn replace(&self, listed: Vec<(String, Vec<HeaderParameter>)>) {
        let listed = listed.into_iter();
        *self.known() = listed.map(|(tool, params)| (tool, params.into())).collect();
    }

    fn of(&self, tool: &str) -> Option<Arc<[HeaderParameter]>> {
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
    pub(crate) fn header_params(&self, tool: &Tool) -> Result<Vec<HeaderParameter>, String> {
        match self.known_header_params() {
            Some(_) => header_parameters(&tool.input_schema),
            None => Ok(Vec::new()),
        }
    }

    /// `None` where nothing of a message is repeated in headers: by the transport, or by the revision.
    fn known_header_params(&self) -> Option<&HeaderParams> {
        let known = self.inner.header_params.as_ref()?;
        self.inner.legacy().is_none().then_some(known)
    }

    /// Gives a tool call what its headers repeat. A tool that was not listed yet is looked for in the
    /// server's list; without a list the call goes out as it is, and the server will say what it lacks.
    pub(crate) async fn mirror(&self, call: &mut Call) -> Result<(), Error> {
        let Some(known) = self.known_header_params() else {
            return Ok(());
        };
        let Some(tool) = tool_of(call) else {
            return Ok(());
        };
        if known.of(&tool).is_none() {
            self.list_for_headers(|| known.of(&tool).is_some()).await;
            known.remember(&tool);
        }
        call.headers = values(call, &known.of(&tool).unwrap_or_default())?;
        Ok(())
    }

    /// Looks at a new list of tools after the server refused a call's headers; true if the call is
    /// worth another try.
    pub(crate) async fn mirror_anew(&self, call: &mut Call) -> bool {
        let Some(known) = self.known_header_params() else {
            return false;
        };
        let Some(tool) = tool_of(call) else {
            return false;
        };
        // What was kept did not help.
        self.forget("tools/list");
        if !self.list_for_headers(|| false).await {
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

    async fn list_for_headers(&self, is_known: impl Fn() -> bool) -> bool {
        match tokio::time::timeout(LIST_PATIENCE, self.list_tools_unless(is_known)).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(target: "mcp_client", error = %Excerpt(&error), "no list of tools to tell a call's headers");
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
fn values(call: &Call, params: &[HeaderParameter]) -> Result<Vec<(String, String)>, Error> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn sent(arguments: &str) -> Result<Vec<(String, String)>, Error> {
        let param = |header: &str, path: &[&str]| {
            HeaderParameter::new(header, path.iter().map(|&name| name.to_owned()).collect())
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
