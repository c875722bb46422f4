//! Resources: `resources/list`, `resources/templates/list` and `resources/read`.

use std::borrow::Cow;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::blob::{self, InvalidBase64};
use super::result::{AlwaysComplete, RoundResult};
use super::wire::{from_variants, present, serialize_content, ttl};
use super::{Annotations, CacheScope, Cursor, Icon, InputResponses, JsonObject, Meta, RequestMeta};

/// A resource that a server can read.
///
/// Specification: server/resources, Resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The resource's URI.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resource is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Icons for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints about use and display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// The raw content's size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Resource {
    /// A resource by URI and name.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: None,
            annotations: None,
            size: None,
            meta: None,
        }
    }
}

/// A family of resources with one form of URI.
///
/// Specification: server/resources, Resource Templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The form of the URIs, an RFC 6570 template.
    pub uri_template: String,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resources are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Their MIME type, if all have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Icons for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints about use and display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ResourceTemplate {
    /// A template by form of URI and name.
    #[must_use]
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: None,
            annotations: None,
            meta: None,
        }
    }
}

/// The contents of a resource: text or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

serialize_content!(ResourceContents { Text, Blob });
from_variants!(ResourceContents { Text(TextResourceContents), Blob(BlobResourceContents) });

impl ResourceContents {
    /// The URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }

    /// The MIME type, if the server gave one.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => contents.mime_type.as_deref(),
            Self::Blob(contents) => contents.mime_type.as_deref(),
        }
    }

    /// The text; `None` for bytes, whatever their MIME type says.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(&contents.text),
            Self::Blob(_) => None,
        }
    }

    /// The bytes: those of the text, or what the Base64 stands for.
    ///
    /// # Errors
    ///
    /// It is no Base64. Padding may be absent, and the URL-safe alphabet is taken as well.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, InvalidBase64> {
        match self {
            Self::Text(contents) => Ok(Cow::Borrowed(contents.text.as_bytes())),
            Self::Blob(contents) => blob::decode(&contents.blob).map(Cow::Owned),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    // Nothing names the kind: it is text if there is a `text`, bytes if there is a `blob`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            uri: String,
            mime_type: Option<String>,
            text: Option<String>,
            blob: Option<String>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }

        let Wire {
            uri,
            mime_type,
            text,
            blob,
            meta,
        } = Wire::deserialize(deserializer)?;
        match (text, blob) {
            (Some(text), None) => Ok(Self::Text(TextResourceContents {
                uri,
                mime_type,
                text,
                meta,
            })),
            (None, Some(blob)) => Ok(Self::Blob(BlobResourceContents {
                uri,
                mime_type,
                blob,
                meta,
            })),
            (None, None) => Err(D::Error::custom(
                "resource contents need a `text` or a `blob`",
            )),
            (Some(_), Some(_)) => Err(D::Error::custom(
                "resource contents cannot have both a `text` and a `blob`",
            )),
        }
    }
}

/// Text that a resource consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextResourceContents {
    /// The resource's URI.
    pub uri: String,
    /// Its MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text.
    pub text: String,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl TextResourceContents {
    /// Text of no particular MIME type.
    #[must_use]
    pub fn new(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            text: text.into(),
            meta: None,
        }
    }
}

/// Bytes that a resource consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobResourceContents {
    /// The resource's URI.
    pub uri: String,
    /// Its MIME type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The bytes in Base64, the standard alphabet with padding.
    pub blob: String,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl BlobResourceContents {
    /// Bytes of no particular MIME type, as Base64 text.
    #[must_use]
    pub fn new(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            blob: blob.into(),
            meta: None,
        }
    }
}

/// One page of the list of resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourcesResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The resources of this page.
    pub resources: Vec<Resource>,
    /// Where the next page begins; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
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
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Nothing, to be asked for again each time, and nobody else's.
impl Default for ListResourcesResult {
    fn default() -> Self {
        Self {
            result_type: AlwaysComplete,
            resources: Vec::new(),
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: JsonObject::new(),
        }
    }
}

/// One page of the list of resource templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourceTemplatesResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The templates of this page.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where the next page begins; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
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
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Nothing, to be asked for again each time, and nobody else's.
impl Default for ListResourceTemplatesResult {
    fn default() -> Self {
        Self {
            result_type: AlwaysComplete,
            resource_templates: Vec::new(),
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: JsonObject::new(),
        }
    }
}

/// Which resource to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceRequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
    /// The resource's URI.
    pub uri: String,
    /// The answers to the previous round's input requests.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub input_responses: Option<InputResponses>,
    /// The state of the previous round, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

impl ReadResourceRequestParams {
    /// A first round, from a client without capabilities.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            meta: RequestMeta::default(),
            uri: uri.into(),
            input_responses: None,
            request_state: None,
        }
    }
}

/// What reading a resource gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The contents of the resource, or of several that belong to it.
    pub contents: Vec<ResourceContents>,
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
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Nothing, to be asked for again each time, and nobody else's.
impl Default for ReadResourceResult {
    fn default() -> Self {
        Self {
            result_type: AlwaysComplete,
            contents: Vec::new(),
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: JsonObject::new(),
        }
    }
}

/// The answer to `resources/read`: a result, or questions to answer first.
pub type ReadResourceResponse = RoundResult<ReadResourceResult>;
