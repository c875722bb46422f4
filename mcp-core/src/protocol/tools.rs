//! Tools: `tools/list` and `tools/call`.

use serde::{Deserialize, Serialize};

use super::result::{AlwaysComplete, RoundResult};
use super::wire::{object, present, ttl};
use super::{
    CacheScope, ContentBlock, Cursor, Icon, InputResponses, JsonObject, Meta, RawJson, RequestMeta,
};

/// A tool that clients can call.
///
/// Specification: server/tools, Tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name for programs.
    pub name: String,
    /// The name for people; goes before the one in the annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the tool does, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of the arguments, `"type": "object"` at its root.
    pub input_schema: JsonObject,
    /// The JSON Schema of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonObject>,
    /// Icons for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints about the tool's behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Tool {
    /// A tool by name and schema of its arguments, which must have `"type": "object"` at its root.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: JsonObject) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            icons: None,
            annotations: None,
            meta: None,
        }
    }

    /// The name to show: title, else the annotations' title, else name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref()?.title.as_deref();
        self.title
            .as_deref()
            .or_else(annotated)
            .unwrap_or(&self.name)
    }
}

/// Hints about a tool's behaviour. Only hints: a client must not trust those of a server it does not trust.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool changes nothing. Absent means `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may destroy something; means nothing on a read-only one. Absent means `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// A second call with the same arguments changes nothing more; means nothing on a read-only tool. Absent
    /// means `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool reaches out to an open world of things. Absent means `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// One page of the list of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListToolsResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The tools of this page.
    pub tools: Vec<Tool>,
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
impl Default for ListToolsResult {
    fn default() -> Self {
        Self {
            result_type: AlwaysComplete,
            tools: Vec::new(),
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: JsonObject::new(),
        }
    }
}

/// A call of a tool, or a later round of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolRequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
    /// The tool's name.
    pub name: String,
    /// The arguments, an object; absent means none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "object"
    )]
    pub arguments: Option<RawJson>,
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

impl CallToolRequestParams {
    /// A first round without arguments, from a client without capabilities.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            meta: RequestMeta::default(),
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
        }
    }

    /// The same call with these arguments, which must be an object.
    #[must_use]
    pub fn with_arguments(mut self, arguments: impl Into<RawJson>) -> Self {
        self.arguments = Some(arguments.into());
        self
    }
}

/// What a tool gave.
///
/// Specification: server/tools, Tool Result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The result for the model.
    pub content: Vec<ContentBlock>,
    /// The result for programs: any JSON value, `null` included.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub structured_content: Option<RawJson>,
    /// Whether the call failed; the content then says how. Absent means `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl CallToolResult {
    /// A success of these blocks.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// A success of one block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// A failure, with a text from which the model can tell what to do.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: Some(true),
            ..Self::text(text)
        }
    }

    /// A success of one JSON value, and the same JSON as text for clients that read only that.
    #[must_use]
    pub fn structured(value: impl Into<RawJson>) -> Self {
        let value = value.into();
        Self {
            structured_content: Some(value.clone()),
            ..Self::text(value.get())
        }
    }
}

/// The answer to `tools/call`: a result, or questions to answer first.
pub type CallToolResponse = RoundResult<CallToolResult>;
