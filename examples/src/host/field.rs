//! One field of a form as a prompt.

use std::fmt;

use inquire::{
    InquireError, MultiSelect, Select, Text, error::CustomUserError, list_option::ListOption,
    validator::Validation,
};
use mcp_client::schema::{FieldKind, FormField, form::Options};
use serde_json::{Number, Value};

use super::clean::clean_line;

/// What a person did with one field.
#[derive(Debug, PartialEq)]
pub(super) enum Filled {
    With(Value),
    /// The field is optional and was left empty.
    Empty,
    /// The person does not go on with the form.
    Left,
}

/// Asks for one field. `current` is what the field starts with.
pub(super) fn ask(
    field: &FormField,
    required: bool,
    current: Option<&Value>,
) -> Result<Filled, InquireError> {
    let label = clean_line(field.title.as_deref().unwrap_or(&field.name));
    let help = help(field, required);
    match &field.kind {
        FieldKind::Boolean(_) => {
            // The harmless one first: whoever only presses enter has agreed to nothing.
            let choices = vec![Choice::new(false, "no"), Choice::new(true, "yes")];
            select(&label, &help, choices, required, current)
        }
        FieldKind::Choice(choice) => {
            select(&label, &help, choices(&choice.options), required, current)
        }
        FieldKind::MultiChoice(choice) => multi_select(
            &label,
            &help,
            field,
            choices(&choice.options),
            required,
            current,
        ),
        _ => text(&label, &help, field, required, current),
    }
}

