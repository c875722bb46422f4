//! Writes JSON-RPC messages straight into a buffer.

use serde::Serialize;

use super::{RawId, RpcError, write_str};

/// Appends an error response; `id` is left out where none could be read.
///
/// Specification: basic/index, Error Responses.
pub fn write_error(out: &mut Vec<u8>, id: Option<RawId<'_>>, error: &RpcError) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.as_json().as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(br#""error":"#);
    write_json(out, error);
    out.push(b'}');
}

/// Appends everything of a result response up to the value of `result`; the caller writes that
/// value and a closing brace.
#[inline]
pub fn begin_result(out: &mut Vec<u8>, id: RawId<'_>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(br#","result":"#);
}

/// Appends a notification.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: &impl Serialize) {
    begin_notification(out, method);
    write_json(out, params);
    out.push(b'}');
}

fn begin_notification(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write_str(out, method);
    out.extend_from_slice(br#","params":"#);
}

/// Appends a value's JSON, as one line.
///
/// A value that cannot be JSON (a map with keys that are no strings) becomes `null`.
pub fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let before = out.len();
    let written = serde_json::to_writer(&mut *out, value).is_ok();
    end_json(out, before, written);
}

/// Makes one line of what was written from here on.
fn end_json(out: &mut Vec<u8>, before: usize, is_json: bool) {
    if !is_json {
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
    // Inside a string they would be escaped: these only separate, in raw JSON.
    let mut written = &mut out[before..];
    while let Some(at) = memchr::memchr2(b'\n', b'\r', written) {
        written[at] = b' ';
        written = &mut written[at + 1..];
    }
}

/// Gives a value's JSON as one line, whatever raw JSON it contains.
///
/// # Errors
///
/// The value has no JSON form.
///
/// ```
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str("{\n  \"a\": 1\n}")?;
/// assert_eq!(mcp_core::rpc::to_line(raw)?, r#"{   "a": 1 }"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn to_line(value: &(impl Serialize + ?Sized)) -> Result<String, serde_json::Error> {
    serde_json::to_string(value).map(one_line)
}

fn one_line(json: String) -> String {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return json;
    }
    // Inside a string they would be escaped: these only separate, in raw JSON.
    json.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json, value::RawValue};

    use super::*;

    #[test]
    fn raw_json_inside_of_a_value_brings_no_line_breaks() {
        let raw: &RawValue = serde_json::from_str("{\r\n \"a\": \"x\\ny\"\n}").unwrap();
        let mut out = b"\n".to_vec();
        write_json(&mut out, &(raw, 1));
        // What stood there before is not touched.
        assert_eq!(out[0], b'\n');
        let written = std::str::from_utf8(&out[1..]).unwrap();
        for line in [written, &to_line(&(raw, 1)).unwrap()] {
            assert!(!line.contains(['\n', '\r']), "{line:?}");
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value, json!([{"a": "x\ny"}, 1]));
        }
    }
}
