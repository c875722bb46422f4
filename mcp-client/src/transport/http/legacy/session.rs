//! What a handshake agreed on, as every later request says it.

use std::sync::Arc;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{StatusCode, Url};

use super::http_sse::Channel;
use crate::transport::http::endpoint::{End, failed};
use crate::transport::{Era, Failure, Metadata};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Longer than any id that makes sense, a signed token included.
const MAX_ID: usize = 4096;

/// What is shorter is no secret, and may stand anywhere.
const SHORTEST_SECRET: usize = 8;

/// A part of a path that is longer names something.
const LONGEST_WORD: usize = 16;

/// A session, or none.
#[derive(Clone, Default)]
pub(super) struct Session {
    /// Sessions are numbered in the order in which they began.
    pub(super) number: u64,
    /// What the server calls it, if it has a name for it.
    pub(super) id: Option<HeaderValue>,
    /// The revision that was agreed on.
    pub(super) version: Option<&'static str>,
    /// The way to a server that has the transport of 2024-11-05 alone.
    pub(super) channel: Option<Arc<Channel>>,
}

/// What a request takes for an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepts {
    MessageOrStream,
    Stream,
    Anything,
}

impl Session {
    /// The session that an answer to `initialize` begins.
    ///
    /// Specification: revision 2025-11-25, basic/transports, Session Management.
    pub(super) fn begun_by(status: StatusCode, headers: &HeaderMap) -> Result<Self, End> {
        let id = match headers.get(SESSION_ID) {
            Some(id) => {
                let is_visible = id.as_bytes().iter().all(u8::is_ascii_graphic);
                if !is_visible || id.is_empty() || id.len() > MAX_ID {
                    let reason = "the server's session id is not made of visible ASCII characters";
                    return Err(failed(status, reason.to_owned()));
                }
                let mut id = id.clone();
                id.set_sensitive(true);
                Some(id)
            }
            None => None,
        };
        Ok(Self {
            id,
            ..Self::default()
        })
    }

    /// The headers of a message. A handshake has no version yet, only one that it offers.
    pub(super) fn headers_of(&self, own: &HeaderMap, metadata: &Metadata) -> HeaderMap {
        let is_agreed = metadata.era == Era::Session;
        let version = metadata.version.or(self.version);
        let version = version.filter(|_| is_agreed);
        self.headers(own, version, Accepts::MessageOrStream)
    }

    /// The headers of a request; `own` are the host's.
    pub(super) fn headers(
        &self,
        own: &HeaderMap,
        version: Option<&'static str>,
        accepts: Accepts,
    ) -> HeaderMap {
        let mut headers = own.clone();
        let accept = match accepts {
            Accepts::MessageOrStream => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                "application/json, text/event-stream"
            }
            Accepts::Stream => "text/event-stream",
            Accepts::Anything => "*/*",
        };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(version) = version {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(version));
        }
        if let Some(id) = &self.id {
            headers.insert(SESSION_ID, id.clone());
        }
        headers
    }

    /// What went wrong, without what names the session, which some servers repeat.
    pub(super) fn redact(&self, end: End) -> End {
        let secrets = self.secrets();
        let clean = |reason: String| {
            secrets
                .iter()
                .fold(reason, |reason, secret| reason.replace(secret, "(session)"))
        };
        match end {
            End::Failed(Failure::Failed { status, reason }) => End::Failed(Failure::Failed {
                status,
                reason: clean(reason),
            }),
            End::Failed(Failure::SessionEnded { reason }) => End::Failed(Failure::SessionEnded {
                reason: clean(reason),
            }),
            End::Failed(Failure::Unauthorized {
                status,
                challenge,
                reason,
            }) => End::Failed(Failure::Unauthorized {
                status,
                challenge: challenge.map(clean),
                reason: clean(reason),
            }),
            End::TooLong => End::TooLong,
        }
    }

    /// The id. In the transport of 2024-11-05 it stands in the URL.
    fn secrets(&self) -> Vec<String> {
        let id = self.id.as_ref().and_then(|id| id.to_str().ok());
        let mut secrets: Vec<_> = id.map(str::to_owned).into_iter().collect();
        if let Some(channel) = &self.channel {
            secrets.extend_from_slice(channel.secrets());
        }
        secrets
    }
}

