//! Compares a request's headers with the message in its body.
//!
//! Specification: basic/transports/streamable-http, Request Metadata.

mod parameters;

use std::borrow::Cow;

use base64::Engine as _;
use http::{HeaderMap, HeaderName};
use mcp_core::{
    Revision,
    rpc::{RawId, RpcError, code},
};

pub(crate) use self::parameters::HeaderParameters;
use crate::{dispatch::Arrival, legacy, methods::Params, peer::Peer, server::Server};

/// A header that mirrors a part of the message: what it is looked up by, and how people write it.
struct Mirror {
    name: HeaderName,
    shown: &'static str,
}

static VERSION: Mirror = Mirror {
    name: HeaderName::from_static("mcp-protocol-version"),
    shown: "MCP-Protocol-Version",
};

static METHOD: Mirror = Mirror {
    name: HeaderName::from_static("mcp-method"),
    shown: "Mcp-Method",
};

static NAME: Mirror = Mirror {
    name: HeaderName::from_static("mcp-name"),
    shown: "Mcp-Name",
};

/// The headers that a message came with.
pub(super) struct Headers<'a>(pub(super) &'a HeaderMap);

impl Arrival for Headers<'_> {
    /// Each request has a response of its own, so its id is not compared with others.
    fn is_open(&self, _id: RawId<'_>) -> bool {
        false
    }

    fn check(
        &self,
        server: &Server,
        peer: &Peer,
        method: &str,
        params: &Params<'_>,
    ) -> Result<(), RpcError> {
        // Who opens with the handshake of an earlier revision knows nothing of these headers, and is
        // better told which versions are spoken.
        if method == legacy::INITIALIZE {
            return match single(self.0, &VERSION.name, VERSION.shown)? {
                Some(version) if Revision::modern(version).is_some() => Ok(()),
                version => Err(legacy::refuse_header(version)),
            };
        }
        let is_bare = !self.0.contains_key(&VERSION.name) && !self.0.contains_key(&METHOD.name);
        if is_bare && params.meta.is_none() {
            return Err(mismatch(legacy::NO_HEADERS.to_owned()));
        }
        self.compare(&METHOD, method)?;
        match &params.meta {
            Some(meta) => self.compare(&VERSION, meta.version())?,
            // What is missing then is said of the message itself.
            None => drop(self.required(&VERSION)?),
        }
        let name = match method {
            "tools/call" | "prompts/get" => params.name.as_deref(),
            "resources/read" => params.uri.as_deref(),
            _ => return Ok(()),
        };
        let Some(name) = name else {
            return Ok(());
        };
        let mirrored = decode(NAME.shown, self.required(&NAME)?)?;
        if mirrored != name {
            return Err(differs(NAME.shown, &mirrored, name));
        }
        if method == "tools/call"
            && let Some(tool) = server.inner().tool(name, &peer.principal)
        {
            let tool = &server.inner().functions[tool];
            tool.headers.check(self.0, params.arguments)?;
        }
        Ok(())
    }
}

impl Headers<'_> {
    fn required(&self, mirror: &Mirror) -> Result<&str, RpcError> {
        single(self.0, &mirror.name, mirror.shown)?.ok_or_else(|| missing(mirror.shown))
    }

    fn compare(&self, mirror: &Mirror, body: &str) -> Result<(), RpcError> {
        match self.required(mirror)? {
            header if header == body => Ok(()),
            header => Err(differs(mirror.shown, header, body)),
        }
    }
}

/// The value of a header; none where it is absent.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
    shown: &str,
) -> Result<Option<&'a str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(mismatch(format!("the header `{shown}` stands twice")));
    }
    value.to_str().map(Some).map_err(|_| {
        mismatch(format!(
            "the header `{shown}` has characters other than visible ASCII; encode the value as \
             `=?base64?..?=`"
        ))
    })
}

