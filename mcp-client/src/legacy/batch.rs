//! Batches: several messages in one array, which revision 2025-03-26 has and no other.
//!
//! Specification: 2025-03-26, basic/index, Batching. Clients must take them, and need not send any.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// More than any server sends at once; a longer array is no batch.
const MAX_MESSAGES: usize = 10_000;

/// The messages of a batch, each as it came; `None` for what is no array. What is no object in it is no message,
/// and is left out.
pub(crate) fn split(message: &[u8]) -> Option<Vec<Vec<u8>>> {
    if message.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    let Batch(messages) = serde_json::from_slice(message).ok()?;
    Some(messages)
}

struct Batch(Vec<Vec<u8>>);

impl<'de> Deserialize<'de> for Batch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Messages;
        impl<'de> Visitor<'de> for Messages {
            type Value = Batch;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Batch, A::Error> {
                let mut messages = Vec::new();
                while let Some(message) = all.next_element::<&RawValue>()? {
                    if message.get().starts_with('{') {
                        messages.push(message.get().into());
                    }
                    if messages.len() > MAX_MESSAGES {
                        return Err(A::Error::custom("there are too many"));
                    }
                }
                Ok(Batch(messages))
            }
        }
        deserializer.deserialize_seq(Messages)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_message_of_a_batch_stays_as_it_was() {
        let batch = br#" [ {"a": 1.0} ,[{}],{"b":"]"}]"#;
        let messages = split(batch).unwrap();
        assert_eq!(messages, [&br#"{"a": 1.0}"#[..], br#"{"b":"]"}"#]);
        assert_eq!(split(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn what_is_no_message_costs_nothing_and_too_many_are_no_batch() {
        let ones = format!("[{}1]", "1,".repeat(100_000));
        assert_eq!(split(ones.as_bytes()).unwrap().len(), 0);
        let objects = format!("[{}{{}}]", "{},".repeat(MAX_MESSAGES));
        assert_eq!(split(objects.as_bytes()), None);
    }

    #[test]
    fn what_is_no_array_is_no_batch() {
        for text in [&br#"{"a":[1]}"#[..], b"[1", b"", b"null", b"\"[]\""] {
            assert_eq!(split(text), None);
        }
    }
}
