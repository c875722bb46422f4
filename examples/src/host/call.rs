//! `host call`: one call, with everything that the server asks in between.

use std::{io::IsTerminal, process::ExitCode, sync::Arc};

use mcp_client::{
    Answer, ChildProcess, Client, Consent, FormQuestion, HandlerError, ToolCall, Trace,
    UrlQuestion, protocol::ContentBlock,
};

use super::{
    STARTUP,
    answers::Answers,
    clean::{clean, escape_json},
    cli::Call,
    explained, form, page,
    progress::Bar,
    unless_interrupted,
};
use crate::AnyError;

pub(super) async fn call(
    call: Call,
    server: Trace<ChildProcess>,
    json: bool,
) -> Result<ExitCode, AnyError> {
    let bar = Bar::default();
    let asking = Arc::new(Asking {
        answers: Answers::new(call.answers),
        bar: bar.clone(),
    });
    let (form_asking, page_asking, reported) = (asking.clone(), asking.clone(), bar.clone());
    let connecting = Client::builder("host", env!("CARGO_PKG_VERSION"))
        .on_form(move |question| form_asking.clone().form(question))
        .on_url(move |question| page_asking.clone().page(question))
        .on_progress(move |report| reported.report(&report))
        // A tool may take its time; Ctrl-C ends the call.
        .without_request_timeout()
        .probe_timeout(STARTUP)
        .connect(server);
    let client = unless_interrupted(connecting).await?.map_err(explained)?;
    let called = unless_interrupted(client.call_tool(call.tool, &call.arguments)).await;
    bar.clear();
    client.close().await;
    drop(client);
    if let Some(asking) = Arc::into_inner(asking) {
        for key in asking.answers.unused() {
            eprintln!(
                "nothing was asked under `{}`: its answer was not used",
                clean(&key)
            );
        }
    }
    print(&called??, json)
}

/// Who answers: the command line first, then the person at the terminal.
struct Asking {
    answers: Answers,
    bar: Bar,
}

impl Asking {
    async fn form(self: Arc<Self>, question: FormQuestion) -> Result<Answer, HandlerError> {
        self.bar.clear();
        match self.answers.form(&question.key) {
            Some(answer) => Ok(answer),
            None if at_a_terminal() => form::ask(question).await,
            None => Err(no_answer(&question.key, &question.message)),
        }
    }

    async fn page(self: Arc<Self>, question: UrlQuestion) -> Result<Consent, HandlerError> {
        self.bar.clear();
        match self.answers.page(&question.key) {
            Some(consent) => {
                eprintln!("The page to open is {}", clean(&question.url));
                Ok(consent)
            }
            None if at_a_terminal() => page::ask(question).await,
            None => Err(no_answer(&question.key, &question.message)),
        }
    }
}

fn at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn no_answer(key: &str, message: &str) -> HandlerError {
    let (key, message) = (clean(key), clean(message));
    format!("the server asks \"{message}\" and there is no terminal; add --answer {key}=JSON")
        .into()
}

/// Prints the result: text as text, everything else as JSON.
fn print(call: &ToolCall, json: bool) -> Result<ExitCode, AnyError> {
    if json {
        println!(
            "{}",
            escape_json(&serde_json::to_string_pretty(&call.result)?)
        );
    } else {
        for block in &call.result.content {
            match block {
                ContentBlock::Text(text) => println!("{}", clean(&text.text)),
                other => println!("{}", escape_json(&serde_json::to_string(other)?)),
            }
        }
        // Most servers repeat it as text, for clients that know no other.
        if let (true, Some(structured)) = (
            call.result.content.is_empty(),
            &call.result.structured_content,
        ) {
            println!("{}", escape_json(structured.get()));
        }
    }
    if call.is_error() {
        eprintln!("the tool failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
