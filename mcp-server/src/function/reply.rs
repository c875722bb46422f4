//! [`Reply`]: what a call comes to, of whatever kind the function is.

use mcp_core::protocol::{GetPromptResult, ReadResourceResult};

use crate::tool::ToolResult;

/// The result of a call: of a tool, a prompt or a resource. Layers see it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply {
    /// Of `tools/call`.
    Tool(ToolResult),
    /// Of `prompts/get`.
    Prompt(Box<GetPromptResult>),
    /// Of `resources/read`.
    Resource(Box<ReadResourceResult>),
}

impl Reply {
    /// Whether it is a tool's error.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Tool(result) if result.is_error())
    }

    /// Roughly how many bytes its content has on the wire.
    pub(crate) fn size(&self) -> usize {
        fn json(content: &impl serde::Serialize) -> usize {
            serde_json::to_vec(content).map_or(0, |json| json.len())
        }
        match self {
            Self::Tool(result) => result.size(),
            Self::Prompt(result) => json(&result.messages),
            Self::Resource(result) => json(&result.contents),
        }
    }

    /// The tool's result, if it is one.
    pub fn as_tool(&self) -> Option<&ToolResult> {
        match self {
            Self::Tool(result) => Some(result),
            _ => None,
        }
    }
}

impl From<ToolResult> for Reply {
    fn from(result: ToolResult) -> Self {
        Self::Tool(result)
    }
}

impl From<GetPromptResult> for Reply {
    fn from(result: GetPromptResult) -> Self {
        Self::Prompt(Box::new(result))
    }
}

impl From<ReadResourceResult> for Reply {
    fn from(result: ReadResourceResult) -> Self {
        Self::Resource(Box::new(result))
    }
}
