//! One exchange of questions and answers: what came with this round, and what goes out with it.

use std::collections::BTreeMap;

use mcp_core::rpc::write_str;
use serde_json::value::RawValue;

use super::{
    InputResponses, Refusal,
    responses::{accepted, elicit_answer},
};
use crate::{
    once::{ClaimKey, Claimed},
    outcome::Request,
    state::{Asked, Digest, Few, Payload, Raw, StateBody},
};

/// The exchange that a call belongs to.
#[derive(Default)]
pub(crate) struct Exchange {
    /// What the rounds so far have learned.
    pub(crate) payload: Payload,
    /// The state that came with this round, once it was verified. Its payload is the one above.
    pub(crate) verified: Option<Box<StateBody>>,
    /// The questions of this round, in order.
    pub(crate) pending: Vec<Request>,
    /// Why an answer of this round did not count, by parameter.
    pub(crate) reasons: BTreeMap<String, String>,
    /// What is claimed for this call, and has to be finished with it.
    pub(crate) claims: Vec<(ClaimKey, Claimed)>,
}

/// What a call has learned must not end up in a log.
impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("round", &self.round())
            .finish_non_exhaustive()
    }
}

impl Exchange {
    /// Goes on from a state that was verified.
    pub(crate) fn resume(mut body: StateBody) -> Self {
        Self {
            payload: std::mem::take(&mut body.payload),
            verified: Some(Box::new(body)),
            ..Self::default()
        }
    }

    /// Notes the questions that a tool asks by hand in this round: only these can be answered.
    pub(crate) fn ask_by_hand(&mut self, requests: &[Request]) {
        self.payload.asked = Few::default();
        for Request { key, question, .. } in requests {
            let asked = Asked {
                question: question.digest(&[]),
                depends: Digest::NOTHING,
                times: 1,
                changes: 0,
            };
            self.payload.asked.insert(key.clone(), asked);
        }
    }

    /// The answers to what was asked, where the client sent others too.
    ///
    /// A verified state says that this server asked something, not that it asked what is answered.
    pub(crate) fn only_asked(&self, responses: InputResponses<'_>) -> Option<String> {
        let is_asked = |key: &str| self.payload.asked.get(key).is_some();
        if responses.keys().all(|key| is_asked(&key)) {
            return None;
        }
        let mut json = vec![b'{'];
        for key in responses.keys().filter(|key| is_asked(key)) {
            if json.len() > 1 {
                json.push(b',');
            }
            write_str(&mut json, &key);
            json.push(b':');
            json.extend_from_slice(responses.get(&key).unwrap_or("{}").as_bytes());
        }
        json.push(b'}');
        Some(String::from_utf8(json).expect("all parts are text"))
    }

    /// Which round of the call this is, from 1.
    pub(crate) fn round(&self) -> u32 {
        self.verified
            .as_ref()
            .map_or(1, |body| body.round.saturating_add(1))
    }
}

/// An answer that counts.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A form's content, a completion or a list of roots.
    Content(Box<RawValue>),
    Refused(Refusal),
}

impl Answer {
    /// The form in which it is recorded: that of the client's result.
    pub(crate) fn record(&self, elicited: bool) -> Raw {
        let json = match self {
            Self::Content(content) if elicited => {
                format!(r#"{{"action":"accept","content":{}}}"#, content.get())
            }
            Self::Content(content) => return Raw(content.clone()),
            Self::Refused(Refusal::Declined) => r#"{"action":"decline"}"#.to_owned(),
            Self::Refused(Refusal::Cancelled) => r#"{"action":"cancel"}"#.to_owned(),
        };
        Raw(RawValue::from_string(json).expect("built from JSON"))
    }

    /// Reads a recorded answer; one that cannot be read is none.
    pub(crate) fn recorded(raw: &Raw, elicited: bool) -> Option<Self> {
        if !elicited {
            return Some(Self::Content(raw.0.clone()));
        }
        Some(match accepted(elicit_answer(raw.get()).ok()?).ok()? {
            Ok(content) => Self::Content(RawValue::from_string(content.to_owned()).ok()?),
            Err(refusal) => Self::Refused(refusal),
        })
    }
}
