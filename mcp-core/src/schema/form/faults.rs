//! What is wrong with a form itself, as its author reads it.

use std::fmt;

use super::field::FieldKind;
use super::model::{FormField, FormSchema, names_of};
use crate::schema::numbers;
use crate::text::{repeats, sort};

/// A reason why a form cannot be asked, with the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormFault {
    /// The field; `None` where the form as a whole is at fault.
    pub field: Option<String>,
    /// What is wrong and what to do about it.
    pub problem: String,
}

impl FormFault {
    pub(super) fn field(name: &str, problem: &str) -> Self {
        Self {
            field: Some(name.to_owned()),
            problem: problem.to_owned(),
        }
    }

    pub(super) fn form(problem: &str) -> Self {
        Self {
            field: None,
            problem: problem.to_owned(),
        }
    }
}

impl fmt::Display for FormFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "form field `{field}` {}", self.problem),
            None => write!(f, "the form {}", self.problem),
        }
    }
}

impl std::error::Error for FormFault {}

impl FormSchema {
    /// What makes this form unanswerable or misleading: fields named twice or required but missing, empty
    /// or repeated choices, bounds that cross, defaults that the form itself would refuse.
    #[must_use]
    pub fn faults(&self) -> Vec<FormFault> {
        let mut faults = Vec::new();
        let mut names = names_of(&self.fields);
        let repeated = repeats(&names);
        for (place, field) in self.fields.iter().enumerate() {
            if repeated.binary_search(&place).is_ok() {
                faults.push(FormFault::field(
                    &field.name,
                    "is declared twice: rename one of the two",
                ));
            }
            field_faults(field, &mut faults);
        }
        sort(&mut names);
        for name in &self.required {
            if names.binary_search(&name.as_str()).is_err() {
                faults.push(FormFault::field(
                    name,
                    "is required but not declared: add it or drop it from `required`",
                ));
            }
        }
        faults
    }
}

fn field_faults(field: &FormField, faults: &mut Vec<FormFault>) {
    let mut fault = |problem: &str| faults.push(FormFault::field(&field.name, problem));
    if bounds_cross(&field.kind) {
        fault("has a lower bound above its upper bound, so nothing fits: change one of them");
    }
    if let Some(options) = field.kind.options() {
        let values: Vec<&str> = options.values().collect();
        for place in repeats(&values) {
            let value = values[place];
            fault(&format!("offers `{value}` twice: remove one of the two"));
        }
        if values.is_empty() {
            fault("offers nothing to choose from: add an option");
        }
    }
    if let Some(default) = field.kind.default_value()
        && let Some(constraint) = field.kind.violation(&default)
    {
        fault(&format!(
            "has a default that the form refuses: it {constraint}"
        ));
    }
}

fn bounds_cross(kind: &FieldKind) -> bool {
    let crosses =
        |low: Option<u64>, high: Option<u64>| low.zip(high).is_some_and(|(low, high)| low > high);
    match kind {
        FieldKind::String(field) => crosses(field.min_length, field.max_length),
        FieldKind::MultiChoice(field) => crosses(field.min_items, field.max_items),
        FieldKind::Number(field) => match (&field.minimum, &field.maximum) {
            (Some(low), Some(high)) => {
                numbers::compare(low, high).is_some_and(std::cmp::Ordering::is_gt)
            }
            _ => false,
        },
        FieldKind::Boolean(_) | FieldKind::Choice(_) => false,
    }
}
