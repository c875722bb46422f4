//! A form as prompts: field after field, then a last look, with a way to decline or to close it.

use std::fmt;

use inquire::{InquireError, Select};
use mcp_client::{Answer, Asker, FormQuestion, HandlerError};
use serde_json::{Map, Value};

use super::{
    clean::{clean, clean_line},
    field::{self, Filled},
};

/// Shows the form to the person at the terminal.
///
/// # Errors
///
/// There is no terminal, or the person has interrupted the program: that is no answer.
pub async fn ask(question: FormQuestion) -> Result<Answer, HandlerError> {
    // Prompts wait for keys, which must not hold up the connection.
    Ok(tokio::task::spawn_blocking(move || fill_in(&question)).await??)
}

/// Says who asks. A server chooses its name itself, so the tool that was called stands beside it.
pub(super) fn introduce(asker: &Asker, message: &str) {
    let server = asker
        .server
        .as_ref()
        .map_or("a server without a name", |info| &info.name);
    eprintln!(
        "\nThe server \"{}\" asks, for the tool {}:\n{}",
        clean_line(server),
        clean_line(&asker.target),
        clean(message)
    );
}

fn fill_in(question: &FormQuestion) -> Result<Answer, InquireError> {
    introduce(&question.asker, &question.message);
    let mut content = defaults(question);
    loop {
        let filled = fill_fields(question, &mut content)?;
        let mut steps = vec![Step::Change, Step::Decline, Step::Close];
        if filled {
            review(question, &content);
            steps.insert(0, Step::Send);
        }
        match Select::new("What now?", steps).prompt_skippable()? {
            Some(Step::Send) => return Ok(Answer::Accept(content)),
            Some(Step::Change) => {}
            Some(Step::Decline) => return Ok(Answer::Decline),
            Some(Step::Close) | None => return Ok(Answer::Cancel),
        }
    }
}

/// Shows what would be sent, in the form's order.
fn review(question: &FormQuestion, content: &Map<String, Value>) {
    for field in &question.schema.fields {
        if let Some(value) = content.get(&field.name) {
            let label = field.title.as_deref().unwrap_or(&field.name);
            eprintln!(
                "  {}: {}",
                clean_line(label),
                clean_line(&value.to_string())
            );
        }
    }
}

/// Whether the person came to the end of the form.
fn fill_fields(
    question: &FormQuestion,
    content: &mut Map<String, Value>,
) -> Result<bool, InquireError> {
    for field in &question.schema.fields {
        let required = question.schema.is_required(&field.name);
        match field::ask(field, required, content.get(&field.name))? {
            Filled::With(value) => content.insert(field.name.clone(), value),
            Filled::Empty => content.remove(&field.name),
            Filled::Left => return Ok(false),
        };
    }
    Ok(true)
}

fn defaults(question: &FormQuestion) -> Map<String, Value> {
    let fields = question.schema.fields.iter();
    fields
        .filter_map(|field| Some((field.name.clone(), field.kind.default_value()?)))
        .collect()
}

/// What to do with the form.
#[derive(Clone, Copy)]
enum Step {
    Send,
    Change,
    Decline,
    Close,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Send => "send this answer",
            Self::Change => "go through the form again",
            Self::Decline => "decline: say no",
            Self::Close => "close the form without an answer",
        })
    }
}