/// What in the endpoint's URL may name the session: values of the query, under any name, and parts of the path
/// that are no words and do not stand in the host's URL.
pub(super) fn secrets_of(url: &Url, own: &Url) -> Vec<String> {
    let pairs = url.query().unwrap_or_default().split('&');
    let values = pairs.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
    let decoded = url.query_pairs().map(|(_, value)| value.into_owned());
    let is_word = |part: &&str| part.len() < LONGEST_WORD && !part.contains(char::is_numeric);
    let is_own = |part: &&str| {
        own.path_segments()
            .is_some_and(|mut of| of.any(|own| own == *part))
    };
    let parts = url.path_segments().into_iter().flatten();
    let parts = parts.filter(|part| !is_word(part) && !is_own(part));
    let raw = values.chain(parts).map(str::to_owned);
    let all = raw.chain(decoded);
    let mut all: Vec<_> = all.filter(|of| of.len() >= SHORTEST_SECRET).collect();
    // What is part of another one must not break it up.
    all.sort_unstable_by_key(|of| std::cmp::Reverse(of.len()));
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn begun_by(id: &[u8]) -> Result<Session, End> {
        let mut headers = HeaderMap::new();
        headers.insert(SESSION_ID, HeaderValue::from_bytes(id).unwrap());
        Session::begun_by(StatusCode::OK, &headers)
    }

    #[test]
    fn an_id_is_visible_ascii_of_some_length() {
        let long = "x".repeat(MAX_ID);
        for id in ["1", "!~", "a.b-c_d=/+", &long] {
            let session = begun_by(id.as_bytes()).unwrap();
            assert_eq!(session.id.unwrap(), id);
        }
        let too_long = "x".repeat(MAX_ID + 1);
        for id in ["", "a b", "a\tb", "é", &too_long] {
            assert!(begun_by(id.as_bytes()).is_err(), "{id:?}");
        }
        let none = Session::begun_by(StatusCode::OK, &HeaderMap::new()).unwrap();
        assert!(none.id.is_none());
    }

    #[test]
    fn headers_say_what_was_agreed_on_and_keep_the_id_secret() {
        let session = begun_by(b"hunter2").unwrap();
        let mut own = HeaderMap::new();
        own.insert("accept", HeaderValue::from_static("own"));
        own.insert("x-tenant", HeaderValue::from_static("acme"));
        let headers = session.headers(&own, Some("2025-06-18"), Accepts::MessageOrStream);
        for (name, expected) in [
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-06-18"),
            ("mcp-session-id", "hunter2"),
            ("x-tenant", "acme"),
        ] {
            assert_eq!(headers[name], expected, "{name}");
        }
        assert_eq!(headers.len(), 5);
        assert!(!format!("{headers:?}").contains("hunter2"));

        let headers = Session::default().headers(&own, None, Accepts::Stream);
        assert_eq!(headers["accept"], "text/event-stream");
        assert_eq!(headers.len(), 2);
    }

    #[test]
    fn an_endpoint_may_name_the_session_in_its_query_or_its_path() {
        let url = |path: &str| Url::parse(&format!("https://host.example{path}")).unwrap();
        let named = url("/tenant-4711/messages/4f1c2d3e9a/to?a=b&session=hunter%2B2%3D");
        let secrets = secrets_of(&named, &url("/tenant-4711/sse"));
        assert_eq!(secrets, ["hunter%2B2%3D", "4f1c2d3e9a", "hunter+2="]);
    }

    #[test]
    fn an_id_that_the_server_repeats_is_left_out() {
        let session = begun_by(b"hunter2").unwrap();
        let End::Failed(Failure::Failed { reason, .. }) = session.redact(failed(
            StatusCode::BAD_REQUEST,
            "no session hunter2".to_owned(),
        )) else {
            panic!("it is the same error");
        };
        assert_eq!(reason, "no session (session)");
    }
}
