//! One exchange of questions and answers: what came with this round, and what goes out with it.

use std::borrow::Cow;

use super::{
    InputResponses, Refusal,
    responses::{Place, accepted, elicit_answer},
};
use crate::{
    once::{ClaimKey, Claimed},
    outcome::{InputRequired, Request},
    state::{Asked, Digest, Few, Payload, Stamp, StateBody, in_order},
};

/// The exchange that a call belongs to.
#[derive(Default)]
pub(crate) struct Exchange {
    /// What the rounds so far have learned.
    pub(crate) payload: Payload,
    /// The stamp of the state that came with this round, once it was verified.
    pub(crate) verified: Option<Stamp>,
    /// The questions of this round, in order.
    pub(crate) pending: Vec<Request>,
    /// Why an answer of this round did not count, by parameter.
    pub(crate) reasons: Few<String>,
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
    pub(crate) fn resume(body: StateBody) -> Self {
        Self {
            payload: body.payload,
            verified: Some(body.stamp),
            pending: Vec::new(),
            reasons: Few::default(),
            claims: Vec::new(),
        }
    }

    /// Notes what a tool asks by hand in this round: only that can be answered. What parameters ask was noted
    /// when it was shown.
    pub(crate) fn note(&mut self, input: InputRequired) {
        if input.of_parameters {
            return;
        }
        self.payload.asked = Few::default();
        // In the order of their keys each comes to the end of those before.
        for at in in_order(&input.keys()).unwrap_or_default() {
            let Request { key, question, .. } = &input.requests[at];
            let asked = Asked {
                question: question.digest(&[]),
                depends: Digest::NOTHING,
                times: 1,
                changes: 0,
            };
            self.payload.asked.insert(key.to_string(), asked);
        }
        self.payload.by_hand = input.state;
    }

    /// The places of the answers to what was asked, where the client sent others too.
    ///
    /// A verified state says that this server asked something, not that it asked what is answered.
    pub(crate) fn only_asked(&self, responses: InputResponses<'_>) -> Option<Vec<Place>> {
        let is_asked = |place: &&Place| self.payload.asked.get(&place.key).is_some();
        let places = responses.places();
        if places.iter().all(|place| is_asked(&place)) {
            return None;
        }
        Some(places.iter().filter(is_asked).cloned().collect())
    }

    /// Which round of the call this is, from 1.
    pub(crate) fn round(&self) -> u32 {
        self.verified
            .as_ref()
            .map_or(1, |stamp| stamp.round.saturating_add(1))
    }
}

/// An answer that counts.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    /// A form's content, a completion or a list of roots, as JSON.
    Content(Cow<'a, str>),
    Refused(Refusal),
}

impl Answer<'_> {
    /// The form in which it is recorded: that of the client's result.
    pub(crate) fn record(&self, elicited: bool) -> String {
        match self {
            Self::Content(content) if elicited => {
                [r#"{"action":"accept","content":"#, content, "}"].concat()
            }
            Self::Content(content) => content.to_string(),
            Self::Refused(Refusal::Declined) => r#"{"action":"decline"}"#.to_owned(),
            Self::Refused(Refusal::Cancelled) => r#"{"action":"cancel"}"#.to_owned(),
        }
    }

    /// Reads a recorded answer; one that cannot be read is none.
    pub(crate) fn recorded(json: &str, elicited: bool) -> Option<Self> {
        if !elicited {
            return Some(Self::Content(json.to_owned().into()));
        }
        Some(match accepted(elicit_answer(json).ok()?).ok()? {
            Ok(content) => Self::Content(content.to_owned().into()),
            Err(refusal) => Self::Refused(refusal),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Under the lock of the exchange: what grew with the square of the questions would hold it for minutes.
    #[test]
    fn many_questions_are_noted_soon() {
        let asks = (0..100_000).fold(InputRequired::new(), |asks, at| {
            asks.url(
                format!("{:06}", 999_999 - at),
                "Pay.",
                "https://pay.example",
            )
        });
        let mut exchange = Exchange::default();
        let begun = Instant::now();
        exchange.note(asks.state("paying"));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(exchange.payload.asked.len(), 100_000);
        assert!(exchange.payload.asked.get("999999").is_some());
        assert_eq!(exchange.payload.by_hand.as_deref(), Some("paying"));
    }
}
