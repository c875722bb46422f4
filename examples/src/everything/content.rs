//! Tools that show what a result may be: text, images, sounds, resources, errors; and what may come before
//! it: progress and log messages.

use std::time::Duration;

use mcp_server::{
    Audio, ContentBlock, EmbeddedResource, Image, LoggingLevel, ToolSet, prelude::*,
    protocol::TextResourceContents,
};
use tokio::time::sleep;

/// A red dot.
pub(super) const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x08, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xDD, 0x8D, 0xB0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E,
    0x44, 0xAE, 0x42, 0x60, 0x82,
];

/// Silence: a WAV file without samples.
const WAV: &[u8] =
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x80\x3E\0\0\x02\0\x10\0data\0\0\0\0";

/// How long a step of the tools takes that report on their way.
const STEP: Duration = Duration::from_millis(50);

pub(super) fn tools() -> ToolSet {
    tools![
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_error_handling,
        test_tool_with_progress,
        test_tool_with_logging,
        test_logging_tool,
        test_reconnection,
        test_header_parameter,
    ]
}

/// Gives a text.
#[tool(read_only)]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

pub(super) fn red_dot() -> Image {
    Image {
        bytes: PNG.to_vec(),
        mime_type: "image/png".into(),
    }
}

/// Gives an image.
#[tool(read_only)]
async fn test_image_content() -> Image {
    red_dot()
}

/// Gives a sound.
#[tool(read_only)]
async fn test_audio_content() -> Audio {
    Audio {
        bytes: WAV.to_vec(),
        mime_type: "audio/wav".into(),
    }
}

fn resource(uri: &str, mime_type: &str, text: &str) -> EmbeddedResource {
    EmbeddedResource::new(TextResourceContents {
        mime_type: Some(mime_type.to_owned()),
        ..TextResourceContents::new(uri, text)
    })
}

/// Gives a resource with its contents.
#[tool(read_only)]
async fn test_embedded_resource() -> EmbeddedResource {
    resource(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

/// Gives a text, an image and a resource.
#[tool(read_only)]
async fn test_multiple_content_types() -> Vec<ContentBlock> {
    vec![
        "Multiple content types test:".into(),
        red_dot().into(),
        resource(
            "test://mixed-content-resource",
            "application/json",
            r#"{"test":"data","value":123}"#,
        )
        .into(),
    ]
}

/// Fails.
#[tool(read_only)]
async fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::new(
        "This tool intentionally returns an error for testing",
    ))
}

/// Reports how far it is, twice on the way.
#[tool(read_only)]
async fn test_tool_with_progress(ctx: Context) -> &'static str {
    ctx.progress((0.0, 100.0));
    sleep(STEP).await;
    ctx.progress((50.0, 100.0));
    sleep(STEP).await;
    ctx.progress((100.0, 100.0));
    "Progress reported."
}

/// Logs what it does, for clients that want to know.
#[tool(read_only)]
async fn test_tool_with_logging(ctx: Context) -> &'static str {
    ctx.log(LoggingLevel::Info, "Tool execution started");
    sleep(STEP).await;
    ctx.log(LoggingLevel::Info, "Tool processing data");
    sleep(STEP).await;
    ctx.log(LoggingLevel::Info, "Tool execution completed");
    "Logged."
}

/// Logs once.
#[tool(read_only)]
async fn test_logging_tool(ctx: Context) -> &'static str {
    ctx.log(LoggingLevel::Info, "A message for whoever asked for it");
    "Logged, if you asked for it."
}

/// Ends the connection that waits for it, and finishes afterwards; the client fetches the result with another one. There
/// is nothing to end but over HTTP, for clients of 2025-11-25.
#[tool(read_only)]
async fn test_reconnection(ctx: Context) -> &'static str {
    ctx.close_stream();
    sleep(2 * STEP).await;
    "Reconnection test completed successfully."
}

/// Takes an argument that HTTP clients repeat in the header `Mcp-Param-Value`.
#[tool(read_only)]
async fn test_header_parameter(
    /// Anything.
    #[header("Value")]
    value: String,
) -> String {
    value
}
