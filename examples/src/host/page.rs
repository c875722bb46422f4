//! A page that a server wants opened: shown whole, opened only after consent, never fetched.
//!
//! Specification: client/elicitation, Safe URL Handling.

use std::{
    fmt,
    process::{Command, Stdio},
};

use inquire::{InquireError, Select};
use mcp_client::{Consent, HandlerError, UrlQuestion};

use super::{clean::clean_line, form::introduce};
use crate::AnyError;

/// Offers the page to the person at the terminal, and opens it in the browser after consent.
///
/// # Errors
///
/// There is no terminal, or the person has interrupted the program: that is no answer.
pub async fn ask(question: UrlQuestion) -> Result<Consent, HandlerError> {
    Ok(tokio::task::spawn_blocking(move || offer(&question)).await??)
}

/// Waits until the person comes back from the page.
///
/// # Errors
///
/// As [`ask`].
pub async fn wait() -> Result<Consent, AnyError> {
    let wait = || {
        let steps = vec![Step::Done, Step::Decline, Step::Close];
        answer(Select::new("Have you finished on the page?", steps))
    };
    Ok(tokio::task::spawn_blocking(wait).await??)
}

fn offer(question: &UrlQuestion) -> Result<Consent, InquireError> {
    introduce(&question.asker, &question.message);
    if clean_line(&question.url) != question.url || !question.url.is_ascii() {
        eprintln!("Its page was not offered: the address has characters that may hide something.");
        return Ok(Consent::Cancel);
    }
    eprintln!(
        "It wants to open this page, on the site {}:\n  {}",
        question.host(),
        question.url
    );
    for warning in question.warnings() {
        eprintln!("  Careful: {warning}.");
    }
    let steps = vec![Step::Open, Step::Decline, Step::Close];
    let consent = answer(Select::new("Open it?", steps))?;
    if consent == Consent::Accept && browse(&question.url).is_err() {
        eprintln!("No browser could be started: open the page yourself.");
    }
    Ok(consent)
}

fn answer(prompt: Select<'_, Step>) -> Result<Consent, InquireError> {
    Ok(match prompt.prompt_skippable()? {
        Some(Step::Open | Step::Done) => Consent::Accept,
        Some(Step::Decline) => Consent::Decline,
        Some(Step::Close) | None => Consent::Cancel,
    })
}

/// Opens a page as the system does, in a process of its own and without a shell.
fn browse(url: &str) -> std::io::Result<()> {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    let mut browser = command
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // It may go on for as long as the browser; somebody must take note of its end.
    std::thread::spawn(move || browser.wait());
    Ok(())
}

#[derive(Clone, Copy)]
enum Step {
    Open,
    Done,
    Decline,
    Close,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open it in the browser",
            Self::Done => "yes, go on",
            Self::Decline => "decline: say no",
            Self::Close => "close this without an answer",
        })
    }
}
