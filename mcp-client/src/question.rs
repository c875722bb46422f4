//! What a server may ask for in the middle of a call, and the answers.
//!
//! Specification: basic/patterns/mrtr and client/elicitation.

use std::fmt;

use mcp_core::protocol::{
    CreateMessageRequestParams, CreateMessageResult, Implementation, ListRootsResult,
};
use mcp_core::schema::FormSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;

/// The kinds of input a client can declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Kind {
    /// A form to fill in (`elicitation.form`).
    Form,
    /// A page to open (`elicitation.url`).
    Url,
    /// A completion by the host's model (`sampling`).
    Sampling,
    /// The host's directories (`roots`).
    Roots,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "elicitation.form",
            Self::Url => "elicitation.url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        })
    }
}

/// Who asks, and in which call: a host must make this clear to the person.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Asker {
    /// The server, as it calls itself; nothing verifies the name.
    pub server: Option<Implementation>,
    /// The method of the call that is paused, such as `tools/call`.
    pub method: String,
    /// What was called, such as the tool's name.
    pub target: String,
    /// The round that asks; the first request of a call is round 1.
    pub round: u32,
}

/// One thing that a server asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InputRequest {
    /// A form.
    Form(FormQuestion),
    /// A page.
    Url(UrlQuestion),
    /// A completion.
    Sampling(SamplingQuestion),
    /// The directories.
    Roots(RootsQuestion),
}

impl InputRequest {
    /// The server's name for this request, under which the answer goes back.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Form(question) => &question.key,
            Self::Url(question) => &question.key,
            Self::Sampling(question) => &question.key,
            Self::Roots(question) => &question.key,
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Form(_) => Kind::Form,
            Self::Url(_) => Kind::Url,
            Self::Sampling(_) => Kind::Sampling,
            Self::Roots(_) => Kind::Roots,
        }
    }
}

/// A form for a person to fill in, decline or close.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormQuestion {
    /// The server's name for this request.
    pub key: String,
    /// Why it asks, in words. It is untrusted text: a terminal must strip escape sequences.
    pub message: String,
    /// The fields.
    pub schema: FormSchema,
    /// Who asks.
    pub asker: Asker,
}

impl FormQuestion {
    /// Checks an answer as it will be checked before it is sent, so that the form can be shown again.
    ///
    /// # Errors
    ///
    /// One sentence for each field that does not fit.
    pub fn validate(&self, content: &Map<String, Value>) -> Result<(), Vec<String>> {
        self.schema
            .validate(content)
            .map_err(|violations| violations.iter().map(ToString::to_string).collect())
    }
}

/// A page that a person is asked to open.
///
/// The host must show the whole URL, must not fetch it, and must open it only after consent, where
/// neither it nor a model can see the page (specification: client/elicitation, Safe URL Handling).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UrlQuestion {
    /// The server's name for this request.
    pub key: String,
    /// Why it asks, in words. It is untrusted text.
    pub message: String,
    /// The page: an `https` or `http` URL with a host and without characters that no URL has.
    pub url: String,
    /// Who asks.
    pub asker: Asker,
}

impl UrlQuestion {
    /// The host in the URL, to be shown prominently.
    #[must_use]
    pub fn host(&self) -> &str {
        host(&self.url).unwrap_or_default()
    }

    /// What a person should be warned of before consenting; empty for an ordinary URL.
    #[must_use]
    pub fn warnings(&self) -> Vec<&'static str> {
        let authority = authority(&self.url).unwrap_or_default();
        let mut warnings = Vec::new();
        if authority.contains('@') {
            warnings.push("the part before the @ is not the site");
        }
        let is_puny = |label: &str| {
            label
                .get(..4)
                .is_some_and(|p| p.eq_ignore_ascii_case("xn--"))
        };
        if self.host().split('.').any(is_puny) || !authority.is_ascii() {
            warnings.push("the site's name has letters that may only look like others");
        }
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        if self
            .url
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"))
            && !loopback.contains(&self.host())
        {
            warnings.push("the connection is not encrypted");
        }
        warnings
    }
}

/// A completion that the server wants from the host's model. Deprecated in the protocol.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SamplingQuestion {
    /// The server's name for this request.
    pub key: String,
    /// The request.
    pub params: CreateMessageRequestParams,
    /// Who asks.
    pub asker: Asker,
}

/// The server wants to know the host's directories. Deprecated in the protocol.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RootsQuestion {
    /// The server's name for this request.
    pub key: String,
    /// Who asks.
    pub asker: Asker,
}

/// What a person did with a form.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Answer {
    /// Submitted it with this content, which is validated before it is sent.
    Accept(Map<String, Value>),
    /// Said no.
    Decline,
    /// Closed it without a choice.
    Cancel,
}

