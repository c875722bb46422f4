//! Resources: text, bytes, one to watch, and a template with a variable.

use std::time::Duration;

use mcp_server::{Cached, ResourceSet, prelude::*};

use super::content::PNG;

pub(super) fn resources() -> ResourceSet {
    resources![static_text, static_binary, watched, template]
}

/// A text, which anybody may keep for an hour.
#[resource("test://static-text", name = "Static text", mime_type = "text/plain")]
async fn static_text() -> Cached<&'static str> {
    let text = "This is the content of the static text resource.";
    Cached::public(text, Duration::from_secs(60 * 60))
}

/// An image.
#[resource(
    "test://static-binary",
    name = "Static binary",
    mime_type = "image/png"
)]
async fn static_binary() -> &'static [u8] {
    PNG
}

/// Something that changes; see `test_trigger_resource_change`.
#[resource("test://watched-resource", name = "Watched", mime_type = "text/plain")]
async fn watched() -> &'static str {
    "Watched resource content"
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

/// Data of a record.
#[resource(
    "test://template/{id}/data",
    name = "Data of a record",
    mime_type = "application/json"
)]
async fn template(
    /// The record.
    #[complete("123", "456")]
    id: String,
) -> Json<Data> {
    Json(Data {
        data: format!("Data for ID: {id}"),
        template_test: true,
        id,
    })
}
