//! Answers against a form: what does not fit, in words that never repeat the answer.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Number, Value};

use super::field::{ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField};
use super::format;
use super::model::FormSchema;
use crate::schema::numbers;
use crate::text::{borrowed, joined, sort};

/// A field of an answer that does not fit. Names the constraint, never the value: the text may be shown to a
/// model or logged, the value may not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormViolation {
    /// The field; empty where the answer as a whole is at fault.
    pub field: String,
    /// What the field must be, such as `must be at least 18`.
    pub constraint: String,
}

impl fmt::Display for FormViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            write!(f, "the answer {}", self.constraint)
        } else {
            write!(f, "`{}` {}", self.field, self.constraint)
        }
    }
}

impl std::error::Error for FormViolation {}

impl FormSchema {
    /// Checks the content of an accepted form.
    ///
    /// `null` in an optional field counts as left empty, keys that the form does not know are ignored.
    ///
    /// # Errors
    ///
    /// Everything that does not fit, in the order of the fields.
    pub fn validate(&self, answer: &Map<String, Value>) -> Result<(), Vec<FormViolation>> {
        let mut violations = Vec::new();
        let mut required = borrowed(&self.required);
        sort(&mut required);
        for field in &self.fields {
            let constraint = match answer.get(&field.name) {
                None | Some(Value::Null) => required
                    .binary_search(&field.name.as_str())
                    .is_ok()
                    .then(|| "is required".to_owned()),
                Some(value) => field.kind.violation(value),
            };
            if let Some(constraint) = constraint {
                violations.push(FormViolation {
                    field: field.name.clone(),
                    constraint,
                });
            }
        }
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations)
        }
    }

    /// Checks the content of an accepted form that may be no object at all; `null` is an empty answer.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate); an answer that is no object is one violation without a field.
    pub fn validate_value(&self, answer: &Value) -> Result<(), Vec<FormViolation>> {
        match answer {
            Value::Object(answer) => self.validate(answer),
            Value::Null => self.validate(&Map::new()),
            _ => Err(vec![FormViolation {
                field: String::new(),
                constraint: "must be an object with one member for each field".to_owned(),
            }]),
        }
    }
}

impl FieldKind {
    /// What a value must be and is not; `None` where it fits. Texts continue a sentence about the field.
    #[must_use]
    pub fn violation(&self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::String(field), Value::String(text)) => string_violation(field, text),
            (Self::String(_), _) => Some("must be text".to_owned()),
            (Self::Number(field), Value::Number(number)) => number_violation(field, number),
            (Self::Number(field), _) => Some(number_kind(field).to_owned()),
            (Self::Boolean(_), Value::Bool(_)) => None,
            (Self::Boolean(_), _) => Some("must be true or false".to_owned()),
            (Self::Choice(field), value) => choice_violation(field, value),
            (Self::MultiChoice(field), value) => multi_choice_violation(field, value),
        }
    }

    /// What the field starts with, as a value.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self {
            Self::String(field) => field.default.clone().map(Value::from),
            Self::Number(field) => field.default.clone().map(Value::from),
            Self::Boolean(field) => field.default.map(Value::from),
            Self::Choice(field) => field.default.clone().map(Value::from),
            Self::MultiChoice(field) => field.default.clone().map(Value::from),
        }
    }
}

fn string_violation(field: &StringField, text: &str) -> Option<String> {
    let length = text.chars().count() as u64;
    let bounds = (field.min_length, field.max_length);
    if let Some(constraint) = count_violation(length, bounds, "have", "character") {
        return Some(constraint);
    }
    let format = field.format?;
    (!format::fits(format, text)).then(|| format::constraint(format).to_owned())
}

fn number_kind(field: &NumberField) -> &'static str {
    if field.integer {
        "must be a whole number"
    } else {
        "must be a number"
    }
}

fn number_violation(field: &NumberField, number: &Number) -> Option<String> {
    if field.integer && numbers::integer(number).is_none() {
        return Some("must be a whole number of at most 64 bits".to_owned());
    }
    let bounds = [
        (&field.minimum, Ordering::Less, "least"),
        (&field.maximum, Ordering::Greater, "most"),
    ];
    for (bound, beyond, word) in bounds {
        if let Some(bound) = bound
            && numbers::compare(number, bound) == Some(beyond)
        {
            return Some(format!("must be at {word} {bound}"));
        }
    }
    None
}

fn choice_violation(field: &ChoiceField, value: &Value) -> Option<String> {
    let fits = value
        .as_str()
        .is_some_and(|text| field.options.contains(text));
    (!fits).then(|| format!("must be one of {}", listed(&field.options)))
}

fn multi_choice_violation(field: &MultiChoiceField, value: &Value) -> Option<String> {
    let Value::Array(chosen) = value else {
        return Some(format!(
            "must be a list of any of {}",
            listed(&field.options)
        ));
    };
    let known = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| field.options.contains(text))
    };
    if !chosen.iter().all(known) {
        return Some(format!(
            "must contain nothing but {}",
            listed(&field.options)
        ));
    }
    let bounds = (field.min_items, field.max_items);
    count_violation(chosen.len() as u64, bounds, "contain", "choice")
}

fn count_violation(
    count: u64,
    (least, most): (Option<u64>, Option<u64>),
    verb: &str,
    noun: &str,
) -> Option<String> {
    let (word, bound) = match (least, most) {
        (Some(least), _) if count < least => ("least", least),
        (_, Some(most)) if count > most => ("most", most),
        _ => return None,
    };
    let plural = if bound == 1 { "" } else { "s" };
    Some(format!("must {verb} at {word} {bound} {noun}{plural}"))
}

fn listed(options: &Options) -> String {
    let mut quoted = Vec::new();
    for value in options.values() {
        quoted.push(format!("{value:?}"));
    }
    joined(&quoted, ", ")
}
