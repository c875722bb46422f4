//! Tests of which era a request is of.
#![allow(clippy::unwrap_used)]

use http::HeaderValue;

use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":
    {"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

/// Where a message goes, or the status of its refusal.
fn routed(pairs: &[(&'static str, &str)], message: &str) -> Result<String, u16> {
    let headers = headers(pairs);
    match route(&headers, &Seen::of(message.as_bytes())) {
        Ok(route) => Ok(format!("{route:?}")),
        Err(refusal) => Err(refusal.status.as_u16()),
    }
}

#[test]
fn only_the_header_of_today_is_no_concern() {
    let version = "mcp-protocol-version";
    assert!(!concerns(&headers(&[(version, "2026-07-28")])));
    for other in ["2025-11-25", "2026-07-29", "", " 2026-07-28"] {
        assert!(concerns(&headers(&[(version, other)])), "{other}");
    }
    assert!(concerns(&headers(&[])));
}

#[test]
fn sessions_are_for_those_who_name_them_or_ask_for_one() {
    let (version, session) = ("mcp-protocol-version", "mcp-session-id");
    let today = || Ok("Today".to_owned());
    let handshake = || Ok("Handshake".to_owned());
    let in_session = || Ok(r#"Session("s")"#.to_owned());
    let old = "2025-11-25";
    let oldest = "2024-11-05";
    for (headers, message, expected) in [
        (&[][..], INITIALIZE, handshake()),
        (&[(version, old)], INITIALIZE, handshake()),
        (&[(version, oldest)], INITIALIZE, handshake()),
        (&[(session, "s")], INITIALIZE, handshake()),
        (&[(session, "s")], LIST, in_session()),
        (&[(session, "s"), (version, old)], LIST, in_session()),
        (&[(session, "s"), (version, oldest)], LIST, in_session()),
        (&[(session, "s")], "[]", in_session()),
        (&[(session, "s")], "{", in_session()),
        (&[], r#"[1,"initialize",{}]"#, today()),
        (&[(session, "s")], r#"[1,"initialize",{}]"#, in_session()),
        // No session is named.
        (&[(version, old)], LIST, Err(400)),
        (&[(version, old)], "{", Err(400)),
        (&[(session, "s"), (session, "s")], LIST, Err(400)),
        // Nothing says that it is of an earlier revision.
        (&[], LIST, today()),
        (&[], "{", today()),
        // It is of today, whatever else it says.
        (&[], MODERN, today()),
        (&[(version, old)], MODERN, today()),
        (&[(session, "s")], MODERN, today()),
        (&[(session, "s"), (version, old)], MODERN, today()),
        // A version that is none: with a session it is of an earlier revision, which wants 400.
        (&[(version, "1999-01-01")], LIST, today()),
        (&[(version, "1999-01-01")], INITIALIZE, today()),
        (&[(session, "s"), (version, "1999-01-01")], LIST, Err(400)),
        (&[(version, old), (version, "2026-07-28")], LIST, today()),
        (
            &[(session, "s"), (version, old), (version, old)],
            LIST,
            today(),
        ),
    ] {
        assert_eq!(routed(headers, message), expected, "{headers:?} {message}");
    }
}

#[test]
fn without_a_message_a_session_must_be_named() {
    let (version, session) = ("mcp-protocol-version", "mcp-session-id");
    let named = |pairs: &[_]| {
        let headers = headers(pairs);
        let named = named(&headers).map(str::to_owned);
        named.map_err(|refusal| refusal.status.as_u16())
    };
    assert_eq!(named(&[(session, "s")]), Ok("s".to_owned()));
    assert_eq!(
        named(&[(session, "s"), (version, "2025-06-18")]),
        Ok("s".to_owned())
    );
    assert_eq!(named(&[(session, "s"), (version, "2025-06-19")]), Err(400));
    assert_eq!(named(&[(version, "2025-06-18")]), Err(400));
    assert_eq!(named(&[(session, "s"), (session, "t")]), Err(400));
    assert_eq!(named(&[]), Err(400));
    // What can be no id is the id of no session.
    assert_eq!(named(&[(session, "ü")]), Ok(String::new()));
}
