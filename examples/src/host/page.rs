//! A page that a server wants opened: shown whole, opened only after consent, never fetched.
//!
//! Specification: client/elicitation, Safe URL Handling.

use std::{
    fmt,
    process::{Command, Stdio},
};

use inquire::{InquireError, Select};
use mcp_client::{Consent, HandlerError, UrlQuestion};
use reqwest::Url;

use super::{clean::clean_line, form::introduce};
use crate::AnyError;

/// Offers the page to the person at the terminal, and opens it in the browser after consent.
///
/// # Errors
///
/// There is no terminal, or the person has interrupted the program: that is no answer.
pub async fn ask(question: UrlQuestion) -> Result<Consent, HandlerError> {
    tokio::task::spawn_blocking(move || offer(&question)).await?
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

fn offer(question: &UrlQuestion) -> Result<Consent, AnyError> {
    introduce(&question.asker, &question.message);
    // As the browser will ask for it: with nothing in it that could look like something else.
    let url = ascii(&question.url)?;
    eprintln!(
        "It wants to open this page, on the site {}:\n  {url}",
        url.host_str().unwrap_or_default()
    );
    for warning in question.warnings() {
        eprintln!("  Careful: {warning}.");
    }
    // The harmless one first: whoever only presses enter has agreed to nothing.
    let steps = vec![Step::Decline, Step::Close, Step::Open];
    let consent = answer(Select::new("Open it?", steps))?;
    if consent == Consent::Accept && browse(url.as_str()).is_err() {
        eprintln!("No browser could be started: open the page yourself.");
    }
    Ok(consent)
}

/// The address in ASCII: percent-encoded, and the host as the network knows it.
///
/// # Errors
///
/// It is no address. That is no answer of the person, and must not look like one.
fn ascii(url: &str) -> Result<Url, AnyError> {
    url.parse()
        .map_err(|error| format!("the page {} cannot be offered: {error}", clean_line(url)).into())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_address_is_shown_as_the_browser_asks_for_it() {
        for (url, shown) in [
            (
                "https://shop.example/größe",
                "https://shop.example/gr%C3%B6%C3%9Fe",
            ),
            (
                "https://shop.example/\u{202e}gnp.exe",
                "https://shop.example/%E2%80%AEgnp.exe",
            ),
            (
                "https://münchen.example/",
                "https://xn--mnchen-3ya.example/",
            ),
        ] {
            assert_eq!(ascii(url).unwrap().as_str(), shown);
        }
        assert!(ascii("no address").is_err());
    }
}
