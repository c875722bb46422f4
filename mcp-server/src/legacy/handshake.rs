//! `initialize`: the two agree on a revision, and tell each other what they can do.
//!
//! Specification: basic/lifecycle, Initialization and Version Negotiation, of the earlier revisions.

use std::{borrow::Cow, sync::Arc};

use mcp_core::{
    Revision,
    rpc::{RawId, RpcError, write_json},
};
use serde_json::value::RawValue;

use super::{
    INITIALIZE,
    methods::answer,
    object::{Object, text},
    session::Session,
    view,
};
use crate::{
    asking::{Kind, Kinds},
    methods::{declared_kinds, is_client_info},
    parameters::member,
    peer::Peer,
    server::Server,
};

/// The most bytes of what a client says of itself: they are kept with the session, and go through each of its requests.
const LONGEST: usize = 32 * 1024;

/// Answers `initialize`, and gives the session that begins with it. What goes to the client beside its requests goes to
/// `peer.outgoing`.
///
/// # Errors
///
/// `-32602` where the parameters are off.
pub(super) fn shake_hands(
    server: &Server,
    params: Option<&RawValue>,
    peer: &Peer,
    id: RawId<'_>,
    out: &mut Vec<u8>,
) -> Result<Arc<Session>, RpcError> {
    let params = params.map_or("{}", RawValue::get);
    let Some(version) = member(params, "protocolVersion").and_then(text) else {
        return Err(unfit("the version cannot be read"));
    };
    let revision = negotiate(&version);
    let capabilities = member(params, "capabilities").unwrap_or("{}");
    if capabilities.len() > LONGEST {
        return Err(unfit("`capabilities` is longer than 32 KiB"));
    }
    let kinds =
        declared_kinds(capabilities).ok_or_else(|| unfit("`capabilities` cannot be read"))?;
    let info = match member(params, "clientInfo") {
        Some(info) => Some(read_info(info).ok_or_else(|| unfit("`clientInfo` cannot be read"))?),
        None => None,
    };
    let result = view::result(revision, INITIALIZE, &result(server, revision))?;
    answer(id, &result, out);
    tracing::debug!(%revision, "a client of an earlier revision has connected");
    Ok(Arc::new(Session::new(
        revision,
        kinds_of(revision, kinds),
        capabilities,
        info.as_deref(),
        Arc::clone(&peer.outgoing),
    )))
}

#[cold]
fn unfit(what: &str) -> RpcError {
    RpcError::invalid_params(format!(
        "{what}; `initialize` takes `protocolVersion`, a string, `capabilities`, an object, and `clientInfo`, \
         an object with `name` and `version`"
    ))
}

/// What a client says of itself, as its requests will say it; only its name and version where that is long: icons may be.
fn read_info(info: &str) -> Option<Cow<'_, str>> {
    if !is_client_info(info) {
        return None;
    }
    if info.len() <= LONGEST {
        return Some(info.into());
    }
    let (name, version) = (member(info, "name")?, member(info, "version")?);
    let short = format!(r#"{{"name":{name},"version":{version}}}"#);
    (short.len() <= LONGEST).then_some(short.into())
}

/// The revision that the client asks for, or the newest one of those that are agreed on in this way.
fn negotiate(requested: &str) -> Revision {
    let mut known = Revision::LEGACY.iter();
    let known = known.find(|revision| revision.as_str() == requested);
    known.copied().unwrap_or(Revision::V2025_11_25)
}

/// What of the declared kinds there is in a revision.
fn kinds_of(revision: Revision, declared: Kinds) -> Kinds {
    let (form, url) = (declared.contains(Kind::Form), declared.contains(Kind::Url));
    let is_newest = revision >= Revision::V2025_11_25;
    let form = match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 => false,
        // Before there were modes, every elicitation was a form.
        Revision::V2025_06_18 => form || url,
        _ => form,
    };
    Kinds::default()
        .with(Kind::Roots, declared.contains(Kind::Roots))
        .with(Kind::Sampling, declared.contains(Kind::Sampling))
        .with_sampling_tools(is_newest && declared.require_sampling_tools().is_ok())
        .with(Kind::Url, is_newest && url)
        .with(Kind::Form, form)
}

/// The result in the newest shape there is.
fn result(server: &Server, revision: Revision) -> String {
    let inner = server.inner();
    let discovered = [&*inner.discover, &*inner.writer.server_info].concat();
    let mut out = Object::default();
    out.set_text("protocolVersion", revision.as_str());
    for name in ["capabilities", "instructions"] {
        if let Some(value) = member(&discovered, name) {
            out.set(name, value);
        }
    }
    let mut info = Vec::new();
    write_json(&mut info, &inner.info);
    out.set("serverInfo", &String::from_utf8(info).unwrap_or_default());
    out.to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_leads_to_the_newest_with_a_handshake() {
        for (requested, agreed) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2030-01-01", "2025-11-25"),
            ("2024-10-07", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            assert_eq!(negotiate(requested).as_str(), agreed, "{requested:?}");
        }
    }

    #[test]
    fn a_client_can_be_asked_for_what_its_revision_has() {
        let everything = Kinds::default()
            .with(Kind::Form, true)
            .with(Kind::Url, true)
            .with(Kind::Sampling, true)
            .with(Kind::Roots, true)
            .with_sampling_tools(true);
        for (revision, form, url, tools) in [
            (Revision::V2024_11_05, false, false, false),
            (Revision::V2025_03_26, false, false, false),
            (Revision::V2025_06_18, true, false, false),
            (Revision::V2025_11_25, true, true, true),
        ] {
            let kinds = kinds_of(revision, everything);
            assert_eq!(kinds.contains(Kind::Form), form, "{revision}");
            assert_eq!(kinds.contains(Kind::Url), url, "{revision}");
            assert_eq!(kinds.require_sampling_tools().is_ok(), tools, "{revision}");
            assert!(kinds.contains(Kind::Sampling) && kinds.contains(Kind::Roots));
            let nothing = kinds_of(revision, Kinds::default());
            assert_eq!(nothing, Kinds::default(), "{revision}");
        }
        let url = Kinds::default().with(Kind::Url, true);
        assert!(kinds_of(Revision::V2025_06_18, url).contains(Kind::Form));
        assert!(!kinds_of(Revision::V2025_11_25, url).contains(Kind::Form));
    }
}
