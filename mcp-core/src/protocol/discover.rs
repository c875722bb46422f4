//! What a server is and can do: `server/discover`.

use serde::{Deserialize, Serialize};

use super::result::AlwaysComplete;
use super::wire::ttl;
use super::{CacheScope, JsonObject, Meta, RequestMeta, ServerCapabilities};
use crate::Revision;

/// The parameters of a request that has none but its metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
}

/// What a server is and can do.
///
/// Specification: server/discover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The revisions that the server speaks. Not [`Revision`]s, because there may be some we do not know.
    pub supported_versions: Vec<String>,
    /// What it offers.
    pub capabilities: ServerCapabilities,
    /// How to use it, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How long the client may keep the result, in milliseconds. Must be there; a peer that leaves it out means 0.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "ttl"
    )]
    pub ttl_ms: Option<u64>,
    /// Who may share it. Must be there; a peer that leaves it out means [`CacheScope::Private`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// Metadata, which should name the server.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl DiscoverResult {
    /// A server with these capabilities that speaks all [modern](Revision::MODERN) revisions.
    #[must_use]
    pub fn new(capabilities: ServerCapabilities) -> Self {
        Self {
            result_type: AlwaysComplete,
            supported_versions: Revision::MODERN.iter().map(ToString::to_string).collect(),
            capabilities,
            instructions: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: JsonObject::new(),
        }
    }
}
