//! Sampling from the client's language model: `sampling/createMessage`. Deprecated in the protocol, still served.

use std::borrow::Cow;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::wire::{from_variants, optional_number, present, serialize_content};
use super::{AudioContent, ContentBlock, ImageContent, JsonObject, Meta, Role, TextContent, Tool};
use crate::text::joined;

/// A request to sample from the client's language model.
///
/// Specification: client/sampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename = "sampling/createMessage")]
pub struct CreateMessageRequest {
    /// What to sample.
    pub params: CreateMessageRequestParams,
}

impl CreateMessageRequest {
    /// A request with these parameters.
    #[must_use]
    pub fn new(params: CreateMessageRequestParams) -> Self {
        Self { params }
    }
}

/// What to sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageRequestParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// Which model to prefer; the client decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// A system prompt; the client may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whose context to add. Best left out: all but `none` is deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// The sampling temperature.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub temperature: Option<f64>,
    /// At most so many tokens.
    pub max_tokens: u64,
    /// Texts at which to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Data for the model's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// Tools that the model may use. Only for clients that declare `sampling.tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// How the model may use them. Only for clients that declare `sampling.tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

impl CreateMessageRequestParams {
    /// A conversation and the most tokens to add to it.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
        }
    }
}

/// Whose context to add to a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum IncludeContext {
    /// Nobody's.
    None,
    /// That of the server that asks. Deprecated.
    ThisServer,
    /// That of all servers. Deprecated.
    AllServers,
}

/// How the model may use tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolChoice {
    /// Absent means [`ToolChoiceMode::Auto`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

/// Whether the model must use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// It must use one before it completes.
    Required,
    /// It must not.
    None,
}

/// Which model to prefer. Advice only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names; the first match counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much cost matters, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub speed_priority: Option<f64>,
    /// How much intelligence matters, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "optional_number"
    )]
    pub intelligence_priority: Option<f64>,
}

/// A hint at a model. Other members are between server and client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelHint {
    /// Part of the model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Members that this revision leaves open.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// One message to or from a language model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingMessage {
    /// A message of one block.
    #[must_use]
    pub fn new(role: Role, content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self {
            role,
            content: SamplingContent::One(Box::new(content.into())),
            meta: None,
        }
    }
}

/// The content of a message: one block, or a list of them. The schema has no name for it.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingContent {
    /// One block, written without a list around it.
    One(Box<SamplingMessageContentBlock>),
    /// A list of blocks.
    Many(Vec<SamplingMessageContentBlock>),
}

serialize_content!(SamplingContent { One, Many });

impl SamplingContent {
    /// The blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[SamplingMessageContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A block is an object, so the first look decides; an untagged enum would lose the block's own error.
        let value = Value::deserialize(deserializer)?;
        if value.is_array() {
            return Vec::deserialize(value)
                .map(Self::Many)
                .map_err(serde::de::Error::custom);
        }
        SamplingMessageContentBlock::deserialize(value)
            .map(|block| Self::One(Box::new(block)))
            .map_err(serde::de::Error::custom)
    }
}

/// One block of a message to or from a language model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingMessageContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The model uses a tool.
    ToolUse(ToolUseContent),
    /// What the tool gave.
    ToolResult(ToolResultContent),
}

serialize_content!(SamplingMessageContentBlock {
    Text,
    Image,
    Audio,
    ToolUse,
    ToolResult
});
from_variants!(SamplingMessageContentBlock {
    Text(TextContent),
    Image(ImageContent),
    Audio(AudioContent),
    ToolUse(ToolUseContent),
    ToolResult(ToolResultContent),
});

/// The model's use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "tool_use", rename_all = "camelCase")]
pub struct ToolUseContent {
    /// Ties the result to this use.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub input: JsonObject,
    /// Metadata, to be kept when the message is sent again.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What a tool gave to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "tool_result", rename_all = "camelCase")]
pub struct ToolResultContent {
    /// The id of the use.
    pub tool_use_id: String,
    /// The result for the model.
    pub content: Vec<ContentBlock>,
    /// The result for programs: any JSON value, `null` included.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub structured_content: Option<Value>,
    /// Whether the use failed. Absent means `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Metadata, to be kept when the message is sent again.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What the language model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// The model's name.
    pub model: String,
    /// Why it stopped, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CreateMessageResult {
    /// One block that this model said.
    #[must_use]
    pub fn new(model: impl Into<String>, content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self {
            role: Role::Assistant,
            content: SamplingContent::One(Box::new(content.into())),
            model: model.into(),
            stop_reason: None,
            meta: None,
        }
    }

    /// The text of its text blocks, one below the other.
    #[must_use]
    pub fn text(&self) -> String {
        let mut texts = Vec::new();
        for block in self.content.blocks() {
            if let SamplingMessageContentBlock::Text(content) = block {
                texts.push(content.text.as_str());
            }
        }
        joined(&texts, "\n")
    }
}

/// Why a language model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Cow<'_, str>", into = "String")]
#[non_exhaustive]
pub enum StopReason {
    /// The natural end of its turn.
    EndTurn,
    /// One of the texts at which to stop.
    StopSequence,
    /// No more tokens were allowed.
    MaxTokens,
    /// It wants to use tools.
    ToolUse,
    /// A reason of the model's provider.
    Other(String),
}

impl StopReason {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "endTurn",
            Self::StopSequence => "stopSequence",
            Self::MaxTokens => "maxTokens",
            Self::ToolUse => "toolUse",
            Self::Other(reason) => reason,
        }
    }
}

impl From<Cow<'_, str>> for StopReason {
    fn from(reason: Cow<'_, str>) -> Self {
        match &*reason {
            "endTurn" => Self::EndTurn,
            "stopSequence" => Self::StopSequence,
            "maxTokens" => Self::MaxTokens,
            "toolUse" => Self::ToolUse,
            _ => Self::Other(reason.into_owned()),
        }
    }
}

impl From<StopReason> for String {
    fn from(reason: StopReason) -> Self {
        reason.as_str().to_owned()
    }
}
