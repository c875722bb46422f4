//! The kinds of functions that a server offers: one macro each.

use quote::ToTokens;
use syn::Attribute;

use crate::syntax::attribute_name;

/// Which macro is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Tool, Self::Prompt, Self::Resource];

    /// The attribute's name, which is also what the thing is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// The attribute as one writes it on a function.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Tool => "#[tool]",
            Self::Prompt => "#[prompt]",
            Self::Resource => "#[resource(\"..\")]",
        }
    }

    /// Every key that its attribute takes.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Tool => &[
                "name",
                "title",
                "description",
                "icons",
                "read_only",
                "destructive",
                "idempotent",
                "open_world",
                "once",
                "timeout",
                "extra",
                "input_schema",
                "handle",
                "crate",
            ],
            Self::Prompt => &[
                "name",
                "title",
                "description",
                "icons",
                "once",
                "timeout",
                "extra",
                "handle",
                "crate",
            ],
            Self::Resource => &[
                "name",
                "title",
                "description",
                "icons",
                "mime_type",
                "size",
                "audience",
                "priority",
                "last_modified",
                "once",
                "timeout",
                "handle",
                "crate",
            ],
        }
    }

    /// Why a key of another kind is none of this one, and what to do.
    pub(super) fn refusal(self, key: &str) -> Option<String> {
        let owner = Self::ALL
            .into_iter()
            .find(|kind| kind.keys().contains(&key))?;
        Some(match (self, key) {
            (_, "read_only" | "destructive" | "idempotent" | "open_world") => {
                format!(
                    "`{key}` is a hint about tools, and a {} has none: remove it",
                    self.name()
                )
            }
            (Self::Prompt, "input_schema") => {
                "a prompt has no schema, its arguments are its parameters: remove `input_schema`"
                    .to_owned()
            }
            (Self::Resource, "input_schema" | "extra") => format!(
                "a resource takes the variables of its URI template and no others: remove `{key}`"
            ),
            _ => format!(
                "`{key}` is a key of `{}`, and this is a {}: remove it",
                owner.name(),
                self.name()
            ),
        })
    }

    /// Whether an attribute is the mark of this kind, under any path.
    pub(super) fn is_mark(self, attribute: &Attribute) -> bool {
        attribute_name(attribute).is_some_and(|name| name == self.name())
    }

    /// The mark of another kind among attributes.
    pub(super) fn other_mark(self, attributes: &[Attribute]) -> Option<&Attribute> {
        let is_other = |attribute: &&Attribute| {
            Self::ALL
                .into_iter()
                .any(|kind| kind != self && kind.is_mark(attribute))
        };
        attributes.iter().find(is_other)
    }

    /// What to say where a function has a second mark.
    pub(super) fn conflict(self, other: &Attribute) -> String {
        let other = other.path().to_token_stream().to_string().replace(' ', "");
        format!(
            "a function is of one kind, and this one is a {} already: remove `#[{other}]`, and write a function for it that calls this one",
            self.name()
        )
    }
}
