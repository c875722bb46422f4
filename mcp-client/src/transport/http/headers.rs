//! What the headers of a request say, and how values are written there.
//!
//! Specification: basic/transports/streamable-http, Request Metadata and Value Encoding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::transport::Metadata;

/// What a value in Base64 stands between.
const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// The headers of one request. `own` are the host's; they do not replace those of the protocol.
pub(super) fn request(own: &HeaderMap, metadata: &Metadata) -> Result<HeaderMap, String> {
    let mut headers = own.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    let method = HeaderValue::from_str(&metadata.method)
        .map_err(|_| format!("the method {:?} cannot stand in a header", metadata.method))?;
    headers.insert(HeaderName::from_static("mcp-method"), method);
    if let Some(version) = metadata.version {
        headers.insert(
            HeaderName::from_static("mcp-protocol-version"),
            HeaderValue::from_static(version),
        );
    }
    if let Some(name) = &metadata.name {
        headers.insert(HeaderName::from_static("mcp-name"), encode(name)?);
    }
    for (name, value) in &metadata.params {
        let header = HeaderName::try_from(format!("mcp-param-{name}"))
            .map_err(|_| format!("Mcp-Param-{name} is no name of a header"))?;
        headers.insert(header, encode(value)?);
    }
    Ok(headers)
}

/// A header that says what the message says, and nothing where the message does not.
pub(super) fn is_of_the_protocol(name: &HeaderName) -> bool {
    let name = name.as_str();
    let known = [
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "last-event-id",
    ];
    known.contains(&name) || name.starts_with("mcp-param-")
}

/// A value as it is, if it reads the same there, and in Base64 if not.
fn encode(value: &str) -> Result<HeaderValue, String> {
    // A tab may stand inside a value, but is a control character, and some peers take it for one.
    let is_visible = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_padded = value.starts_with(' ') || value.ends_with(' ');
    let is_sentinel = value.starts_with(PREFIX) && value.ends_with(SUFFIX);
    let encoded = if is_visible && !is_padded && !is_sentinel {
        HeaderValue::from_str(value)
    } else {
        HeaderValue::try_from(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)))
    };
    // Visible ASCII only, so this cannot happen.
    encoded.map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::transport::Era;

    #[test]
    fn values_are_written_as_the_specification_says() {
        for (value, expected) in [
            // Its own examples.
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            // And others.
            ("", ""),
            ("us west 1", "us west 1"),
            (" x", "=?base64?IHg=?="),
            ("x ", "=?base64?eCA=?="),
            ("\tindented", "=?base64?CWluZGVudGVk?="),
            ("a\tb", "=?base64?YQli?="),
            ("é", "=?base64?w6k=?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
            // Not the sentinel: it is written in lower case and has both ends.
            ("=?BASE64?QQ==?=", "=?BASE64?QQ==?="),
            ("=?base64?QQ==", "=?base64?QQ=="),
            (
                "file:///path/to/file%20name.txt",
                "file:///path/to/file%20name.txt",
            ),
        ] {
            assert_eq!(encode(value).unwrap(), expected, "{value:?}");
        }
    }

    #[test]
    fn the_protocols_headers_cannot_be_replaced() {
        let mut own = HeaderMap::new();
        for name in [
            "accept",
            "content-type",
            "mcp-method",
            "mcp-protocol-version",
            "x-tenant",
        ] {
            own.insert(name, HeaderValue::from_static("own"));
        }
        let metadata = Metadata {
            method: "tools/call".to_owned(),
            name: Some("add".to_owned()),
            version: Some("2026-07-28"),
            era: Era::Modern,
            params: vec![("Region".to_owned(), String::new())],
        };
        let headers = request(&own, &metadata).unwrap();
        for (name, expected) in [
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
            ("mcp-method", "tools/call"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-name", "add"),
            ("mcp-param-region", ""),
            ("x-tenant", "own"),
        ] {
            assert_eq!(headers[name], expected, "{name}");
        }
    }
}
