//! The directories that a client opens to a server: `roots/list`. Deprecated in the protocol, still served.

use serde::{Deserialize, Deserializer, Serialize};

use super::{JsonObject, Meta};

/// A request for the client's roots.
///
/// Specification: client/roots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", rename = "roots/list")]
pub struct ListRootsRequest {
    /// Parameters, of which there is only metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<ListRootsRequestParams>,
    /// Other members: some peers write the `id` that this request had in earlier revisions.
    #[serde(flatten, deserialize_with = "without_method")]
    pub extra: JsonObject,
}

/// The tag is written by the derive; it must not come back a second time from here.
fn without_method<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JsonObject, D::Error> {
    let mut extra = JsonObject::deserialize(deserializer)?;
    extra.remove("method");
    Ok(extra)
}

/// The parameters of [`ListRootsRequest`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRootsRequestParams {
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The client's roots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
}

/// A directory or file that the server may work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Root {
    /// Where it is; starts with `file://`.
    pub uri: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Root {
    /// A root without a name.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            meta: None,
        }
    }
}
