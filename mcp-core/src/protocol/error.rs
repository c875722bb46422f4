//! The `data` of the errors that the protocol defines.

use serde::{Deserialize, Serialize};

use super::ClientCapabilities;

/// The `data` of error `-32022`: the request's revision is none that the server speaks.
///
/// Specification: basic/versioning, Protocol Version Negotiation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsupportedProtocolVersionData {
    /// The revisions that the server speaks.
    pub supported: Vec<String>,
    /// What the client asked for.
    pub requested: String,
}

/// The `data` of error `-32021`: the client did not declare a capability that the request needs.
///
/// Specification: basic/index, Capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingRequiredClientCapabilityData {
    /// The capabilities that the request needs.
    pub required_capabilities: ClientCapabilities,
}