fn text(
    label: &str,
    help: &str,
    field: &FormField,
    required: bool,
    current: Option<&Value>,
) -> Result<Filled, InquireError> {
    let start = match current {
        Some(Value::String(text)) => clean_line(text),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let kind = field.kind.clone();
    let check = move |text: &str| -> Result<Validation, CustomUserError> {
        Ok(match read(&kind, text, required) {
            Ok(_) => Validation::Valid,
            Err(reason) => Validation::Invalid(reason.into()),
        })
    };
    let text = Text::new(label)
        .with_help_message(help)
        .with_initial_value(&start)
        .with_validator(check)
        .prompt_skippable()?;
    let Some(text) = text else {
        return Ok(Filled::Left);
    };
    let read = read(&field.kind, &text, required);
    Ok(
        match read.map_err(|reason| InquireError::Custom(reason.into()))? {
            Some(value) => Filled::With(value),
            None => Filled::Empty,
        },
    )
}

/// Reads what was typed: the value, nothing for an optional field left empty, or why it does not fit.
fn read(kind: &FieldKind, text: &str, required: bool) -> Result<Option<Value>, String> {
    if text.is_empty() && !required {
        return Ok(None);
    }
    let value = match kind {
        FieldKind::Number(_) => match serde_json::from_str::<Number>(text.trim()) {
            Ok(number) => Value::Number(number),
            Err(_) => return Err("must be a number".to_owned()),
        },
        _ => Value::from(text),
    };
    match kind.violation(&value) {
        Some(reason) => Err(reason),
        None => Ok(Some(value)),
    }
}

/// One thing to choose: what is sent, and what is shown.
struct Choice {
    value: Option<Value>,
    title: String,
}

impl Choice {
    fn new(value: impl Into<Value>, title: &str) -> Self {
        Self {
            value: Some(value.into()),
            title: clean_line(title),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

fn choices(options: &Options) -> Vec<Choice> {
    options
        .values()
        .map(|value| Choice::new(value, options.title_of(value).unwrap_or(value)))
        .collect()
}

fn select(
    label: &str,
    help: &str,
    mut choices: Vec<Choice>,
    required: bool,
    current: Option<&Value>,
) -> Result<Filled, InquireError> {
    if !required {
        let title = "(leave empty)".to_owned();
        choices.insert(0, Choice { value: None, title });
    }
    let start = choices
        .iter()
        .position(|choice| current.is_some() && choice.value.as_ref() == current);
    let chosen = Select::new(label, choices)
        .with_help_message(help)
        .with_starting_cursor(start.unwrap_or_default())
        .prompt_skippable()?;
    Ok(match chosen {
        Some(Choice {
            value: Some(value), ..
        }) => Filled::With(value),
        Some(Choice { value: None, .. }) => Filled::Empty,
        None => Filled::Left,
    })
}

fn multi_select(
    label: &str,
    help: &str,
    field: &FormField,
    choices: Vec<Choice>,
    required: bool,
    current: Option<&Value>,
) -> Result<Filled, InquireError> {
    let chosen = current.and_then(Value::as_array).map(Vec::as_slice);
    let start: Vec<usize> = choices
        .iter()
        .enumerate()
        .filter(|(_, choice)| {
            choice
                .value
                .as_ref()
                .is_some_and(|value| chosen.unwrap_or_default().contains(value))
        })
        .map(|(place, _)| place)
        .collect();
    let kind = field.kind.clone();
    let check = move |chosen: &[ListOption<&Choice>]| -> Result<Validation, CustomUserError> {
        let values = chosen.iter().map(|option| option.value);
        Ok(match selected(&kind, values, required) {
            Ok(_) => Validation::Valid,
            Err(reason) => Validation::Invalid(reason.into()),
        })
    };
    let chosen = MultiSelect::new(label, choices)
        .with_help_message(help)
        .with_default(&start)
        .with_validator(check)
        .prompt_skippable()?;
    let Some(chosen) = chosen else {
        return Ok(Filled::Left);
    };
    let selected = selected(&field.kind, chosen.iter(), required);
    Ok(
        match selected.map_err(|reason| InquireError::Custom(reason.into()))? {
            Some(values) => Filled::With(values),
            None => Filled::Empty,
        },
    )
}

/// What was chosen, nothing for an optional field of which nothing was, or why it does not fit.
fn selected<'a>(
    kind: &FieldKind,
    chosen: impl Iterator<Item = &'a Choice>,
    required: bool,
) -> Result<Option<Value>, String> {
    let values: Vec<Value> = chosen.filter_map(|choice| choice.value.clone()).collect();
    if values.is_empty() && !required {
        return Ok(None);
    }
    let values = Value::Array(values);
    match kind.violation(&values) {
        Some(reason) => Err(reason),
        None => Ok(Some(values)),
    }
}

/// The line under the prompt: what the field means, what fits, and the way out.
fn help(field: &FormField, required: bool) -> String {
    let mut parts = Vec::new();
    if let Some(description) = &field.description {
        parts.push(clean_line(description));
    }
    match &field.kind {
        FieldKind::String(text) => {
            let format = text.format;
            parts.extend(format.map(|format| format!("a valid {}", format.as_str())));
            parts.extend(bounds(text.min_length, text.max_length, " characters"));
        }
        FieldKind::Number(number) => {
            if number.integer {
                parts.push("a whole number".to_owned());
            }
            parts.extend(bounds(number.minimum.as_ref(), number.maximum.as_ref(), ""));
        }
        FieldKind::MultiChoice(choice) => {
            parts.extend(bounds(choice.min_items, choice.max_items, ""));
        }
        _ => {}
    }
    if !required {
        parts.push("optional".to_owned());
    }
    parts.push("Esc to decline or close".to_owned());
    parts.join(" · ")
}

fn bounds<T: fmt::Display>(least: Option<T>, most: Option<T>, of: &str) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{of}")),
        (Some(least), None) => Some(format!("at least {least}{of}")),
        (None, Some(most)) => Some(format!("at most {most}{of}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use mcp_client::schema::FormSchema;
    use serde_json::json;

    use super::*;

    fn kind(schema: FormSchema) -> FieldKind {
        schema.fields.into_iter().next().unwrap().kind
    }

    #[test]
    fn numbers_are_read_exactly() {
        let integer: FormSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": { "n": { "type": "integer", "minimum": 1 } },
        }))
        .unwrap();
        let kind = kind(integer);
        let exact = read(&kind, " 9007199254740993 ", true).unwrap().unwrap();
        assert_eq!(exact.to_string(), "9007199254740993");
        for wrong in ["0", "1.5", "one", "", "0x10"] {
            assert!(read(&kind, wrong, true).is_err(), "{wrong}");
        }
        assert_eq!(read(&kind, "", false), Ok(None));
    }

    #[test]
    fn text_is_checked_as_the_server_will_check_it() {
        let text: FormSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": { "t": { "type": "string", "maxLength": 3 } },
        }))
        .unwrap();
        let kind = kind(text);
        assert_eq!(read(&kind, "äöü", true), Ok(Some(json!("äöü"))));
        assert!(read(&kind, "four", true).is_err());
        assert_eq!(read(&kind, "", true), Ok(Some(json!(""))));
        assert_eq!(read(&kind, "", false), Ok(None));
    }

    #[test]
    fn an_optional_choice_of_which_nothing_is_chosen_is_left_out() {
        let schema: FormSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": { "tags": {
                "type": "array",
                "minItems": 1,
                "items": { "type": "string", "enum": ["A", "B"] },
            } },
        }))
        .unwrap();
        let field = &schema.fields[0];
        let options = choices(field.kind.options().unwrap());
        assert_eq!(selected(&field.kind, [].iter(), false), Ok(None));
        assert!(selected(&field.kind, [].iter(), true).is_err());
        let chosen = selected(&field.kind, options[..1].iter(), false);
        assert_eq!(chosen, Ok(Some(json!(["A"]))));
        assert!(help(field, false).starts_with("at least 1 · optional"));
    }

    #[test]
    fn the_bounds_of_a_field_are_told() {
        for (kind, told) in [
            (
                json!({"type": "integer", "minimum": 3, "maximum": 5}),
                "a whole number · 3 to 5",
            ),
            (json!({"type": "number", "maximum": 1.5}), "at most 1.5"),
            (
                json!({"type": "string", "minLength": 2}),
                "at least 2 characters",
            ),
        ] {
            let schema = json!({"type": "object", "properties": {"f": kind}});
            let schema: FormSchema = serde_json::from_value(schema).unwrap();
            let help = help(&schema.fields[0], true);
            assert!(help.starts_with(told), "{help}");
        }
    }

    #[test]
    fn what_a_server_says_about_a_field_is_cleaned() {
        let schema: FormSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": { "c": {
                "type": "string",
                "description": "pick\u{1b}[2J one",
                "oneOf": [{ "const": "a", "title": "\u{202e}A" }],
            } },
        }))
        .unwrap();
        let field = &schema.fields[0];
        assert_eq!(help(field, true), "pick one · Esc to decline or close");
        let options = field.kind.options().unwrap();
        assert_eq!(choices(options)[0].to_string(), "A");
        assert_eq!(choices(options)[0].value, Some(json!("a")));
    }
}
