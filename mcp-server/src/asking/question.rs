//! A question as the runtime sees it: kind, message and body, without the answer's type.

use std::{fmt, ops::Deref};

use mcp_core::{
    protocol::{CreateMessageRequestParams, CreateMessageResult, ListRootsResult},
    rpc::{RpcError, write_json, write_str},
    schema::FormSchema,
};
use serde::de::DeserializeOwned;

use super::{Kind, Kinds, responses::joined, shown::clean_message};
use crate::{form::RenderedForm, state::Digest};

/// One input request, before it has a key.
#[derive(Debug)]
pub(crate) struct Question {
    /// Empty for sampling and roots.
    pub(crate) message: Message,
    pub(crate) body: Body,
}

/// What a question says.
#[derive(Debug)]
pub(crate) enum Message {
    /// The same in each call, because it stands in the attribute of the parameter: so the question is digested once. Made by
    /// [`of_marker`](Self::of_marker) alone, as not every constant is the only one of its parameter.
    Fixed(&'static str),
    Made(String),
}

#[derive(Debug)]
pub(crate) enum Body {
    Form(FormBody),
    Url(String),
    Sampling {
        /// The parameters as JSON.
        params: String,
        /// Whether the completion may use tools.
        tools: bool,
        fits: Fits,
    },
    Roots {
        fits: Fits,
    },
}

/// Whether an answer is of the protocol's own type for it.
///
/// The question brings it, from a function that is inlined: a server that never asks such a question is built without
/// the code that reads and writes the large types of sampling.
pub(crate) type Fits = fn(&str) -> bool;

fn fits<T: DeserializeOwned>(answer: &str) -> bool {
    serde_json::from_str::<T>(answer).is_ok()
}

/// A form, rendered once a type or by hand.
#[derive(Debug)]
pub(crate) enum FormBody {
    Rendered(&'static RenderedForm),
    /// Boxed, so that questions stay small: they are moved around on their way out.
    ByHand(Box<FormByHand>),
}

#[derive(Debug)]
pub(crate) struct FormByHand {
    schema: FormSchema,
    json: String,
    digest: Digest,
}

impl FormBody {
    pub(crate) fn by_hand(schema: FormSchema) -> Self {
        let mut json = Vec::new();
        write_json(&mut json, &schema);
        Self::ByHand(Box::new(FormByHand {
            digest: Digest::of_parts("form", &[&json]),
            json: String::from_utf8(json).unwrap_or_default(),
            schema,
        }))
    }

    fn digest(&self) -> &Digest {
        match self {
            Self::Rendered(form) => form.digest(),
            Self::ByHand(form) => &form.digest,
        }
    }

    pub(crate) fn schema(&self) -> &FormSchema {
        match self {
            Self::Rendered(form) => form.schema(),
            Self::ByHand(form) => &form.schema,
        }
    }

    fn json(&self) -> &str {
        match self {
            Self::Rendered(form) => form.json(),
            Self::ByHand(form) => &form.json,
        }
    }
}

impl Message {
    /// What the attribute of a parameter says.
    pub(crate) fn of_marker(message: fmt::Arguments<'_>) -> Self {
        match message.as_str() {
            Some(fixed) => Self::Fixed(fixed),
            None => Self::Made(message.to_string()),
        }
    }

    fn cleaned(self) -> Self {
        match clean_message(&self) {
            Some(clean) => Self::Made(clean),
            None => self,
        }
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Fixed(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl Question {
    pub(crate) fn form(message: Message, form: FormBody) -> Self {
        Self {
            message: message.cleaned(),
            body: Body::Form(form),
        }
    }

    pub(crate) fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            message: Message::Made(message.into()).cleaned(),
            body: Body::Url(url.into()),
        }
    }

    #[inline]
    pub(crate) fn sampling(params: &CreateMessageRequestParams) -> Self {
        let mut json = Vec::new();
        write_json(&mut json, params);
        Self {
            message: Message::Made(String::new()),
            body: Body::Sampling {
                params: String::from_utf8(json).unwrap_or_default(),
                tools: params.tools.is_some() || params.tool_choice.is_some(),
                fits: fits::<CreateMessageResult>,
            },
        }
    }

    #[inline]
    pub(crate) fn roots() -> Self {
        Self {
            message: Message::Made(String::new()),
            body: Body::Roots {
                fits: fits::<ListRootsResult>,
            },
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.body {
            Body::Form(_) => Kind::Form,
            Body::Url(_) => Kind::Url,
            Body::Sampling { .. } => Kind::Sampling,
            Body::Roots { .. } => Kind::Roots,
        }
    }

    /// `-32021` where the client did not declare what the question needs.
    pub(crate) fn require(&self, kinds: Kinds) -> Result<(), RpcError> {
        kinds.require(self.kind())?;
        match &self.body {
            Body::Sampling { tools: true, .. } => kinds.require_sampling_tools(),
            _ => Ok(()),
        }
    }

    /// What is pinned: kind, message, body and the answers that led to it. Never the reason that is
    /// appended when a question is asked again.
    ///
    /// A page's address may change from round to round, and accepting it means nothing, so a URL
    /// question is pinned by its kind and what led to it alone.
    pub(crate) fn digest(&self, depends_on: &[&[u8]]) -> Digest {
        let shown: [&[u8]; 2] = match &self.body {
            Body::Form(form) => [self.message.as_bytes(), form.digest().as_bytes()],
            Body::Sampling { params, .. } => [params.as_bytes(), b""],
            Body::Url(_) | Body::Roots { .. } => [b"", b""],
        };
        Digest::of_parts(self.kind().name(), &[&shown, depends_on].concat())
    }

    /// Appends the value under the question's key in `inputRequests`.
    ///
    /// Specification: basic/patterns/mrtr, InputRequests.
    pub(crate) fn write(&self, out: &mut Vec<u8>, reason: Option<&str>) {
        match &self.body {
            Body::Form(form) => {
                out.extend_from_slice(
                    br#"{"method":"elicitation/create","params":{"mode":"form","message":"#,
                );
                self.write_message(out, reason);
                out.extend_from_slice(br#","requestedSchema":"#);
                out.extend_from_slice(form.json().as_bytes());
                out.extend_from_slice(b"}}");
            }
            Body::Url(url) => {
                out.extend_from_slice(
                    br#"{"method":"elicitation/create","params":{"mode":"url","message":"#,
                );
                self.write_message(out, reason);
                out.extend_from_slice(br#","url":"#);
                write_str(out, url);
                out.extend_from_slice(b"}}");
            }
            Body::Sampling { params, .. } => {
                out.extend_from_slice(br#"{"method":"sampling/createMessage","params":"#);
                out.extend_from_slice(params.as_bytes());
                out.push(b'}');
            }
            Body::Roots { .. } => out.extend_from_slice(br#"{"method":"roots/list"}"#),
        }
    }

    fn write_message(&self, out: &mut Vec<u8>, reason: Option<&str>) {
        match reason {
            None => write_str(out, &self.message),
            Some(reason) => write_str(out, &format!("{}\n\n{reason}", &*self.message)),
        }
    }

    /// Says why the question cannot be sent, if it cannot.
    pub(crate) fn fault(&self) -> Option<String> {
        match &self.body {
            Body::Url(url) => super::url::fault(url).map(|why| format!("the url to open {why}")),
            Body::Form(FormBody::Rendered(form)) => form.fault(),
            Body::Form(FormBody::ByHand(form)) => {
                let faults = form.schema.faults();
                (!faults.is_empty()).then(|| joined(&faults))
            }
            Body::Sampling { .. } | Body::Roots { .. } => None,
        }
    }
}
