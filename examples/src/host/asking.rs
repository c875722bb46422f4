//! Who answers what a server asks: the command line first, then the person at the terminal.

use std::{
    io::IsTerminal,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_client::{Answer, Builder, Consent, Error, FormQuestion, HandlerError, UrlQuestion};

use super::{
    answers::{Answers, Given},
    clean::clean,
    form, page,
    progress::Bar,
};
use crate::AnyError;

#[derive(Debug)]
pub(super) struct Asking {
    answers: Answers,
    bar: Bar,
    /// Why a question has no answer.
    failed: Mutex<Option<String>>,
}

impl Asking {
    pub(super) fn new(given: Vec<Given>) -> Arc<Self> {
        Arc::new(Self {
            answers: Answers::new(given),
            bar: Bar::default(),
            failed: Mutex::default(),
        })
    }

    /// A client that can be asked.
    pub(super) fn client(self: &Arc<Self>) -> Builder {
        let (form, page, bar) = (self.clone(), self.clone(), self.bar.clone());
        super::client()
            .on_form(move |question| form.clone().form(question))
            .on_url(move |question| page.clone().page(question))
            .on_progress(move |report| bar.report(&report))
            // It may take its time; Ctrl-C ends it.
            .without_request_timeout()
    }

    /// Clears the terminal for the result, and says which answers nobody wanted and which question got none: a
    /// server of an older revision only learns that, and what it makes of it says nothing of the reason.
    pub(super) fn finish<T>(&self, done: &Result<T, AnyError>) {
        self.bar.clear();
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = failed.as_deref().filter(|_| !says_so(done)) {
            eprintln!("error: {}", clean(reason));
        }
        for key in self.answers.unused() {
            eprintln!(
                "nothing was asked under `{}`: its answer was not used",
                clean(&key)
            );
        }
    }

    async fn form(self: Arc<Self>, question: FormQuestion) -> Result<Answer, HandlerError> {
        self.bar.clear();
        let answer = match self.answers.form(&question.key) {
            Some(answer) => Ok(answer),
            None if at_a_terminal() => form::ask(question).await,
            None => Err(no_answer(&question.key, &question.message)),
        };
        answer.inspect_err(|error| self.note(error))
    }

    async fn page(self: Arc<Self>, question: UrlQuestion) -> Result<Consent, HandlerError> {
        self.bar.clear();
        let consent = match self.answers.page(&question.key) {
            Some(consent) => {
                eprintln!("The page to open is {}", clean(&question.url));
                Ok(consent)
            }
            None if at_a_terminal() => page::ask(question).await,
            None => Err(no_answer(&question.key, &question.message)),
        };
        consent.inspect_err(|error| self.note(error))
    }

    fn note(&self, error: &HandlerError) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        *failed = Some(error.to_string());
    }
}

/// Whether the error is that of a question without an answer.
fn says_so<T>(done: &Result<T, AnyError>) -> bool {
    let error = done.as_ref().err().and_then(|error| error.downcast_ref());
    matches!(error, Some(Error::Handler { .. }))
}

fn at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn no_answer(key: &str, message: &str) -> HandlerError {
    let (key, message) = (clean(key), clean(message));
    format!("the server asks \"{message}\" and there is no terminal; add --answer {key}=JSON")
        .into()
}
