//! What callers give as arguments, as members of a request's params.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::session::on_one_line;

/// A JSON object as text on one line; `None` for `null`.
pub(crate) fn object(target: &str, arguments: &impl Serialize) -> Result<Option<String>, Error> {
    let arguments = serde_json::to_string(arguments).map_err(|e| wrong(target, e.to_string()))?;
    let found = match arguments.trim_start().as_bytes().first() {
        Some(b'{') => return Ok(Some(on_one_line(&arguments))),
        _ if arguments == "null" => return Ok(None),
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    };
    Err(wrong(target, format!("found {found}")))
}

/// A JSON object of strings. Members that are `null` are left out.
pub(crate) fn strings(target: &str, arguments: &impl Serialize) -> Result<Option<String>, Error> {
    let Some(object) = object(target, arguments)? else {
        return Ok(None);
    };
    let members: BTreeMap<String, Value> =
        serde_json::from_str(&object).map_err(|e| wrong(target, e.to_string()))?;
    let mut strings = BTreeMap::new();
    for (name, value) in members {
        match value {
            Value::String(value) => drop(strings.insert(name, value)),
            Value::Null => {}
            _ => return Err(wrong(target, format!("{name:?} is not a string"))),
        }
    }
    serde_json::to_string(&strings)
        .map(Some)
        .map_err(|e| wrong(target, e.to_string()))
}

/// A member that is a string.
pub(crate) fn text(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), Value::from(value).to_string())
}

fn wrong(target: &str, reason: String) -> Error {
    Error::Arguments {
        target: target.to_owned(),
        reason,
    }
}
