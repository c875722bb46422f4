//! What is inside a state: who, what and when it is for, and what the call has learned so far.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::base64url;
use super::digest::Digest;
use super::error::{SealError, StateError};
use super::few::Few;
use super::principal::{Principal, SealedPrincipal};
use super::verify::SKEW;

/// The version of the body. A state of another version is malformed: exchanges are short, and may begin again.
const VERSION: u8 = 1;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Binary: half the size, and read in a fraction of the time.
    Compact,
    /// JSON, for codecs whose point is that people can read it.
    Readable,
}

/// The content of a state. Times are seconds since 1970.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateBody {
    #[serde(rename = "v")]
    version: u8,
    #[serde(rename = "i")]
    pub(crate) issued_at: u64,
    #[serde(rename = "e")]
    pub(crate) expires_at: u64,
    #[serde(rename = "m")]
    pub(crate) method: String,
    /// The name of the tool or prompt, or the URI of the resource.
    #[serde(rename = "t")]
    pub(crate) target: String,
    #[serde(rename = "d")]
    pub(crate) arguments: Digest,
    #[serde(rename = "a")]
    pub(crate) audience: String,
    #[serde(rename = "p", with = "SealedPrincipal")]
    pub(crate) principal: Principal,
    #[serde(rename = "x")]
    pub(crate) exchange: ExchangeId,
    /// How many times this call was answered with questions, from 1.
    #[serde(rename = "r")]
    pub(crate) round: u32,
    #[serde(rename = "c")]
    pub(crate) payload: Payload,
}

impl StateBody {
    /// A body for the first round; [`RequestStates`](super::RequestStates) fills in times and round when it seals.
    pub(crate) fn new(binding: &super::Binding<'_>, exchange: ExchangeId) -> Self {
        Self {
            version: VERSION,
            issued_at: 0,
            expires_at: 0,
            method: binding.method.to_owned(),
            target: binding.target.to_owned(),
            arguments: binding.arguments,
            audience: binding.audience.to_owned(),
            principal: binding.principal.clone(),
            exchange,
            round: 0,
            payload: Payload::default(),
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

    pub(crate) fn encode(&self, form: Form) -> Result<Vec<u8>, SealError> {
        match form {
            Form::Compact => {
                // Room for most states, so that the buffer need not grow.
                let buffer = Vec::with_capacity(512);
                postcard::to_extend(self, buffer)
                    .map_err(|error| SealError::Codec(error.to_string()))
            }
            Form::Readable => {
                serde_json::to_vec(self).map_err(|error| SealError::Codec(error.to_string()))
            }
        }
    }

    /// Decodes positively: every field once and of its type, nothing else, nothing after it.
    pub(crate) fn decode(bytes: &[u8], form: Form) -> Result<Self, StateError> {
        let body: Self = match form {
            Form::Compact => match postcard::take_from_bytes(bytes) {
                Ok((body, [])) => body,
                _ => return Err(StateError::Malformed),
            },
            // Read as text, as all other JSON: the parser is compiled once.
            Form::Readable => std::str::from_utf8(bytes)
                .ok()
                .and_then(|json| serde_json::from_str(json).ok())
                .ok_or(StateError::Malformed)?,
        };
        let sound = body.version == VERSION && body.round > 0 && body.issued_at <= body.expires_at;
        if sound {
            Ok(body)
        } else {
            Err(StateError::Malformed)
        }
    }
}

/// A state's content must not end up in a log by way of a `{:?}`.
impl fmt::Debug for StateBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateBody")
            .field("method", &self.method)
            .field("round", &self.round)
            .finish_non_exhaustive()
    }
}

/// What a call has learned in its rounds so far. Keys are those of `inputRequests`, unless said otherwise.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payload {
    /// Answers taken, so that a person is asked each question once.
    #[serde(rename = "a")]
    pub(crate) answers: Few<Answer>,
    /// Questions shown and not yet settled.
    #[serde(rename = "q")]
    pub(crate) asked: Few<Asked>,
    /// Random ids of the flows begun, by flow name.
    #[serde(rename = "f")]
    pub(crate) flows: Few<String>,
    /// Results of work done once per exchange, by memo name.
    #[serde(rename = "m")]
    pub(crate) memos: Few<Raw>,
    /// The state of a tool that returns `Outcome::InputRequired` itself.
    #[serde(rename = "h", deserialize_with = "Option::deserialize")]
    pub(crate) by_hand: Option<String>,
}

impl Payload {
    /// Whether there is anything that the next round must find again.
    pub(crate) fn remembers(&self) -> bool {
        self.by_hand.is_some() || !self.flows.is_empty() || !self.memos.is_empty()
    }

    /// About how many bytes of a state it takes, without the questions.
    pub(crate) fn size(&self) -> usize {
        /// Lengths, and the digest of an answer's question.
        const ENTRY: usize = 48;
        let answers = self
            .answers
            .iter()
            .map(|(key, answer)| key.len() + answer.value.get().len());
        let flows = self.flows.iter().map(|(name, id)| name.len() + id.len());
        let memos = self
            .memos
            .iter()
            .map(|(name, memo)| name.len() + memo.get().len());
        answers
            .chain(flows)
            .chain(memos)
            .map(|size| size + ENTRY)
            .sum::<usize>()
            + self.by_hand.as_ref().map_or(0, String::len)
    }
}

/// A recorded answer: good only for the question it was given to.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    #[serde(rename = "q")]
    pub(crate) question: Digest,
    /// The client's result, as it came: `{"action": "accept", "content": {..}}`.
    #[serde(rename = "v")]
    pub(crate) value: Raw,
}

/// A question that was shown.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    #[serde(rename = "q")]
    pub(crate) question: Digest,
    /// The digest of what the question depends on: when it changes, the question may.
    #[serde(rename = "d")]
    pub(crate) depends: Digest,
    /// In how many rounds it was asked, for `at_most`.
    #[serde(rename = "n")]
    pub(crate) times: u32,
    /// In how many rounds in a row it changed though nothing that it depends on did.
    #[serde(rename = "c")]
    pub(crate) changes: u32,
}

/// JSON kept as it came, so that no integer is rounded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw(pub(crate) String);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let json: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
            json.serialize(serializer)
        } else {
            serializer.serialize_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let json = Box::<RawValue>::deserialize(deserializer)?;
            return Ok(Self(Box::<str>::from(json).into()));
        }
        let json = String::deserialize(deserializer)?;
        match serde_json::from_str::<&RawValue>(&json) {
            Ok(_) => Ok(Self(json)),
            Err(_) => Err(D::Error::custom("not JSON")),
        }
    }
}

impl Raw {
    pub(crate) fn get(&self) -> &str {
        &self.0
    }
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

    /// An id that no other exchange has, here or elsewhere. It is not secret, so it need not be
    /// unforeseeable: a random one a process, and a number.
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

impl Serialize for ExchangeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for ExchangeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = if deserializer.is_human_readable() {
            base64url::decode_array(&Cow::<str>::deserialize(deserializer)?)
        } else {
            <&[u8]>::deserialize(deserializer)?.try_into().ok()
        };
        id.map(Self)
            .ok_or_else(|| D::Error::custom("not an exchange id"))
    }
}

/// A random id of 128 bits in base64url, such as a flow's.
pub(crate) fn random_id() -> Result<String, SealError> {
    ExchangeId::random().map(|id| id.to_string())
}

#[cfg(test)]
mod tests;
