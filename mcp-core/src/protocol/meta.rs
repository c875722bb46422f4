//! `_meta`: what travels beside the payload, with every key the protocol reserves in one place.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::{ClientCapabilities, Implementation, LoggingLevel};
use crate::Revision;
use crate::rpc::{ProgressToken, RequestId};

/// The contents of a `_meta` member: any keys, some of them reserved (see [`key`]).
///
/// Specification: basic/index, General fields, `_meta`.
pub type Meta = Map<String, Value>;

/// The names of the `_meta` members that the protocol defines.
pub mod key {
    /// The revision that a request is written in.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// Which software sent a request.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// What the client can do for this request.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// From which level on the client wants log messages of this request.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// Which software answered.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The id of the `subscriptions/listen` request whose stream a notification belongs to.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// The token for progress notifications.
    pub const PROGRESS_TOKEN: &str = "progressToken";
    /// The trace that a request is part of, as in W3C Trace Context.
    pub const TRACEPARENT: &str = "traceparent";
    /// Vendors' data about that trace, as in W3C Trace Context.
    pub const TRACESTATE: &str = "tracestate";
    /// Data that travels with the trace, as in W3C Baggage.
    pub const BAGGAGE: &str = "baggage";

    /// Whether a member of `_meta` may have this name: a prefix that ends with a slash, or none, and a name, as in
    /// `com.example/name`.
    ///
    /// ```
    /// use mcp_core::protocol::meta::key;
    ///
    /// assert!(key::is_valid("com.example/thing") && key::is_valid("thing"));
    /// assert!(!key::is_valid("com.example/a/b") && !key::is_valid("1st.example/thing"));
    /// ```
    ///
    /// Specification: basic/index, `_meta`, Key name format.
    #[must_use]
    pub fn is_valid(name: &str) -> bool {
        match name.split_once('/') {
            Some((prefix, name)) => prefix.split('.').all(is_label) && is_name(name),
            None => is_name(name),
        }
    }

    /// A part of a prefix, between dots.
    fn is_label(label: &str) -> bool {
        label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label.ends_with(|c: char| c.is_ascii_alphanumeric())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    }

    fn is_name(name: &str) -> bool {
        let ends = |c: char| c.is_ascii_alphanumeric();
        name.is_empty()
            || name.starts_with(ends)
                && name.ends_with(ends)
                && name
                    .chars()
                    .all(|c| ends(c) || matches!(c, '-' | '_' | '.'))
    }
}

/// The `_meta` of a request. Each request says for itself who sends it and what the sender can do.
///
/// The schema calls it `RequestMetaObject`. Specification: basic/index, Per-request protocol fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMeta {
    /// The revision that the request is written in. Not a [`Revision`], because it may be one we do not know.
    pub protocol_version: String,
    /// What the client can do for this request; nothing may be inferred from earlier ones.
    pub client_capabilities: ClientCapabilities,
    /// Which software the client is. For display and logs: it is not verified.
    pub client_info: Option<Implementation>,
    /// From which level on log messages are wanted; without it none may be sent.
    pub log_level: Option<LoggingLevel>,
    /// The token for progress notifications; without it none may be sent.
    pub progress_token: Option<ProgressToken>,
    /// Everything else, trace context included.
    pub extra: Meta,
}

impl RequestMeta {
    /// The `_meta` of a client with these capabilities, in the newest revision.
    #[must_use]
    pub fn new(client_capabilities: ClientCapabilities) -> Self {
        Self {
            protocol_version: Revision::LATEST.as_str().to_owned(),
            client_capabilities,
            client_info: None,
            log_level: None,
            progress_token: None,
            extra: Meta::new(),
        }
    }

    /// The revision, if it is one that we speak. A legacy one has no place in `_meta`: see [`Revision::is_legacy`].
    ///
    /// # Errors
    ///
    /// It is not; the error names what was asked for and what there is.
    pub fn revision(&self) -> Result<Revision, crate::revision::UnsupportedRevision> {
        self.protocol_version.parse()
    }

    /// The trace that the request is part of, as in W3C Trace Context.
    #[must_use]
    pub fn traceparent(&self) -> Option<&str> {
        self.extra.get(key::TRACEPARENT)?.as_str()
    }