impl Answer {
    /// Accepts with the fields of `content`, anything that serialises to an object.
    ///
    /// # Errors
    ///
    /// `content` does not serialise to a JSON object.
    pub fn accept(content: impl Serialize) -> Result<Self, serde_json::Error> {
        match serde_json::to_value(content)? {
            Value::Object(content) => Ok(Self::Accept(content)),
            _ => Err(serde::ser::Error::custom(
                "a form's content must be an object",
            )),
        }
    }
}

/// What a person did with a page that they were asked to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Consent {
    /// Agreed to open it. Whether anything was done there, the server finds out by itself.
    Accept,
    /// Said no.
    Decline,
    /// Closed it without a choice.
    Cancel,
}

/// An answer to any kind of input request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Response {
    /// To a form.
    Form(Answer),
    /// To a page.
    Url(Consent),
    /// To a request for a completion.
    Sampling(Box<CreateMessageResult>),
    /// To a request for the directories.
    Roots(ListRootsResult),
}

impl Response {
    /// The kind of request it answers.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Form(_) => Kind::Form,
            Self::Url(_) => Kind::Url,
            Self::Sampling(_) => Kind::Sampling,
            Self::Roots(_) => Kind::Roots,
        }
    }

    /// The JSON that goes back, after a check against the question.
    pub(crate) fn to_json(&self, request: &InputRequest) -> Result<String, Error> {
        let invalid = |reason: String| Error::InvalidAnswer {
            key: request.key().to_owned(),
            reason,
        };
        match (self, request) {
            (Self::Form(Answer::Accept(content)), InputRequest::Form(question)) => {
                question
                    .validate(content)
                    .map_err(|reasons| invalid(reasons.join("; ")))?;
                Ok(serde_json::json!({ "action": "accept", "content": content }).to_string())
            }
            (Self::Form(Answer::Decline), InputRequest::Form(_)) => Ok(action("decline")),
            (Self::Form(Answer::Cancel), InputRequest::Form(_)) => Ok(action("cancel")),
            (Self::Url(consent), InputRequest::Url(_)) => Ok(action(match consent {
                Consent::Accept => "accept",
                Consent::Decline => "decline",
                Consent::Cancel => "cancel",
            })),
            (Self::Sampling(result), InputRequest::Sampling(_)) => {
                serde_json::to_string(result).map_err(|e| invalid(e.to_string()))
            }
            (Self::Roots(result), InputRequest::Roots(_)) => {
                serde_json::to_string(result).map_err(|e| invalid(e.to_string()))
            }
            _ => Err(invalid(format!(
                "the server asked for {} and the answer is for {}",
                request.kind(),
                self.kind()
            ))),
        }
    }
}

fn action(name: &str) -> String {
    format!(r#"{{"action":"{name}"}}"#)
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        Self::Form(answer)
    }
}

impl From<Consent> for Response {
    fn from(consent: Consent) -> Self {
        Self::Url(consent)
    }
}

impl From<CreateMessageResult> for Response {
    fn from(result: CreateMessageResult) -> Self {
        Self::Sampling(Box::new(result))
    }
}

impl From<ListRootsResult> for Response {
    fn from(result: ListRootsResult) -> Self {
        Self::Roots(result)
    }
}

/// Checks what the specification lets a URL question hold.
pub(crate) fn check_url(url: &str) -> Result<(), &'static str> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '\\' | '<' | '>' | '"');
    if url.contains(odd) {
        return Err("its url has characters that no URL has");
    }
    match host(url) {
        Some("") | None => Err("its url is not an absolute http or https URL"),
        Some(_) => Ok(()),
    }
}

fn authority(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    rest.split(['/', '?', '#']).next()
}

fn host(url: &str) -> Option<&str> {
    let authority = authority(url)?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        return host.split_inclusive(']').next();
    }
    host.split(':').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_web_urls_are_urls() {
        for good in [
            "https://shop.example/pay?x=1",
            "http://127.0.0.1:8080/",
            "HTTPS://Shop.Example",
        ] {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "/relative",
            "https://",
            "https:///path",
            "https://a.example\\@b.example/",
            "https://a.example/\u{1b}[2J",
            "https://a.example/ b",
            "",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_host_is_what_the_browser_goes_to() {
        for (url, expected) in [
            ("https://shop.example:8443/a?b#c", "shop.example"),
            ("https://bank.example@evil.example/", "evil.example"),
            ("http://[::1]:80/", "[::1]"),
            ("https://shop.example?https://other.example", "shop.example"),
        ] {
            assert_eq!(host(url), Some(expected), "{url}");
        }
    }
}
