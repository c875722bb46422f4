//! Who answers the questions: the person at the terminal, or a script.

use mcp_client::{Answer, Consent, FormQuestion, HandlerError, UrlQuestion};
use serde_json::json;

use super::out::say;
use crate::host::{clean::clean, form, page};

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// Whoever sits at the terminal is shown the forms.
    AtTheTerminal,
    /// A script answers as a willing person would.
    Script,
}

impl Person {
    pub(super) async fn fill_in(self, question: FormQuestion) -> Result<Answer, HandlerError> {
        if self == Self::AtTheTerminal {
            return form::ask(question).await;
        }
        say!("asked: {}", clean(&question.message));
        let content = match question.key.as_str() {
            "confirm" => json!({ "release": true }),
            "found" => json!({ "reason": "damaged in transit", "restock": false }),
            other => return Err(format!("the script has no answer to `{other}`").into()),
        };
        say!("answered by script: {content}");
        Ok(Answer::accept(content)?)
    }

    pub(super) async fn open(self, question: UrlQuestion) -> Result<Consent, HandlerError> {
        if self == Self::AtTheTerminal {
            return page::ask(question).await;
        }
        say!("asked: {}", clean(&question.message));
        Ok(Consent::Accept)
    }
}
