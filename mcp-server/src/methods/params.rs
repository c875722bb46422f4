//! The one place that turns a message's `params` into what a method takes.
//!
//! Motivation: the members that client requests share are few, and `_meta` stands on each of them.
//! So one struct has them all: `_meta` and names typed, what only a method can read as JSON. They are
//! read in the same pass as the envelope; where that fails, `diagnose` says why.

use std::borrow::Cow;

use mcp_core::{
    Revision,
    protocol::{LoggingLevel, meta::key},
    rpc::{Malformed, RawId, RpcError, Scan},
};
use serde::{Deserialize, de::value::StrDeserializer};

use crate::{
    asking::{Kind, Kinds},
    legacy,
};

/// The members of a client's `params`, of whatever method.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    pub(crate) meta: Option<RequestMeta<'a>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) arguments: Option<&'a str>,
    pub(crate) request_state: Option<Cow<'a, str>>,
    /// Where it is `null` it is there, and malformed.
    pub(crate) input_responses: Option<&'a str>,
    pub(crate) cursor: Option<&'a str>,
    /// Of `resources/read`.
    pub(crate) uri: Option<Cow<'a, str>>,
    /// Of `completion/complete`.
    pub(crate) reference: Option<&'a str>,
    /// Of `completion/complete`.
    pub(crate) argument: Option<&'a str>,
    /// Of `completion/complete`.
    pub(crate) context: Option<&'a str>,
    /// Of `subscriptions/listen`; where it is `null` it is there, and malformed.
    pub(crate) notifications: Option<&'a str>,
    /// Of `notifications/cancelled`.
    pub(crate) request_id: Option<&'a str>,
    /// Of `notifications/cancelled`.
    pub(crate) reason: Option<&'a str>,
}

impl<'a> Params<'a> {
    /// Reads the whole of a text.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    #[cfg(any(feature = "legacy", test))]
    pub(crate) fn of(params: &'a str) -> Result<Self, Malformed> {
        Scan::whole(params, Self::read)
    }

    /// Reads `params`, for the parser of messages.
    ///
    /// # Errors
    ///
    /// Where they are no object, a member stands twice or has another type.
    pub(crate) fn read(scan: &mut Scan<'a>) -> Result<Self, Malformed> {
        let (mut meta, mut name, mut arguments, mut uri) = (None, None, None, None);
        let (mut request_state, mut input_responses) = (None, None);
        let (mut cursor, mut notifications) = (None, None);
        let (mut reference, mut argument, mut context) = (None, None, None);
        let (mut request_id, mut reason) = (None, None);
        scan.object(|scan, key| match key {
            "_meta" => scan.fill(&mut meta, |scan| scan.optional(RequestMeta::read)),
            "name" => scan.fill(&mut name, text),
            "arguments" => scan.fill(&mut arguments, json),
            "requestState" => scan.fill(&mut request_state, text),
            "inputResponses" => scan.fill(&mut input_responses, Scan::raw),
            "cursor" => scan.fill(&mut cursor, json),
            "uri" => scan.fill(&mut uri, text),
            "ref" => scan.fill(&mut reference, json),
            "argument" => scan.fill(&mut argument, json),
            "context" => scan.fill(&mut context, json),
            "notifications" => scan.fill(&mut notifications, Scan::raw),
            "requestId" => scan.fill(&mut request_id, json),
            "reason" => scan.fill(&mut reason, json),
            _ => scan.skip(),
        })?;
        Ok(Self {
            meta: meta.flatten(),
            name: name.flatten(),
            arguments: arguments.flatten(),
            request_state: request_state.flatten(),
            input_responses,
            cursor: cursor.flatten(),
            uri: uri.flatten(),
            reference: reference.flatten(),
            argument: argument.flatten(),
            context: context.flatten(),
            notifications,
            request_id: request_id.flatten(),
            reason: reason.flatten(),
        })
    }
}

/// A string, or none where it is `null`.
fn text<'a>(scan: &mut Scan<'a>) -> Result<Option<Cow<'a, str>>, Malformed> {
    scan.optional(Scan::string)
}

/// A value as it stands, or none where it is `null`.
fn json<'a>(scan: &mut Scan<'a>) -> Result<Option<&'a str>, Malformed> {
    scan.optional(Scan::raw)
}

/// The members of a request's `_meta` that the protocol itself reads.
///
/// Specification: basic/index, Per-request protocol fields.
#[derive(Debug)]
pub(crate) struct RequestMeta<'a> {
    version: Cow<'a, str>,
    capabilities: Declared,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) progress_token: Option<&'a str>,
}

