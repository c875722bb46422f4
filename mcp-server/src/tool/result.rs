//! A tool's result and its bytes.

use mcp_core::{
    protocol::{CallToolResult, ContentBlock, Meta},
    rpc::{RpcError, write_json, write_str},
};

/// The result of a tool: content for the model, and structured content for programs.
///
/// Specification: server/tools, Tool Result.
#[derive(Debug, Default)]
pub struct ToolResult {
    pub(crate) content: Content,
    /// The structured content as JSON; its text stands in the content as well.
    pub(crate) structured: Option<String>,
    pub(crate) is_error: bool,
    pub(crate) meta: Option<Meta>,
}

/// What a result says.
#[derive(Debug)]
pub(crate) enum Content {
    /// One text: by far the most results.
    Text(String),
    /// The structured content's JSON, as text.
    Structured,
    Blocks(Vec<ContentBlock>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl ToolResult {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: Content::Text(text.into()),
            ..Self::default()
        }
    }

    /// An error that the model should read.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Structured content that is JSON already.
    pub(crate) fn structured_json(json: String) -> Self {
        Self {
            content: Content::Structured,
            structured: Some(json),
            ..Self::default()
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The text of its first block, if that is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Structured => self.structured.as_deref(),
            Content::Blocks(blocks) => blocks.first().and_then(ContentBlock::as_text),
        }
    }

    /// Roughly how many bytes it has on the wire.
    pub(crate) fn size(&self) -> usize {
        let content = match &self.content {
            Content::Text(text) => text.len(),
            Content::Structured => 0,
            Content::Blocks(blocks) => blocks.iter().map(block_size).sum(),
        };
        content + 2 * self.structured.as_ref().map_or(0, String::len)
    }
}

fn block_size(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Audio(audio) => audio.data.len(),
        // Links and embedded resources are measured by their JSON.
        other => serde_json::to_vec(other).map_or(0, |json| json.len()),
    }
}

impl From<CallToolResult> for ToolResult {
    fn from(result: CallToolResult) -> Self {
        Self {
            content: Content::Blocks(result.content),
            structured: result.structured_content.map(|json| json.get().to_owned()),
            is_error: result.is_error.unwrap_or_default(),
            meta: result.meta,
        }
    }
}

/// What a server's results have in common.
#[derive(Debug)]
pub(crate) struct ResultWriter {
    /// The members that every result ends with, from `_meta`'s opening on: `"k":v}}`.
    pub(crate) server_info: String,
    /// The most bytes of a result.
    pub(crate) limit: usize,
}

/// Appends the value of `result` for a tool's result.
///
/// `wrapped` says that structured content stands under the name `result`.
pub(crate) fn write_result(
    out: &mut Vec<u8>,
    result: &ToolResult,
    wrapped: bool,
    writer: &ResultWriter,
) {
    if result.size() > writer.limit {
        let text = format!(
            "the result has more than {} bytes, which is the server's limit; ask for less",
            writer.limit
        );
        return write_result(out, &ToolResult::error(text), false, writer);
    }
    out.extend_from_slice(br#"{"resultType":"complete","content":["#);
    match &result.content {
        Content::Text(text) => write_text(out, text),
        Content::Structured => {
            let json = result.structured.as_deref().unwrap_or_default();
            if wrapped {
                write_text(out, &wrap(json));
            } else {
                write_text(out, json);
            }
        }
        Content::Blocks(blocks) => {
            for (index, block) in blocks.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_json(out, block);
            }
        }
    }
    out.push(b']');
    if let Some(json) = &result.structured {
        out.extend_from_slice(br#","structuredContent":"#);
        if wrapped && matches!(result.content, Content::Structured) {
            out.extend_from_slice(wrap(json).as_bytes());
        } else {
            out.extend_from_slice(json.as_bytes());
        }
    }
    if result.is_error {
        out.extend_from_slice(br#","isError":true"#);
    }
    writer.write_meta(out, result.meta.as_ref());
}

impl ResultWriter {
    /// The error where a result has no place to say so.
    pub(crate) fn too_large(&self) -> RpcError {
        RpcError::internal_error(format!(
            "the result has more than {} bytes, which is the server's limit",
            self.limit
        ))
    }

    /// Appends the end of a result: its `_meta`, with the server's name in it.
    pub(crate) fn write_meta(&self, out: &mut Vec<u8>, meta: Option<&Meta>) {
        out.extend_from_slice(br#","_meta":{"#);
        for (key, value) in meta.into_iter().flatten() {
            // The server's own name is not a function's to give.
            if key != "io.modelcontextprotocol/serverInfo" {
                write_json(out, key);
                out.push(b':');
                write_json(out, value);
                out.push(b',');
            }
        }
        out.extend_from_slice(self.server_info.as_bytes());
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    write_str(out, text);
    out.push(b'}');
}

/// Puts what is no object under the name `result`.
pub(crate) fn wrap(json: &str) -> String {
    format!(r#"{{"result":{json}}}"#)
}
