//! `inputResponses`: the client's answers, before anything is believed of them.

use std::{borrow::Cow, collections::BTreeSet};

use mcp_core::{
    rpc::RpcError,
    schema::{FieldKind, FormSchema, integral},
};
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::Refusal;
use crate::{asking::Elicit, error::ToolError, form::Form, parameters::Members};

/// The answers that came with a request, by key.
///
/// Specification: basic/patterns/mrtr, InputResponses.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputResponses<'a> {
    json: Option<&'a str>,
}

/// An answer to an elicitation, as it stands on the wire.
#[derive(Deserialize)]
pub(crate) struct ElicitAnswer<'a> {
    #[serde(borrow)]
    pub(crate) action: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) content: Option<&'a RawValue>,
}

impl<'a> InputResponses<'a> {
    /// Takes the member as it came.
    ///
    /// # Errors
    ///
    /// `-32602` where it is not an object of objects, each under a key of its own.
    pub(crate) fn check(json: &'a str) -> Result<(), RpcError> {
        let mut keys = BTreeSet::new();
        for member in Members::of(json) {
            let (key, value) = member.ok_or_else(malformed)?;
            if !value.starts_with('{') || !keys.insert(key) {
                return Err(malformed());
            }
        }
        Ok(())
    }

    /// Takes a member that was checked when it came.
    pub(crate) fn checked(json: &'a str) -> Self {
        Self { json: Some(json) }
    }

    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Whether there is no answer at all.
    pub fn is_empty(&self) -> bool {
        self.entries().next().is_none()
    }

    /// The keys that were answered.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.entries().map(|(key, _)| key)
    }

    /// The answer under a key as JSON.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.entries()
            .find_map(|(found, value)| (found == key).then_some(value))
    }

    /// The answer to a form.
    ///
    /// # Errors
    ///
    /// Where an accepted form does not fit the form of `T`: it names fields and constraints, so
    /// that the model can say what to mend. `-32602` where it is no answer to a form.
    pub fn form<T: Form>(&self, key: &str) -> Result<Option<Elicit<T>>, ToolError> {
        self.fitted(key, T::form().schema())
    }

    /// The answer to a form that was made at run time: its fields by name, as far as they were filled in.
    ///
    /// # Errors
    ///
    /// As [`form`](Self::form), for the form given here.
    pub fn form_schema(
        &self,
        key: &str,
        schema: &FormSchema,
    ) -> Result<Option<Elicit<Map<String, Value>>>, ToolError> {
        self.fitted(key, schema)
    }

    fn fitted<T: serde::de::DeserializeOwned>(
        &self,
        key: &str,
        schema: &FormSchema,
    ) -> Result<Option<Elicit<T>>, ToolError> {
        let Some(raw) = self.get(key) else {
            return Ok(None);
        };
        let answer = elicit_answer(raw).map_err(ToolError::protocol)?;
        Ok(Some(
            match accepted(answer).map_err(ToolError::protocol)? {
                Err(Refusal::Declined) => Elicit::Decline,
                Err(Refusal::Cancelled) => Elicit::Cancel,
                Ok(content) => {
                    let content = fitted(schema, content).map_err(|why| {
                        ToolError::new(format!("the answer to `{key}` does not fit: {why}"))
                    })?;
                    Elicit::Accept(serde_json::from_str(content.get())?)
                }
            },
        ))
    }

    /// The answer to a page: whether the user agreed to open it, which says nothing of what
    /// happened there.
    ///
    /// # Errors
    ///
    /// `-32602` where it is no answer to a page.
    pub fn url(&self, key: &str) -> Result<Option<Elicit<()>>, ToolError> {
        let Some(raw) = self.get(key) else {
            return Ok(None);
        };
        let answer = elicit_answer(raw).map_err(ToolError::protocol)?;
        Ok(Some(
            match accepted(answer).map_err(ToolError::protocol)? {
                Ok(_) => Elicit::Accept(()),
                Err(Refusal::Declined) => Elicit::Decline,
                Err(Refusal::Cancelled) => Elicit::Cancel,
            },
        ))
    }

    /// The answer to another request, such as a completion or a list of roots.
    ///
    /// # Errors
    ///
    /// `-32602` where it is not of that type.
    pub fn other<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ToolError> {
        self.get(key)
            .map(|raw| serde_json::from_str(raw).map_err(|_| ToolError::protocol(wrong_kind(key))))
            .transpose()
    }

    fn entries(&self) -> impl Iterator<Item = (Cow<'a, str>, &'a str)> {
        self.json
            .into_iter()
            .flat_map(Members::of)
            .map_while(|member| member)
    }
}

fn malformed() -> RpcError {
    RpcError::invalid_params(
        "`inputResponses` must be an object of objects, each under a key of its own",
    )
}

pub(crate) fn wrong_kind(key: &str) -> RpcError {
    RpcError::invalid_params(format!(
        "the answer under `{key}` in `inputResponses` is not of the kind that was asked for"
    ))
}

/// Reads an elicitation's answer; decline and cancel need no content, and any they have is ignored.
///
/// Specification: client/elicitation, Response Actions.
pub(crate) fn elicit_answer(json: &str) -> Result<ElicitAnswer<'_>, RpcError> {
    serde_json::from_str(json).map_err(|_| {
        RpcError::invalid_params(
            "an answer to an elicitation needs an `action` of accept, decline or cancel",
        )
    })
}

/// The content of an accepted answer, or the refusal.
pub(crate) fn accepted(answer: ElicitAnswer<'_>) -> Result<Result<&str, Refusal>, RpcError> {
    match &*answer.action {
        // No content is an empty form.
        "accept" => Ok(Ok(answer.content.map_or("{}", RawValue::get))),
        "decline" => Ok(Err(Refusal::Declined)),
        "cancel" => Ok(Err(Refusal::Cancelled)),
        _ => Err(RpcError::invalid_params(
            "unknown `action` of an answer; known: accept, decline, cancel",
        )),
    }
}

/// Content that fits its form, without keys that the form does not have; or, in words, what does
/// not fit.
pub(crate) fn fitted(schema: &FormSchema, content: &str) -> Result<Box<RawValue>, String> {
    let Ok(mut content) = serde_json::from_str::<Map<String, Value>>(content) else {
        return Err("the content must be an object with the form's fields".to_owned());
    };
    content.retain(|name, value| !value.is_null() && schema.field(name).is_some());
    schema.validate(&content).map_err(|violations| {
        violations
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    })?;
    for (name, value) in &mut content {
        if let Some(FieldKind::Number(field)) = schema.field(name).map(|field| &field.kind)
            && field.integer
            && let Value::Number(number) = value
            && let Some(integer) = integral(number)
        {
            // `5.0` is an integer to a schema, not to serde.
            *number = integer;
        }
    }
    serde_json::value::to_raw_value(&content).map_err(|e| e.to_string())
}
