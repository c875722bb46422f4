//! A request's message, for as long as it is being answered.

use mcp_core::{Revision, protocol::Meta, rpc::RpcError};
use serde_json::{Map, Value};

use super::{Params, Terms, params::unreadable};
use crate::{
    asking::{InputResponses, Kinds, Place},
    legacy,
    parameters::{Members, member},
};

/// A request's message, kept for as long as it is being answered.
#[derive(Debug)]
pub(crate) struct Received {
    /// The whole line.
    line: Box<str>,
    arguments: Option<Span>,
    responses: Option<Span>,
    /// Where the answers stand in them.
    answers: Vec<Place>,
    /// Whether it carries answers or a state.
    pub(crate) is_retry: bool,
    /// What the request addresses, where that is not the name of a function.
    pub(crate) address: Option<Box<str>>,
    pub(crate) revision: Revision,
    pub(crate) kinds: Kinds,
    /// The answers of later rounds, where those are on the same request.
    later: crate::legacy::Later,
}

/// A part of the line.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// Where `part`, which was borrowed from `line`, stands in it.
    fn of(line: &str, part: &str) -> Self {
        let start = part.as_ptr().addr() - line.as_ptr().addr();
        Self {
            start,
            end: start + part.len(),
        }
    }
}

impl Received {
    /// Keeps the message; `params` must have been read from this very line.
    ///
    /// # Errors
    ///
    /// `-32602` where `inputResponses` is malformed.
    pub(crate) fn new(line: &str, params: &Params<'_>, terms: Terms) -> Result<Self, RpcError> {
        let span = |part: Option<&str>| part.map(|part| Span::of(line, part));
        let answers = match params.input_responses {
            Some(responses) => InputResponses::find(responses)?,
            None => Vec::new(),
        };
        Ok(Self {
            answers,
            arguments: span(params.arguments),
            responses: span(params.input_responses),
            is_retry: params.input_responses.is_some() || params.request_state.is_some(),
            address: None,
            line: line.into(),
            revision: terms.revision,
            kinds: terms.kinds,
            later: Default::default(),
        })
    }

    /// Puts the answers of a later round in the place of those before.
    pub(crate) fn add(&self, answers: crate::legacy::Answers) {
        self.later.add(answers);
    }

    /// How long the message is, in bytes.
    pub(crate) fn len(&self) -> usize {
        if self.revision.is_legacy() {
            return self.line.len() - legacy::added(&self.line) + self.later.len();
        }
        self.line.len()
    }

    /// The arguments; absent ones equal an empty object.
    pub(crate) fn arguments(&self) -> &str {
        self.arguments.map_or("{}", |span| self.part(span))
    }

    /// The arguments as far as there are any.
    pub(crate) fn given_arguments(&self) -> Option<&str> {
        self.arguments.map(|span| self.part(span))
    }

    pub(crate) fn responses(&self) -> InputResponses<'_> {
        if let Some(answers) = self.later.last() {
            return answers.as_responses();
        }
        self.responses.map_or_else(InputResponses::none, |span| {
            InputResponses::at(self.part(span), &self.answers)
        })
    }

    /// All of `_meta` that can be read.
    pub(crate) fn meta(&self) -> Meta {
        let mut meta = Meta::new();
        // One by one: what nobody has asked for was only passed over, and one that cannot be read takes no other with it.
        for member in Members::of(member(self.params_json(), "_meta").unwrap_or("{}")) {
            if let Some((name, json)) = member
                && let Ok(value) = serde_json::from_str(json)
            {
                meta.insert(name.into_owned(), value);
            }
        }
        meta
    }

    /// The whole of `params` but its `_meta`.
    ///
    /// # Errors
    ///
    /// `-32602` where something in there is JSON that has no value here: half a surrogate, a number past all floats, a value that is
    /// nested too deeply.
    pub(crate) fn params(&self) -> Result<Value, RpcError> {
        let params = serde_json::from_str::<Map<_, _>>(self.params_json());
        let mut params = params.map_err(|error| unreadable("params", &error))?;
        params.remove("_meta");
        Ok(Value::Object(params))
    }

    fn params_json(&self) -> &str {
        member(self.line.trim_ascii(), "params").unwrap_or("{}")
    }

    fn part(&self, span: Span) -> &str {
        &self.line[span.start..span.end]
    }
}
