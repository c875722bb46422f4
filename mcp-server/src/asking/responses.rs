//! `inputResponses`: the client's answers, before anything is believed of them.

use std::{
    borrow::Cow,
    fmt::{Display, Write},
    ops::Range,
};

use mcp_core::{
    rpc::{RpcError, Scan},
    schema::{FieldKind, FormSchema, integral},
};
use serde_json::{Map, Value};

use super::Refusal;
use crate::{asking::Elicit, error::ToolError, form::Form, parameters::Members, state::in_order};

/// The answers that came with a request, by key.
///
/// Specification: basic/patterns/mrtr, InputResponses.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputResponses<'a> {
    json: &'a str,
    places: &'a [Place],
}

/// Where one answer stands in `inputResponses`: found once, looked up in each step of a call.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) key: Box<str>,
    value: Range<usize>,
}

/// An answer to an elicitation, as it stands on the wire.
pub(crate) struct ElicitAnswer<'a> {
    pub(crate) action: Cow<'a, str>,
    pub(crate) content: Option<&'a str>,
}

impl<'a> InputResponses<'a> {
    /// Finds the answers in the member as it came.
    ///
    /// # Errors
    ///
    /// `-32602` where it is not an object of objects, each under a key of its own.
    pub(crate) fn find(json: &str) -> Result<Vec<Place>, RpcError> {
        let mut places = Vec::new();
        for member in Members::of(json) {
            let (key, value) = member.ok_or_else(malformed)?;
            if !value.starts_with('{') {
                return Err(malformed());
            }
            let start = value.as_ptr().addr() - json.as_ptr().addr();
            places.push(Place {
                key: key.into(),
                value: start..start + value.len(),
            });
        }
        let keys = || Vec::from_iter(places.iter().map(|place: &Place| &*place.key));
        if places.len() > 1 && in_order(&keys()).is_none() {
            return Err(malformed());
        }
        Ok(places)
    }

    /// The answers at places that were found in this very text.
    pub(crate) fn at(json: &'a str, places: &'a [Place]) -> Self {
        Self { json, places }
    }

    /// The answers at some of the places.
    pub(crate) fn only(self, places: &'a [Place]) -> Self {
        Self { places, ..self }
    }

    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Whether there is no answer at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The keys that were answered.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'a, str>> {
        self.places.iter().map(|place| Cow::Borrowed(&*place.key))
    }

    /// The answer under a key as JSON.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let place = self.places.iter().find(|place| *place.key == *key)?;
        Some(&self.json[place.value.clone()])
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
                    Elicit::Accept(serde_json::from_str(&content)?)
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

    pub(crate) fn as_json(&self) -> &'a str {
        self.json
    }

    pub(crate) fn places(&self) -> &'a [Place] {
        self.places
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
    let (mut action, mut content) = (None, None);
    let read = Scan::new(json).object(|scan, key| match key {
        "action" => scan.fill(&mut action, Scan::string),
        "content" => scan.fill(&mut content, |scan| scan.optional(Scan::raw)),
        _ => scan.skip(),
    });
    match (read, action) {
        (Ok(()), Some(action)) => Ok(ElicitAnswer {
            action,
            content: content.flatten(),
        }),
        _ => Err(RpcError::invalid_params(
            "an answer to an elicitation needs an `action` of accept, decline or cancel",
        )),
    }
}

/// The content of an accepted answer, or the refusal.
pub(crate) fn accepted(answer: ElicitAnswer<'_>) -> Result<Result<&str, Refusal>, RpcError> {
    match &*answer.action {
        // No content is an empty form.
        "accept" => Ok(Ok(answer.content.unwrap_or("{}"))),
        "decline" => Ok(Err(Refusal::Declined)),
        "cancel" => Ok(Err(Refusal::Cancelled)),
        _ => Err(RpcError::invalid_params(
            "unknown `action` of an answer; known: accept, decline, cancel",
        )),
    }
}

/// Content that fits its form, without keys that the form does not have; or, in words, what does
/// not fit.
pub(crate) fn fitted<'a>(schema: &FormSchema, content: &'a str) -> Result<Cow<'a, str>, String> {
    if stays_as_it_is(schema, content) {
        return Ok(content.into());
    }
    let Ok(mut content) = serde_json::from_str::<Map<String, Value>>(content) else {
        return Err("the content must be an object with the form's fields".to_owned());
    };
    let mut fitted = Map::new();
    for field in &schema.fields {
        match content.remove(&field.name) {
            None | Some(Value::Null) => {}
            Some(value) => {
                fitted.insert(field.name.clone(), value);
            }
        }
    }
    schema
        .validate(&fitted)
        .map_err(|violations| joined(&violations))?;
    for field in &schema.fields {
        if let FieldKind::Number(kind) = &field.kind
            && kind.integer
            && let Some(Value::Number(number)) = fitted.get_mut(&field.name)
            && let Some(integer) = integral(number)
        {
            // `5.0` is an integer to a schema, not to serde.
            *number = integer;
        }
    }
    Ok(Cow::Owned(Value::Object(fitted).to_string()))
}

