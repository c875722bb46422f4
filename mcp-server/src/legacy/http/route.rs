//! Which era a request is of, and which session.
//!
//! Motivation: a request is never served as an earlier one once its header or its body says that it is of today: it would
//! be answered in a form that its client does not know. So the header decides where it can, with one look; and where it
//! does not say today's version, the body is asked as well.
//!
//! Specification: 2026-07-28, basic/versioning; 2025-11-25, basic/transports, Session Management and Protocol Version
//! Header.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, StatusCode};
use mcp_core::{Revision, rpc::ByName};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{legacy, transport::http::Refusal};

pub(super) static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The header with a session's id.
pub(super) static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Where a message goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route<'a> {
    /// To the stateless server of today, which also refuses what is of no era.
    Today,
    /// It asks for a session.
    Handshake,
    /// To the session of this id.
    Session(&'a str),
}

/// Whether the header names another version than today's, or none.
pub(super) fn concerns(headers: &HeaderMap) -> bool {
    headers
        .get(&VERSION)
        .is_none_or(|version| version != Revision::LATEST.as_str())
}

/// Says where a message goes.
///
/// # Errors
///
/// 400 where an earlier version is named and no session.
pub(super) fn route<'a>(headers: &'a HeaderMap, seen: &Seen<'_>) -> Result<Route<'a>, Refusal> {
    let version = version(headers);
    let session = session(headers);
    if seen.is_modern || matches!(version, Version::Ambiguous) {
        return Ok(Route::Today);
    }
    if let Version::Unknown(name) = version {
        return match session {
            Err(_) | Ok(None) => Ok(Route::Today),
            Ok(Some(_)) => Err(unknown_version(name)),
        };
    }
    if seen.method.as_deref() == Some(legacy::INITIALIZE) {
        return Ok(Route::Handshake);
    }
    match (session?, version) {
        (Some(id), _) => Ok(Route::Session(id)),
        (None, Version::Earlier) => Err(no_session()),
        (None, _) => Ok(Route::Today),
    }
}

/// The session that a request without a message is for.
///
/// # Errors
///
/// 400 where none is named, or a version that is not spoken.
pub(super) fn named(headers: &HeaderMap) -> Result<&str, Refusal> {
    check_version(headers)?;
    session(headers)?.ok_or_else(no_session)
}

/// Whether a version is spoken that has sessions, if one is named.
///
/// # Errors
///
/// 400 where it is not.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    match version(headers) {
        Version::Unknown(name) => Err(unknown_version(name)),
        Version::Ambiguous => Err(bad("the header `MCP-Protocol-Version` stands twice")),
        Version::Absent | Version::Earlier => Ok(()),
    }
}

/// What the header says of the version.
enum Version<'a> {
    Absent,
    /// One with sessions.
    Earlier,
    Unknown(&'a str),
    /// It stands twice.
    Ambiguous,
}

fn version(headers: &HeaderMap) -> Version<'_> {
    let mut values = headers.get_all(&VERSION).iter();
    let (first, more) = (values.next(), values.next());
    match first.map(|value| value.to_str().unwrap_or_default()) {
        _ if more.is_some() => Version::Ambiguous,
        None => Version::Absent,
        Some(name) => match name.parse::<Revision>() {
            Ok(revision) if revision.is_legacy() => Version::Earlier,
            _ => Version::Unknown(name),
        },
    }
}

fn session(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut values = headers.get_all(&SESSION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(bad("the header `Mcp-Session-Id` stands twice"));
    }
    // What no id can be is the id of no session.
    Ok(Some(value.to_str().unwrap_or_default()))
}

fn no_session() -> Refusal {
    bad(
        "the header `Mcp-Session-Id` is missing; send `initialize`, and then the id that its response has \
         in this header",
    )
}

fn unknown_version(name: &str) -> Refusal {
    let name: String = name.chars().take(100).collect();
    bad(format!(
        "the header `MCP-Protocol-Version` names `{name}`, which this server does not speak"
    ))
}

fn bad(text: impl Into<Cow<'static, str>>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, text)
}

/// What a message must be looked at for before it is read.
#[derive(Debug, Default)]
pub(super) struct Seen<'a> {
    pub(super) method: Option<Cow<'a, str>>,
    /// Whether it wants no answer.
    pub(super) is_quiet: bool,
    /// Whether its `_meta` is one of today.
    pub(super) is_modern: bool,
}

impl<'a> Seen<'a> {
    /// Looks at a message, which may be none.
    pub(super) fn of(message: &'a [u8]) -> Self {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
            #[serde(borrow)]
            method: Option<Cow<'a, str>>,
            #[serde(borrow)]
            params: Option<&'a RawValue>,
        }
        let text = std::str::from_utf8(message).unwrap_or_default();
        let Ok(ByName(members)) = serde_json::from_str::<ByName<Members<'_>>>(text) else {
            return Self::default();
        };
        Self {
            is_quiet: members.id.is_none() || members.method.is_none(),
            is_modern: members.params.is_some_and(legacy::is_of_today),
            method: members.method,
        }
    }
}

#[cfg(test)]
mod tests;
