//! Batches: several messages in one array, which revision 2025-03-26 has and no other.
//!
//! Specification: 2025-03-26, basic/index, Batching. Clients must take them, and need not send any.

use serde_json::value::RawValue;

/// The messages of a batch, each as it came; `None` for what is no array. An array in it is no message, and is
/// left out.
pub(crate) fn split(message: &[u8]) -> Option<Vec<Vec<u8>>> {
    if message.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    let messages: Vec<&RawValue> = serde_json::from_slice(message).ok()?;
    let messages = messages.into_iter().map(|raw| raw.get());
    let messages = messages.filter(|message| !message.starts_with('['));
    Some(messages.map(Into::into).collect())
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
    fn what_is_no_array_is_no_batch() {
        for text in [&br#"{"a":[1]}"#[..], b"[1", b"", b"null", b"\"[]\""] {
            assert_eq!(split(text), None);
        }
    }
}