impl<'a> RequestMeta<'a> {
    fn read(scan: &mut Scan<'a>) -> Result<Self, Malformed> {
        let (mut version, mut client, mut capabilities) = (None, None, None);
        let (mut log_level, mut progress_token) = (None, None);
        scan.object(|scan, key| match key {
            key::PROTOCOL_VERSION => scan.fill(&mut version, Scan::string),
            // Its form is checked here; it is read from the message when a tool asks.
            key::CLIENT_INFO => scan.fill(&mut client, |scan| scan.optional(client_info)),
            key::CLIENT_CAPABILITIES => scan.fill(&mut capabilities, Declared::read),
            key::LOG_LEVEL => scan.fill(&mut log_level, |scan| scan.optional(level)),
            key::PROGRESS_TOKEN => scan.fill(&mut progress_token, json),
            _ => scan.skip(),
        })?;
        Ok(Self {
            version: version.ok_or(Malformed)?,
            capabilities: capabilities.ok_or(Malformed)?,
            log_level: log_level.flatten(),
            progress_token: progress_token.flatten(),
        })
    }

    /// The protocol version, as it came.
    #[cfg(feature = "http")]
    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

/// What a client says of itself: an object with a name and a version.
fn client_info(scan: &mut Scan<'_>) -> Result<(), Malformed> {
    let (mut name, mut version) = (None, None);
    scan.object(|scan, key| match key {
        "name" => scan.fill(&mut name, Scan::string),
        "version" => scan.fill(&mut version, Scan::string),
        _ => scan.skip(),
    })?;
    name.and(version).map(drop).ok_or(Malformed)
}

fn level(scan: &mut Scan<'_>) -> Result<LoggingLevel, Malformed> {
    let name = scan.string()?;
    let name = StrDeserializer::<serde::de::value::Error>::new(&name);
    LoggingLevel::deserialize(name).map_err(|_| Malformed)
}

/// What a client can be asked for: whether each is there.
#[derive(Debug, Default)]
struct Declared {
    elicitation: Option<Elicitation>,
    sampling: Option<Sampling>,
    roots: Option<()>,
}

#[derive(Debug)]
struct Elicitation {
    form: Option<()>,
    url: Option<()>,
}

#[derive(Debug)]
struct Sampling {
    tools: Option<()>,
}

/// Any object, or none where it is `null`.
fn object(scan: &mut Scan<'_>) -> Result<Option<()>, Malformed> {
    scan.optional(|scan| scan.object(|scan, _| scan.skip()))
}

impl Declared {
    fn read(scan: &mut Scan<'_>) -> Result<Self, Malformed> {
        let (mut elicitation, mut sampling, mut roots) = (None, None, None);
        scan.object(|scan, key| match key {
            "elicitation" => scan.fill(&mut elicitation, |scan| scan.optional(Elicitation::read)),
            "sampling" => scan.fill(&mut sampling, |scan| scan.optional(Sampling::read)),
            "roots" => scan.fill(&mut roots, object),
            _ => scan.skip(),
        })?;
        Ok(Self {
            elicitation: elicitation.flatten(),
            sampling: sampling.flatten(),
            roots: roots.flatten(),
        })
    }

    fn kinds(&self) -> Kinds {
        let (form, url) = match &self.elicitation {
            None => (false, false),
            // A bare object means form mode: client/elicitation, Capabilities.
            Some(Elicitation { form, url }) => (form.is_some() || url.is_none(), url.is_some()),
        };
        Kinds::default()
            .with(Kind::Form, form)
            .with(Kind::Url, url)
            .with(Kind::Sampling, self.sampling.is_some())
            .with(Kind::Roots, self.roots.is_some())
            .with_sampling_tools(self.sampling.as_ref().is_some_and(|s| s.tools.is_some()))
    }
}

impl Elicitation {
    fn read(scan: &mut Scan<'_>) -> Result<Self, Malformed> {
        let (mut form, mut url) = (None, None);
        scan.object(|scan, key| match key {
            "form" => scan.fill(&mut form, object),
            "url" => scan.fill(&mut url, object),
            _ => scan.skip(),
        })?;
        Ok(Self {
            form: form.flatten(),
            url: url.flatten(),
        })
    }
}

impl Sampling {
    fn read(scan: &mut Scan<'_>) -> Result<Self, Malformed> {
        let mut tools = None;
        scan.object(|scan, key| match key {
            "tools" => scan.fill(&mut tools, object),
            _ => scan.skip(),
        })?;
        Ok(Self {
            tools: tools.flatten(),
        })
    }
}

/// The kinds that a client's capabilities declare; none where they cannot be read.
pub(crate) fn declared_kinds(capabilities: &str) -> Option<Kinds> {
    let declared = Scan::whole(capabilities, Declared::read).ok()?;
    Some(declared.kinds())
}

/// Whether this can stand as the log level of a request.
pub(crate) fn is_log_level(json: &str) -> bool {
    Scan::whole(json, level).is_ok()
}

/// Whether this can stand as `clientInfo` in a request.
pub(crate) fn is_client_info(json: &str) -> bool {
    Scan::whole(json, client_info).is_ok()
}

/// What a request is made with, once its `_meta` has been checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) revision: Revision,
    pub(crate) kinds: Kinds,
}