/// The text that a header stands for.
///
/// Specification: basic/transports/streamable-http, Value Encoding.
fn decode<'a>(shown: &str, value: &'a str) -> Result<Cow<'a, str>, RpcError> {
    let Some(encoded) = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    else {
        return Ok(value.into());
    };
    // Padded and canonical: otherwise two spellings would mean the same.
    base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Cow::Owned)
        .ok_or_else(|| {
            mismatch(format!(
                "the header `{shown}` is no Base64 of UTF-8 between `=?base64?` and `?=`"
            ))
        })
}

fn missing(shown: &str) -> RpcError {
    mismatch(format!("the header `{shown}` is missing"))
}

fn differs(shown: &str, header: &str, body: &str) -> RpcError {
    mismatch(format!(
        "the header `{shown}` is `{}`, and the body has `{}`",
        short(header),
        short(body)
    ))
}

fn mismatch(text: String) -> RpcError {
    RpcError::new(code::HEADER_MISMATCH, format!("header mismatch: {text}"))
}

fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}..", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;
    use crate::transport::http::events::Events;

    #[test]
    fn what_is_wrapped_whole_is_decoded_and_the_rest_is_literal() {
        for (value, text) in [
            ("us-west1", Some("us-west1")),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", Some("Hello, 世界")),
            ("=?base64?IHBhZGRlZCA=?=", Some(" padded ")),
            ("=?base64?bGluZTEKbGluZTI=?=", Some("line1\nline2")),
            (
                "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
                Some("=?base64?literal?="),
            ),
            ("=?base64??=", Some("")),
            // Not the full wrapper.
            ("=?BASE64?QQ==?=", Some("=?BASE64?QQ==?=")),
            ("=?base64?QQ==", Some("=?base64?QQ==")),
            ("QQ==?=", Some("QQ==?=")),
            ("=?base64?=", Some("=?base64?=")),
            // Base64 that is none, or has no padding, or bits that are not there, or no UTF-8.
            ("=?base64?QQ?=", None),
            ("=?base64?QR==?=", None),
            ("=?base64?Q Q==?=", None),
            ("=?base64?_w==?=", None),
            ("=?base64?/w==?=", None),
            ("=?base64?!!?=", None),
        ] {
            assert_eq!(decode("Mcp-Name", value).ok().as_deref(), text, "{value}");
        }
    }

    /// Compares the headers with a message of this method and these parameters.
    fn check(headers: &[(&str, &str)], method: &str, params: &str) -> Result<(), i32> {
        let server = Server::builder("shop", "1.0.0").build().unwrap();
        let peer = Peer {
            principal: crate::state::Principal::Anonymous,
            outgoing: Arc::new(Events::new(true)),
            extensions: None,
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(*name).unwrap();
            map.append(
                name,
                http::HeaderValue::from_bytes(value.as_bytes()).unwrap(),
            );
        }
        let params = Params::of(params).unwrap();
        let checked = Headers(&map).check(&server, &peer, method, &params);
        checked.map_err(|error| error.code)
    }

    #[test]
    fn the_name_of_a_resource_is_its_uri() {
        let params = r#"{"uri": "file:///docs/отчёт.txt", "name": "not this",
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}}}"#;
        let check = |name| {
            let headers = [
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "resources/read"),
                ("mcp-name", name),
            ];
            check(&headers, "resources/read", params)
        };
        assert_eq!(
            check("=?base64?ZmlsZTovLy9kb2NzL9C+0YLRh9GR0YIudHh0?="),
            Ok(())
        );
        assert_eq!(check("file:///docs/отчёт.txt"), Err(-32020));
        assert_eq!(check("not this"), Err(-32020));
        assert_eq!(
            check("file:///docs/%D0%BE%D1%82%D1%87%D1%91%D1%82.txt"),
            Err(-32020)
        );
    }

    #[test]
    fn other_methods_have_no_name() {
        let params = r#"{"name": "x", "uri": "y",
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}}}"#;
        for method in ["tools/list", "completion/complete", "subscriptions/listen"] {
            let headers = [
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", method),
            ];
            assert_eq!(check(&headers, method, params), Ok(()), "{method}");
        }
        for method in ["prompts/get", "tools/call", "resources/read"] {
            let headers = [
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", method),
            ];
            assert_eq!(check(&headers, method, params), Err(-32020), "{method}");
        }
    }
}
