//! Lists in pages.

use serde::{Deserialize, Serialize};

use super::RequestMeta;

/// Where a page begins. Only the server knows what it means.
///
/// Specification: server/utilities/pagination.
pub type Cursor = String;

/// The parameters of a request for one page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaginatedRequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
    /// Where the page begins; absent for the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}