impl Params<'_> {
    /// Checks what every request must carry.
    ///
    /// # Errors
    ///
    /// `-32602` where `_meta` is missing, `-32022` where its version is not served.
    pub(crate) fn terms(&self) -> Result<Terms, RpcError> {
        let Some(meta) = &self.meta else {
            return Err(RpcError::invalid_params(legacy::NO_META));
        };
        let Some(revision) = Revision::modern(&meta.version) else {
            return Err(RpcError::unsupported_version(
                &meta.version,
                &Revision::modern_names(),
            ));
        };
        self.check_token()?;
        Ok(Terms {
            revision,
            kinds: meta.capabilities.kinds(),
        })
    }

    /// # Errors
    ///
    /// `-32602` for a progress token that is none.
    pub(crate) fn check_token(&self) -> Result<(), RpcError> {
        let token = self.meta.as_ref().and_then(|meta| meta.progress_token);
        if token.is_none_or(|token| RawId::new(token).is_some()) {
            return Ok(());
        }
        Err(RpcError::invalid_params(
            "`_meta.progressToken` must be a string or an integer",
        ))
    }
}

/// A member that must be a string.
///
/// # Errors
///
/// `-32602` where it is absent or something else.
pub(crate) fn string<'a>(member: Option<&'a str>, name: &str) -> Result<Cow<'a, str>, RpcError> {
    let Some(json) = member else {
        return Err(RpcError::invalid_params(format!("`{name}` is missing")));
    };
    Scan::whole(json, Scan::string)
        .map_err(|Malformed| RpcError::invalid_params(format!("`{name}` must be a string")))
}

/// Says what is wrong with `params` that could not be read.
#[cold]
pub(crate) fn diagnose(params: &str) -> RpcError {
    let (mut meta, mut name, mut uri, mut request_state) = (None, None, None, None);
    let read = Scan::new(params).object(|scan, key| match key {
        "_meta" => scan.fill(&mut meta, Scan::raw),
        "name" => scan.fill(&mut name, json),
        "uri" => scan.fill(&mut uri, json),
        "requestState" => scan.fill(&mut request_state, json),
        _ => scan.skip(),
    });
    let unfit =
        || RpcError::invalid_params("`params` must be an object, each member of which stands once");
    if read.is_err() {
        return unfit();
    }
    for (member, name) in [
        (name, "name"),
        (uri, "uri"),
        (request_state, "requestState"),
    ] {
        if let Some(json) = member.flatten()
            && let Err(error) = string(Some(json), name)
        {
            return error;
        }
    }
    match meta {
        Some(meta) => diagnose_meta(meta).unwrap_or_else(unfit),
        None => unfit(),
    }
}

/// What is wrong with a request's `_meta`, if anything is.
fn diagnose_meta(meta: &str) -> Option<RpcError> {
    let (mut version, mut client, mut capabilities, mut log_level) = (None, None, None, None);
    if !meta.starts_with('{') {
        return Some(RpcError::invalid_params("`_meta` must be an object"));
    }
    let read = Scan::new(meta).object(|scan, key| match key {
        key::PROTOCOL_VERSION => scan.fill(&mut version, Scan::raw),
        key::CLIENT_INFO => scan.fill(&mut client, json),
        key::CLIENT_CAPABILITIES => scan.fill(&mut capabilities, Scan::raw),
        key::LOG_LEVEL => scan.fill(&mut log_level, json),
        _ => scan.skip(),
    });
    if read.is_err() {
        let text = "each member of `_meta` must stand once";
        return Some(RpcError::invalid_params(text));
    }
    type Fits = fn(&str) -> bool;
    // Its JSON, or whether it must be there; then what it must be.
    let members: [(_, _, Fits, _); 4] = [
        (
            key::PROTOCOL_VERSION,
            version.ok_or(true),
            |json| Scan::whole(json, Scan::string).is_ok(),
            "a string",
        ),
        (
            key::CLIENT_CAPABILITIES,
            capabilities.ok_or(true),
            |json| Scan::whole(json, Declared::read).is_ok(),
            "an object whose members, and theirs, are objects",
        ),
        (
            key::CLIENT_INFO,
            client.flatten().ok_or(false),
            is_client_info,
            "an object with `name` and `version`, which are strings",
        ),
        (
            key::LOG_LEVEL,
            log_level.flatten().ok_or(false),
            |json| Scan::whole(json, level).is_ok(),
            "the name of a level, such as `info`",
        ),
    ];
    members.into_iter().find_map(|(key, json, fits, what)| {
        let fault = match json {
            Err(is_required) => is_required.then(|| format!("`{key}` is missing"))?,
            Ok(json) if fits(json) => return None,
            Ok(_) => format!("`{key}` must be {what}"),
        };
        Some(RpcError::invalid_params(format!("`_meta`: {fault}")))
    })
}

/// `-32602` for a member that serde could not read.
pub(super) fn unreadable(member: &str, error: &serde_json::Error) -> RpcError {
    // Messages of serde name the member, and never more of the value than its type.
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    RpcError::invalid_params(format!("`{member}`: {text}"))
}