/// All that is wrong, in one text.
pub(super) fn joined(faults: &[impl Display]) -> String {
    let mut text = String::new();
    for fault in faults {
        if !text.is_empty() {
            text.push_str("; ");
        }
        // Writing to a string does not fail.
        let _ = write!(text, "{fault}");
    }
    text
}

/// Whether content fits its form and has nothing to leave out or to mend: seen field by field, without a tree of the whole,
/// because most answers are so. `false` says only that a closer look is needed.
fn stays_as_it_is(schema: &FormSchema, content: &str) -> bool {
    let place = |name: &str| schema.fields.iter().position(|field| field.name == name);
    // Each bit a field; a form of more is looked at closely.
    let mut given = 0_u64;
    for member in Members::of(content) {
        let Some((key, value)) = member else {
            return false;
        };
        let Some(at) = place(&key).filter(|at| *at < 64) else {
            return false;
        };
        let is_repeated = given & (1 << at) != 0;
        if is_repeated || !is_plain(&schema.fields[at].kind, value) {
            return false;
        }
        given |= 1 << at;
    }
    let is_given = |name: &String| place(name).is_some_and(|at| given & (1 << at) != 0);
    schema.required.iter().all(is_given)
}

/// Whether a field's value fits and serde reads it as it stands.
fn is_plain(kind: &FieldKind, json: &str) -> bool {
    match (kind, serde_json::from_str(json)) {
        (_, Err(_) | Ok(Value::Null)) => false,
        (FieldKind::Number(field), Ok(Value::Number(number)))
            if field.integer && number.is_f64() =>
        {
            false
        }
        (_, Ok(value)) => kind.violation(&value).is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> FormSchema {
        FormSchema::new()
            .boolean("sure", |field| field)
            .integer("count", |field| field.minimum(1))
            .string("note", |field| field.optional().max_length(5))
    }

    #[test]
    fn content_that_fits_stays_as_it_came() {
        for content in [
            r#"{"sure":true,"count":2}"#,
            r#"{ "note" : "a\"b", "count":9007199254740993, "sure": false }"#,
            r#"{"s\u0075re":true,"count":1}"#,
        ] {
            assert_eq!(fitted(&form(), content), Ok(Cow::Borrowed(content)));
            assert!(stays_as_it_is(&form(), content), "{content}");
        }
    }

    #[test]
    fn what_does_not_belong_is_left_out_and_numbers_are_mended() {
        for content in [
            r#"{"sure":true,"count":2.0}"#,
            r#"{"sure":true,"count":2e0}"#,
            r#"{"sure":true,"count":2,"other":[1]}"#,
            r#"{"sure":true,"count":2,"note":null}"#,
            r#"{"sure":false,"sure":true,"count":2}"#,
        ] {
            let fits = fitted(&form(), content);
            assert_eq!(
                fits.as_deref(),
                Ok(r#"{"count":2,"sure":true}"#),
                "{content}"
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (content, why) in [
            (r#"{"sure":true}"#, "`count` is required"),
            (r#"{"sure":null,"count":1}"#, "`sure` is required"),
            (
                r#"{"sure":"yes","count":1}"#,
                "`sure` must be true or false",
            ),
            (r#"{"sure":true,"count":0}"#, "`count` must be at least 1"),
            (
                r#"{"sure":true,"count":1,"note":"too long"}"#,
                "`note` must have at most 5 characters",
            ),
            ("[]", "the content must be an object with the form's fields"),
        ] {
            assert_eq!(fitted(&form(), content), Err(why.to_owned()), "{content}");
        }
    }

    #[test]
    fn answers_are_found_by_their_keys() {
        let json = r#"{ "a" : {"action":"cancel"} ,"b\n":{}}"#;
        let places = InputResponses::find(json).expect("an object of objects");
        let responses = InputResponses::at(json, &places);
        assert_eq!(responses.keys().collect::<Vec<_>>(), ["a", "b\n"]);
        assert_eq!(responses.get("a"), Some(r#"{"action":"cancel"}"#));
        assert_eq!(responses.get("b\n"), Some("{}"));
        assert_eq!(responses.only(&places[1..]).get("a"), None);
        for malformed in ["[]", "{\"a\":1}", r#"{"a":{},"\u0061":{}}"#] {
            assert!(InputResponses::find(malformed).is_err(), "{malformed}");
        }
    }
}
