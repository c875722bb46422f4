//! Suggestions for the arguments of prompts and resource templates: `completion/complete`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::result::AlwaysComplete;
use super::wire::{from_variants, serialize_content};
use super::{JsonObject, Meta, RequestMeta};

/// What to complete.
///
/// Specification: server/utilities/completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteRequestParams {
    /// Metadata.
    #[serde(rename = "_meta")]
    pub meta: RequestMeta,
    /// Whose argument it is; `ref` on the wire.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument.
    pub argument: CompletionArgument,
    /// What has been filled in already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
}

impl CompleteRequestParams {
    /// An argument and what was typed so far, from a client without capabilities.
    #[must_use]
    pub fn new(
        reference: impl Into<CompletionReference>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            meta: RequestMeta::default(),
            reference: reference.into(),
            argument: CompletionArgument {
                name: name.into(),
                value: value.into(),
            },
            context: None,
        }
    }
}

/// Whose argument is completed. The schema has no name for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt's.
    #[serde(rename = "ref/prompt")]
    Prompt(PromptReference),
    /// A resource template's.
    #[serde(rename = "ref/resource")]
    ResourceTemplate(ResourceTemplateReference),
}

serialize_content!(CompletionReference {
    Prompt,
    ResourceTemplate
});
from_variants!(CompletionReference {
    Prompt(PromptReference),
    ResourceTemplate(ResourceTemplateReference),
});

impl CompletionReference {
    /// An argument of the prompt of this name.
    #[must_use]
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt(PromptReference {
            name: name.into(),
            title: None,
        })
    }

    /// A variable of this URI template.
    #[must_use]
    pub fn resource(uri_template: impl Into<String>) -> Self {
        Self::ResourceTemplate(ResourceTemplateReference {
            uri: uri_template.into(),
        })
    }
}

/// Names a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "ref/prompt", rename_all = "camelCase")]
pub struct PromptReference {
    /// The name for programs.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Names a resource template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "ref/resource", rename_all = "camelCase")]
pub struct ResourceTemplateReference {
    /// The URI or URI template.
    pub uri: String,
}

/// The argument to complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What was typed so far.
    pub value: String,
}

/// What has been filled in already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionContext {
    /// The other arguments by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
}

/// Suggestions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// Always complete.
    #[serde(default)]
    pub result_type: AlwaysComplete,
    /// The suggestions.
    pub completion: Completion,
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this revision does not define.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The suggestions of a [`CompleteResult`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The values, at most [`Completion::MAX_VALUES`] of them.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    /// The most values that one result may carry.
    pub const MAX_VALUES: usize = 100;
}
