//! What is inside a state: who, what and when it is for, and what the call has learned so far.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::base64url;
use super::digest::Digest;
use super::error::{SealError, StateError};
use super::few::Few;
use super::principal::Principal;
use super::record::{Form, Reader, Writer};
use super::verify::{Binding, SKEW};

/// The version of the body. A state of another version is malformed: exchanges are short, and may begin again.
const VERSION: u64 = 1;

/// Which round of which exchange a state is of. Times are seconds since 1970.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Stamp {
    pub(crate) issued_at: u64,
    pub(crate) expires_at: u64,
    /// Part of what a state is bound to, kept so that it is taken once a round.
    pub(crate) arguments: Digest,
    pub(crate) exchange: ExchangeId,
    /// How many times this call was answered with questions, from 1.
    pub(crate) round: u32,
}

/// A state's content must not end up in a log by way of a `{:?}`.
impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stamp")
            .field("round", &self.round)
            .finish_non_exhaustive()
    }
}

impl Stamp {
    /// A stamp for the first round; [`RequestStates`](super::RequestStates) fills in times and round when it seals.
    pub(crate) fn new(arguments: Digest, exchange: ExchangeId) -> Self {
        Self {
            issued_at: 0,
            expires_at: 0,
            arguments,
            exchange,
            round: 0,
        }
    }

    /// Until when a claim on this exchange must be kept: no replica takes this state any more by then.
    pub(crate) fn claim_until(&self) -> SystemTime {
        let seconds = self.expires_at.saturating_add(SKEW);
        // A sealed time is never so far away; past what the system can count, it is simply the last moment that it can.
        UNIX_EPOCH
            .checked_add(Duration::from_secs(seconds))
            .unwrap_or(UNIX_EPOCH + Duration::from_secs(u64::from(u32::MAX)))
    }
}

/// What a state has to say beside what it is bound to.
#[derive(Clone, PartialEq)]
pub(crate) struct StateBody {
    pub(crate) stamp: Stamp,
    pub(crate) payload: Payload,
}

/// As that of its stamp.
impl fmt::Debug for StateBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateBody")
            .field("round", &self.stamp.round)
            .finish_non_exhaustive()
    }
}

/// The whole content of a state: a body, and what it is bound to.
#[derive(PartialEq)]
pub(crate) struct Content<'a> {
    pub(crate) method: Cow<'a, str>,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) target: Cow<'a, str>,
    pub(crate) audience: Cow<'a, str>,
    pub(crate) principal: Principal,
    pub(crate) body: StateBody,
}

impl Content<'_> {
    /// The content of a state that is kept here, and not sent.
    pub(crate) fn kept(body: StateBody, binding: &Binding<'_>) -> Content<'static> {
        Content {
            method: Cow::Owned(binding.method.to_owned()),
            target: Cow::Owned(binding.target.to_owned()),
            audience: Cow::Owned(binding.audience.to_owned()),
            principal: binding.principal.clone(),
            body,
        }
    }
}

