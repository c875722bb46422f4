//! Writes JSON-RPC messages straight into a buffer.

use serde::Serialize;

use super::{RawId, RpcError};

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
pub fn begin_result(out: &mut Vec<u8>, id: RawId<'_>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(br#","result":"#);
}

/// Appends a notification.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: &impl Serialize) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write_json(out, method);
    out.extend_from_slice(br#","params":"#);
    write_json(out, params);
    out.push(b'}');
}

/// Appends a value's JSON.
///
/// A value that cannot be JSON (a map with keys that are no strings) becomes `null`.
pub fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let before = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
}
