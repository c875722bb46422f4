//! Asking the user, by a form or by a URL: `elicitation/create`.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::JsonObject;
use super::wire::{constant, from_variants, serialize_content};
use crate::schema::FormSchema;

/// A question to the user.
///
/// Specification: client/elicitation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename = "elicitation/create")]
pub struct ElicitRequest {
    /// The question.
    pub params: ElicitRequestParams,
}

impl ElicitRequest {
    /// A question by form or URL.
    #[must_use]
    pub fn new(params: impl Into<ElicitRequestParams>) -> Self {
        Self {
            params: params.into(),
        }
    }
}

/// How the user is asked. Without a `mode` it is by a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// By a form that the client shows.
    Form(ElicitRequestFormParams),
    /// By a page that the user opens.
    Url(ElicitRequestURLParams),
}

serialize_content!(ElicitRequestParams { Form, Url });
from_variants!(ElicitRequestParams { Form(ElicitRequestFormParams), Url(ElicitRequestURLParams) });

impl ElicitRequestParams {
    /// What the user is told.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(params) => &params.message,
            Self::Url(params) => &params.message,
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequestParams {
    // All members at once, because the mode may come last or not at all and a buffer would cost the order of
    // the form's fields.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            mode: Option<String>,
            message: String,
            requested_schema: Option<FormSchema>,
            url: Option<String>,
        }

        let wire = Wire::deserialize(deserializer)?;
        let message = wire.message;
        match wire.mode.as_deref() {
            None | Some("form") => Ok(Self::Form(ElicitRequestFormParams {
                mode: wire.mode.map(|_| FormMode),
                message,
                requested_schema: wire
                    .requested_schema
                    .ok_or_else(|| D::Error::missing_field("requestedSchema"))?,
            })),
            Some("url") => Ok(Self::Url(ElicitRequestURLParams {
                mode: UrlMode,
                message,
                url: wire.url.ok_or_else(|| D::Error::missing_field("url"))?,
            })),
            Some(mode) => Err(D::Error::unknown_variant(mode, &["form", "url"])),
        }
    }
}

constant!(
    /// The mode `form`.
    pub FormMode = "form"
);
constant!(
    /// The mode `url`.
    pub UrlMode = "url"
);

/// A form for the user to fill in. Not for secrets.
///
/// Specification: client/elicitation, Form Mode Elicitation Requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestFormParams {
    /// The mode, which may be left out; we write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FormMode>,
    /// What the user is told.
    pub message: String,
    /// The form's fields, in the restricted form of JSON Schema.
    pub requested_schema: FormSchema,
}

impl ElicitRequestFormParams {
    /// A form with a message.
    #[must_use]
    pub fn new(message: impl Into<String>, requested_schema: FormSchema) -> Self {
        Self {
            mode: Some(FormMode),
            message: message.into(),
            requested_schema,
        }
    }
}

/// A page for the user to open, outside the client's sight.
///
/// Specification: client/elicitation, URL Mode Elicitation Requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestURLParams {
    /// The mode.
    pub mode: UrlMode,
    /// Why the page is to be opened.
    pub message: String,
    /// The page.
    pub url: String,
}

impl ElicitRequestURLParams {
    /// A page with a message.
    #[must_use]
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: UrlMode,
            message: message.into(),
            url: url.into(),
        }
    }
}

/// What the user answered.
///
/// Specification: client/elicitation, Response Actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What the user filled in; only for an accepted form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<JsonObject>,
}

impl ElicitResult {
    /// The user sent the form with this content.
    #[must_use]
    pub fn accept(content: JsonObject) -> Self {
        Self {
            action: ElicitAction::Accept,
            content: Some(content),
        }
    }

    /// The user agreed to open the page. That says nothing about what happens there.
    #[must_use]
    pub fn accept_url() -> Self {
        Self {
            action: ElicitAction::Accept,
            content: None,
        }
    }

    /// The user said no.
    #[must_use]
    pub fn decline() -> Self {
        Self {
            action: ElicitAction::Decline,
            content: None,
        }
    }

    /// The user closed the question.
    #[must_use]
    pub fn cancel() -> Self {
        Self {
            action: ElicitAction::Cancel,
            content: None,
        }
    }
}

/// What the user did with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Sent the form, or agreed to open the page.
    Accept,
    /// Said no.
    Decline,
    /// Closed the question without a choice.
    Cancel,
}