/// Writes the content of a state.
pub(super) fn encode(
    stamp: &Stamp,
    payload: &Payload,
    binding: &Binding<'_>,
    form: Form,
) -> Vec<u8> {
    let mut to = Writer::new(form);
    to.mark(r#"{"v":"#);
    to.number(VERSION);
    to.mark(r#","i":"#);
    to.number(stamp.issued_at);
    to.mark(r#","e":"#);
    to.number(stamp.expires_at);
    to.mark(r#","m":"#);
    to.text(binding.method);
    to.mark(r#","t":"#);
    to.text(binding.target);
    to.mark(r#","d":"#);
    to.digest(&binding.arguments);
    to.mark(r#","a":"#);
    to.text(binding.audience);
    to.mark(r#","p":"#);
    binding.principal.write(&mut to);
    to.mark(r#","x":"#);
    to.bytes(&stamp.exchange.0);
    to.mark(r#","r":"#);
    to.number(stamp.round.into());
    to.mark(r#","c":"#);
    payload.write(&mut to);
    to.mark("}");
    to.finish()
}

/// Reads the content of a state positively: every field once, in its place and of its type, nothing else, nothing after it.
pub(super) fn decode(bytes: &[u8], form: Form) -> Result<Content<'_>, StateError> {
    let content = Reader::new(bytes, form).and_then(read);
    content.ok_or(StateError::Malformed)
}

fn read(mut from: Reader<'_>) -> Option<Content<'_>> {
    from.mark(r#"{"v":"#)?;
    if from.number()? != VERSION {
        return None;
    }
    from.mark(r#","i":"#)?;
    let issued_at = from.number()?;
    from.mark(r#","e":"#)?;
    let expires_at = from.number()?;
    from.mark(r#","m":"#)?;
    let method = from.text()?;
    from.mark(r#","t":"#)?;
    let target = from.text()?;
    from.mark(r#","d":"#)?;
    let arguments = from.digest()?;
    from.mark(r#","a":"#)?;
    let audience = from.text()?;
    from.mark(r#","p":"#)?;
    let principal = Principal::read(&mut from)?;
    from.mark(r#","x":"#)?;
    let exchange = ExchangeId(from.bytes()?);
    from.mark(r#","r":"#)?;
    let round = from.count()?;
    from.mark(r#","c":"#)?;
    let payload = Payload::read(&mut from)?;
    from.mark("}")?;
    from.finish()?;
    if round == 0 || issued_at > expires_at {
        return None;
    }
    Some(Content {
        method,
        target,
        audience,
        principal,
        body: StateBody {
            stamp: Stamp {
                issued_at,
                expires_at,
                arguments,
                exchange,
                round,
            },
            payload,
        },
    })
}

/// What a call has learned in its rounds so far. Keys are those of `inputRequests`, unless said otherwise.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Payload {
    /// Answers taken, so that a person is asked each question once. That to the last question is needed in one round alone:
    /// it is here only where a layer may ask after it.
    pub(crate) answers: Few<Answer>,
    /// Questions shown and not yet settled.
    pub(crate) asked: Few<Asked>,
    /// Random ids of the flows begun, by flow name.
    pub(crate) flows: Few<String>,
    /// Results of work done once per exchange, as JSON, by memo name.
    pub(crate) memos: Few<String>,
    /// The state of a tool that returns `Outcome::InputRequired` itself.
    pub(crate) by_hand: Option<String>,
}

impl Payload {
    /// Whether there is anything that the next round must find again.
    pub(crate) fn remembers(&self) -> bool {
        self.by_hand.is_some()
            || !self.answers.is_empty()
            || !self.flows.is_empty()
            || !self.memos.is_empty()
    }

    /// About how many bytes of a state it takes, without the questions.
    pub(crate) fn size(&self) -> usize {
        /// Lengths, and the digest of an answer's question.
        const ENTRY: usize = 48;
        let mut size = self.by_hand.as_ref().map_or(0, String::len);
        for (key, answer) in self.answers.iter() {
            size += key.len() + answer.value.len() + ENTRY;
        }
        for texts in [&self.flows, &self.memos] {
            for (name, text) in texts.iter() {
                size += name.len() + text.len() + ENTRY;
            }
        }
        size
    }

    fn write(&self, to: &mut Writer) {
        to.mark(r#"{"a":"#);
        to.map(&self.answers, |to, answer| {
            to.mark(r#"{"q":"#);
            to.digest(&answer.question);
            to.mark(r#","v":"#);
            to.json(&answer.value);
            to.mark("}");
        });
        to.mark(r#","q":"#);
        to.map(&self.asked, |to, asked| {
            to.mark(r#"{"q":"#);
            to.digest(&asked.question);
            to.mark(r#","d":"#);
            to.digest(&asked.depends);
            to.mark(r#","n":"#);
            to.number(asked.times.into());
            to.mark(r#","c":"#);
            to.number(asked.changes.into());
            to.mark("}");
        });
        to.mark(r#","f":"#);
        to.map(&self.flows, |to, id| to.text(id));
        to.mark(r#","m":"#);
        to.map(&self.memos, |to, memo| to.json(memo));
        to.mark(r#","h":"#);
        to.optional(self.by_hand.as_deref());
        to.mark("}");
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.mark(r#"{"a":"#)?;
        let answers = from.map(|from| {
            from.mark(r#"{"q":"#)?;
            let question = from.digest()?;
            from.mark(r#","v":"#)?;
            let value = from.json()?.to_owned();
            from.mark("}")?;
            Some(Answer { question, value })
        })?;
        from.mark(r#","q":"#)?;
        let asked = from.map(|from| {
            from.mark(r#"{"q":"#)?;
            let question = from.digest()?;
            from.mark(r#","d":"#)?;
            let depends = from.digest()?;
            from.mark(r#","n":"#)?;
            let times = from.count()?;
            from.mark(r#","c":"#)?;
            let changes = from.count()?;
            from.mark("}")?;
            Some(Asked {
                question,
                depends,
                times,
                changes,
            })
        })?;
        from.mark(r#","f":"#)?;
        let flows = from.map(|from| Some(from.text()?.into_owned()))?;
        from.mark(r#","m":"#)?;
        let memos = from.map(|from| Some(from.json()?.to_owned()))?;
        from.mark(r#","h":"#)?;
        let by_hand = from.optional()?;
        from.mark("}")?;
        Some(Self {
            answers,
            asked,
            flows,
            memos,
            by_hand,
        })
    }
}

/// A recorded answer: good only for the question it was given to.
#[derive(Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) question: Digest,
    /// The client's result, as it came, so that no integer is rounded: `{"action": "accept", "content": {..}}`.
    pub(crate) value: String,
}

/// A question that was shown.
#[derive(Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) question: Digest,
    /// The digest of what the question depends on: when it changes, the question may.
    pub(crate) depends: Digest,
    /// In how many rounds it was asked, for `at_most`.
    pub(crate) times: u32,
    /// In how many rounds in a row it changed though nothing that it depends on did.
    pub(crate) changes: u32,
}

/// Names one exchange: a call with all its retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExchangeId([u8; 16]);

impl ExchangeId {
    pub(crate) fn random() -> Result<Self, SealError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| SealError::Random)?;
        Ok(Self(bytes))
    }

    /// An id that no other exchange of this process has, at next to no cost: a random one a process, and a number. It is not
    /// secret, so it need not be unforeseeable.
    ///
    /// A fork of the process, or a machine that is started from a snapshot, goes on with the same ids. So it is for claims
    /// that this process alone sees; where others see them too, take a [`random`](Self::random) one.
    pub(crate) fn next() -> Result<Self, SealError> {
        static PROCESS: OnceLock<ExchangeId> = OnceLock::new();
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let Self(mut bytes) = match PROCESS.get() {
            Some(process) => *process,
            None => *PROCESS.get_or_init({
                let first = Self::random()?;
                move || first
            }),
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        for (byte, of_number) in bytes.iter_mut().zip(number.to_le_bytes()) {
            *byte ^= of_number;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base64url::encode(&self.0))
    }
}

/// A random id of 128 bits in base64url, such as a flow's.
pub(crate) fn random_id() -> Result<String, SealError> {
    ExchangeId::random().map(|id| id.to_string())
}

#[cfg(test)]
mod tests;
