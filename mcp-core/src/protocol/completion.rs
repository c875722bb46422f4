//! Suggestions for the arguments of prompts and resource templates: `completion/complete`.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::result::AlwaysComplete;
use super::wire::{from_variants, present, serialize_content};
use super::{JsonObject, Meta, RequestMeta};
use crate::rpc::ByName;

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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt's.
    Prompt(PromptReference),
    /// A resource template's.
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

impl<'de> Deserialize<'de> for CompletionReference {
    // All members at once: a derived enum would buffer them until it knows the type.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ByName(members) = ByName::<Members>::deserialize(deserializer)?;
        members.reference().map_err(D::Error::custom)
    }
}

/// The members of all types of references. Those that a type does not have may be anything.
#[derive(Deserialize)]
#[serde(expecting = "internally tagged enum CompletionReference")]
struct Members {
    r#type: Type,
    #[serde(default, deserialize_with = "present")]
    name: Option<Value>,
    title: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    uri: Option<Value>,
}

#[derive(Deserialize)]
#[serde(variant_identifier)]
enum Type {
    #[serde(rename = "ref/prompt")]
    Prompt,
    #[serde(rename = "ref/resource")]
    ResourceTemplate,
}

impl Members {
    fn reference(self) -> Result<CompletionReference, serde_json::Error> {
        let required = |member: Option<Value>, name: &'static str| match member {
            Some(value) => String::deserialize(value),
            None => Err(serde_json::Error::missing_field(name)),
        };
        Ok(match self.r#type {
            Type::Prompt => CompletionReference::Prompt(PromptReference {
                name: required(self.name, "name")?,
                title: self.title.map(String::deserialize).transpose()?,
            }),
            Type::ResourceTemplate => {
                CompletionReference::ResourceTemplate(ResourceTemplateReference {
                    uri: required(self.uri, "uri")?,
                })
            }
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_str, json, to_value};

    use super::CompletionReference;

    fn error(json: &str) -> String {
        match from_str::<CompletionReference>(json) {
            Ok(reference) => panic!("{json} is read as {reference:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_type_decides_which_members_count_wherever_it_stands() {
        let cases: [(Value, Value); 3] = [
            (
                json!({"name": "a", "type": "ref/prompt", "uri": 5, "other": null}),
                json!({"type": "ref/prompt", "name": "a"}),
            ),
            (
                json!({"type": "ref/prompt", "name": "a", "title": "A"}),
                json!({"type": "ref/prompt", "name": "a", "title": "A"}),
            ),
            (
                json!({"name": [], "title": {}, "uri": "a://{b}", "type": "ref/resource"}),
                json!({"type": "ref/resource", "uri": "a://{b}"}),
            ),
        ];
        for (given, expected) in cases {
            for reference in [
                serde_json::from_value::<CompletionReference>(given.clone()).ok(),
                from_str(&given.to_string()).ok(),
            ] {
                assert_eq!(to_value(reference).ok(), Some(expected.clone()), "{given}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, expected) in [
            (r#"{"name":"a"}"#, "missing field `type`"),
            (
                r#"{"type":"ref/tool","name":"a"}"#,
                "unknown variant `ref/tool`, expected `ref/prompt` or `ref/resource`",
            ),
            (r#"{"type":"ref/prompt","uri":"a"}"#, "missing field `name`"),
            (
                r#"{"type":"ref/prompt","name":null}"#,
                "invalid type: null, expected a string",
            ),
            (
                r#"{"type":"ref/prompt","name":"a","title":1}"#,
                "invalid type: integer `1`, expected a string",
            ),
            (r#"{"type":"ref/resource"}"#, "missing field `uri`"),
            (
                r#"{"type":"ref/resource","uri":"a","uri":"b"}"#,
                "duplicate field `uri`",
            ),
            (r#"["ref/prompt","a"]"#, "invalid type: sequence"),
        ] {
            let error = error(json);
            assert!(error.starts_with(expected), "{json}: {error}");
        }
    }
}
