//! Answers that were given on the command line, for scripts.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
    sync::{Mutex, PoisonError},
};

use mcp_client::{Answer, Consent};
use serde_json::{Map, Value};

/// One `--answer KEY=JSON`.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    key: String,
    answer: Answer,
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((key, answer)) = text.split_once('=') else {
            return Err(expected("KEY"));
        };
        if key.is_empty() {
            return Err("there is no key before the `=`".to_owned());
        }
        let answer = match answer {
            "accept" => Answer::Accept(Map::new()),
            "decline" => Answer::Decline,
            "cancel" => Answer::Cancel,
            json => match serde_json::from_str(json) {
                Ok(Value::Object(content)) => Answer::Accept(content),
                // A slip of the pen: where it is, is all that is wanted.
                Err(error) if json.trim_start().starts_with('{') => {
                    return Err(format!("the JSON object cannot be read: {error}"));
                }
                _ => return Err(expected(key)),
            },
        };
        Ok(Self {
            key: key.to_owned(),
            answer,
        })
    }
}

/// What an answer may be.
fn expected(key: &str) -> String {
    format!(
        "expected `{key}=accept` (for a page), `{key}=decline`, `{key}=cancel`, or for a form a JSON object with its \
         fields, also where that is a single yes or no: `{key}={{\"FIELD\": true}}`"
    )
}

/// All answers that were given, and which of them somebody asked for.
#[derive(Debug)]
pub(super) struct Answers {
    given: BTreeMap<String, Answer>,
    unused: Mutex<BTreeSet<String>>,
}

impl Answers {
    pub(super) fn new(given: Vec<Given>) -> Self {
        let given: BTreeMap<_, _> = given.into_iter().map(|one| (one.key, one.answer)).collect();
        Self {
            unused: Mutex::new(given.keys().cloned().collect()),
            given,
        }
    }

    pub(super) fn form(&self, key: &str) -> Option<Answer> {
        let answer = self.given.get(key).cloned();
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        unused.remove(key);
        answer
    }

    pub(super) fn page(&self, key: &str) -> Option<Consent> {
        Some(match self.form(key)? {
            Answer::Accept(_) => Consent::Accept,
            Answer::Decline => Consent::Decline,
            Answer::Cancel => Consent::Cancel,
        })
    }

    /// The keys that nobody asked for: most likely misspelt.
    pub(super) fn unused(&self) -> BTreeSet<String> {
        let unused = self.unused.lock();
        unused.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn answer(text: &str) -> Result<Answer, String> {
        text.parse::<Given>().map(|given| given.answer)
    }

    #[test]
    fn an_answer_is_json_or_a_word() {
        let content = Answer::accept(json!({"confirm": true, "note": "a=b"})).unwrap();
        let text = r#"answer={"confirm": true, "note": "a=b"}"#;
        let given: Given = text.parse().unwrap();
        assert_eq!((given.key.as_str(), given.answer), ("answer", content));
        assert_eq!(answer("a=decline"), Ok(Answer::Decline));
        assert_eq!(answer("a=cancel"), Ok(Answer::Cancel));
        assert_eq!(answer("a=accept"), Ok(Answer::Accept(Map::new())));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in [
            "",
            "a",
            "=decline",
            "a=",
            "a=yes",
            "a=true",
            "a=[1]",
            "a={",
            "a=Decline",
        ] {
            assert!(answer(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_refusal_says_what_an_answer_may_be() {
        for text in [
            "answer",
            "answer=",
            "answer=yes",
            "answer=true",
            "answer=[1]",
        ] {
            let refusal = answer(text).unwrap_err();
            for way in [
                "=accept` (for a page)",
                "=decline`",
                "=cancel`",
                "JSON object",
            ] {
                assert!(refusal.contains(way), "{text}: {refusal}");
            }
        }
        let refusal = answer("a=yes").unwrap_err();
        assert!(refusal.contains(r#"`a={"FIELD": true}`"#), "{refusal}");
        let refusal = answer(r#"a={"confirm": yes}"#).unwrap_err();
        assert!(refusal.contains("column"), "{refusal}");
    }

    #[test]
    fn an_answer_that_nobody_asked_for_is_told() {
        let given = ["a=decline", "b=accept", "c=cancel"].map(|text| text.parse().unwrap());
        let answers = Answers::new(given.into());
        assert_eq!(answers.form("a"), Some(Answer::Decline));
        assert_eq!(answers.page("b"), Some(Consent::Accept));
        assert_eq!(answers.form("d"), None);
        assert_eq!(answers.unused().into_iter().collect::<Vec<_>>(), ["c"]);
    }
}