    /// Vendors' data about that trace.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.extra.get(key::TRACESTATE)?.as_str()
    }

    /// Data that travels with the trace, as in W3C Baggage.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.extra.get(key::BAGGAGE)?.as_str()
    }
}

/// A client without capabilities, in the newest revision.
impl Default for RequestMeta {
    fn default() -> Self {
        Self::new(ClientCapabilities::default())
    }
}

impl Serialize for RequestMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(key::PROTOCOL_VERSION, &self.protocol_version)?;
        map.serialize_entry(key::CLIENT_CAPABILITIES, &self.client_capabilities)?;
        if let Some(info) = &self.client_info {
            map.serialize_entry(key::CLIENT_INFO, info)?;
        }
        if let Some(level) = &self.log_level {
            map.serialize_entry(key::LOG_LEVEL, level)?;
        }
        if let Some(token) = &self.progress_token {
            map.serialize_entry(key::PROGRESS_TOKEN, token)?;
        }
        for (key, value) in &self.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RequestMeta {
    // By hand: every request has one, and a derived `flatten` would buffer it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MetaVisitor;

        impl<'de> Visitor<'de> for MetaVisitor {
            type Value = RequestMeta;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the `_meta` object of a request")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RequestMeta, A::Error> {
                let mut protocol_version = None;
                let mut client_capabilities = None;
                let mut client_info = None;
                let mut log_level = None;
                let mut progress_token = None;
                let mut extra = Meta::new();
                while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    match &*name {
                        key::PROTOCOL_VERSION => protocol_version = Some(map.next_value()?),
                        key::CLIENT_CAPABILITIES => client_capabilities = Some(map.next_value()?),
                        key::CLIENT_INFO => client_info = map.next_value()?,
                        key::LOG_LEVEL => log_level = map.next_value()?,
                        key::PROGRESS_TOKEN => progress_token = Some(map.next_value()?),
                        _ => {
                            extra.insert(name.into_owned(), map.next_value()?);
                        }
                    }
                }
                Ok(RequestMeta {
                    protocol_version: protocol_version
                        .ok_or_else(|| A::Error::missing_field(key::PROTOCOL_VERSION))?,
                    client_capabilities: client_capabilities
                        .ok_or_else(|| A::Error::missing_field(key::CLIENT_CAPABILITIES))?,
                    client_info,
                    log_level,
                    progress_token,
                    extra,
                })
            }
        }

        deserializer.deserialize_map(MetaVisitor)
    }
}

/// The `_meta` of a notification.
///
/// The schema calls it `NotificationMetaObject`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NotificationMeta {
    /// The id of the `subscriptions/listen` request whose stream the notification belongs to; absent on
    /// notifications that belong to no stream.
    #[serde(
        rename = "io.modelcontextprotocol/subscriptionId",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub subscription_id: Option<RequestId>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: Meta,
}

impl NotificationMeta {
    /// The `_meta` of a notification on the stream that this request opened.
    #[must_use]
    pub fn of_subscription(id: impl Into<RequestId>) -> Self {
        Self {
            subscription_id: Some(id.into()),
            extra: Meta::new(),
        }
    }
}

/// Typed access to what the protocol defines in the `_meta` of a result.
///
/// The schema calls that object `ResultMetaObject`. It stays a plain map, because a mistake in it must not cost
/// the client a result.
pub trait ResultMeta {
    /// Which software answered, if it says so in a readable way. For display and logs: it is not verified.
    fn server_info(&self) -> Option<Implementation>;

    /// Says which software answers.
    fn set_server_info(&mut self, info: &Implementation);
}

impl ResultMeta for Meta {
    #[inline] // Clients alone read and write it by this way.
    fn server_info(&self) -> Option<Implementation> {
        Implementation::deserialize(self.get(key::SERVER_INFO)?).ok()
    }

    #[inline]
    fn set_server_info(&mut self, info: &Implementation) {
        let info =
            serde_json::to_value(info).expect("strings and lists of strings have a JSON form");
        self.insert(key::SERVER_INFO.to_owned(), info);
    }
}
