//! Batches: several messages in one array, and one array of answers. Revision 2025-03-26 has them, and no other.
//!
//! A transport takes a batch apart, handles each member like a message of its own, and puts the answers together again.
//!
//! Specification: 2025-03-26, basic/index, Batching; JSON-RPC 2.0, section 6.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_core::{
    Revision,
    rpc::{Message, RpcError, Scan, parse_raw, write_error, write_json},
};

use super::{INITIALIZE, connection::is_of_today};
use crate::parameters::items;

/// So many members may a batch have: all of them are answered before any of the answers goes out.
const MAX_MEMBERS: usize = 256;

/// What is said to a batch of nothing.
pub(crate) const EMPTY: &str = "a batch has at least one message";

/// A member of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Member<'a> {
    /// A message.
    Message(&'a str),
    /// What is none, or may not stand in a batch: the answer to it.
    Refused(Vec<u8>),
}

/// The members of a batch, if a message is one and this revision has them.
pub(crate) fn split(revision: Revision, message: &[u8]) -> Option<Vec<Member<'_>>> {
    if revision != Revision::V2025_03_26 || !is_array(message) {
        return None;
    }
    let message = std::str::from_utf8(message).ok()?;
    let list = Scan::whole(message, Scan::raw).ok()?;
    let mut members = Vec::new();
    for json in items(list)? {
        members.push(member(json));
    }
    Some(members)
}

/// Whether a message can be nothing else.
pub(super) fn is_array(message: &[u8]) -> bool {
    let first = message.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'[')
}

fn member(json: &str) -> Member<'_> {
    if !json.starts_with('{') {
        return Member::Refused(nameless(&RpcError::invalid_request(
            "a member of a batch must be a message, which is an object",
        )));
    }
    let Ok(Message::Request { id, method, params }) = parse_raw(json) else {
        return Member::Message(json);
    };
    let error = if method == INITIALIZE {
        // Specification: 2025-03-26, basic/lifecycle, Initialization.
        "`initialize` cannot be part of a batch; send it alone"
    } else if params.is_some_and(is_of_today) {
        "a request of a revision without batches cannot be part of one; send it alone"
    } else {
        return Member::Message(json);
    };
    let mut answer = Vec::new();
    write_error(&mut answer, Some(id), &RpcError::invalid_request(error));
    Member::Refused(answer)
}

/// The answer to a batch of so many members, where that is none or too many.
pub(crate) fn refuse_count(members: usize) -> Option<Vec<u8>> {
    let error = match members {
        0 => RpcError::invalid_request(EMPTY),
        1..=MAX_MEMBERS => return None,
        _ => RpcError::invalid_request(format!(
            "a batch may have at most {MAX_MEMBERS} messages; send several"
        )),
    };
    Some(nameless(&error))
}

/// An error that answers nothing with an id.
fn nameless(error: &RpcError) -> Vec<u8> {
    // JSON-RPC 2.0, section 5: `null`, where today's revision leaves it out.
    let mut answer = br#"{"jsonrpc":"2.0","id":null,"error":"#.to_vec();
    write_json(&mut answer, error);
    answer.push(b'}');
    answer
}

/// The array of these answers; none where there are none.
pub(crate) fn join<A: AsRef<[u8]>>(answers: impl IntoIterator<Item = A>) -> Option<Vec<u8>> {
    let mut array = Vec::new();
    for answer in answers {
        array.push(if array.is_empty() { b'[' } else { b',' });
        array.extend_from_slice(answer.as_ref());
    }
    array.push(b']');
    (array.len() > 1).then_some(array)
}

/// The answers to a batch, until all of them are there.
#[derive(Debug)]
pub(crate) struct Gathering(Mutex<Gathered>);

#[derive(Debug)]
struct Gathered {
    /// How many members may still bring one; the batch itself counts, for as long as it is read.
    open: usize,
    answers: Vec<Vec<u8>>,
}

impl Default for Gathering {
    fn default() -> Self {
        Self(Mutex::new(Gathered {
            open: 1,
            answers: Vec::new(),
        }))
    }
}

impl Gathering {
    /// A member is answered.
    pub(crate) fn add(&self, answer: Vec<u8>) {
        self.lock().answers.push(answer);
    }

    /// A member waits, and will [`end`](Self::end).
    pub(crate) fn wait(&self) {
        self.lock().open += 1;
    }

    /// A member that has waited ends, or the batch itself; the last of them gives the whole array, if there is anything in it.
    pub(crate) fn end(&self, answer: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut gathered = self.lock();
        if let Some(answer) = answer {
            gathered.answers.push(answer);
        }
        gathered.open = gathered.open.saturating_sub(1);
        if gathered.open > 0 {
            return None;
        }
        join(std::mem::take(&mut gathered.answers))
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    fn split(message: &str) -> Option<Vec<Member<'_>>> {
        super::split(Revision::V2025_03_26, message.as_bytes())
    }

    fn refusal(member: &Member<'_>) -> Value {
        match member {
            Member::Refused(answer) => serde_json::from_slice(answer).unwrap(),
            Member::Message(json) => panic!("not refused: {json}"),
        }
    }

    #[test]
    fn members_are_messages() {
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let notification = r#"{ "jsonrpc": "2.0", "method": "x" }"#;
        let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(
            split(&format!(" [{request}, {notification},{response}] ")).unwrap(),
            [request, notification, response].map(Member::Message)
        );
        // What is wrong with an object is said like anywhere else.
        assert_eq!(split("[{}]").unwrap(), [Member::Message("{}")]);
    }

    #[test]
    fn only_one_revision_has_them() {
        for revision in Revision::SUPPORTED {
            let members = super::split(*revision, br#"[{"jsonrpc":"2.0","method":"x"}]"#);
            assert_eq!(
                members.is_some(),
                *revision == Revision::V2025_03_26,
                "{revision}"
            );
        }
    }

    #[test]
    fn what_is_no_batch_is_handled_as_it_is() {
        for message in ["[1", "{}", r#""[]""#, ""] {
            assert_eq!(split(message), None, "{message}");
        }
    }

    #[test]
    fn a_batch_has_members_but_not_too_many() {
        for message in ["[]", " [ ]"] {
            assert_eq!(split(message).unwrap(), [], "{message}");
        }
        // JSON-RPC 2.0, section 7, "rpc call with an empty Array".
        for count in [0, 257] {
            let answer = Member::Refused(refuse_count(count).unwrap());
            let refused = refusal(&answer);
            assert_eq!(refused["error"]["code"], -32600, "{count}");
            assert_eq!(refused.get("id"), Some(&json!(null)), "{count}");
        }
        for count in [1, 256] {
            assert_eq!(refuse_count(count), None, "{count}");
        }
    }

    #[test]
    fn what_is_no_message_is_answered_without_an_id() {
        // JSON-RPC 2.0, section 7, "rpc call with invalid Batch".
        let members = split("[1,2,3]").unwrap();
        assert_eq!(members.len(), 3);
        for member in &members {
            let refused = refusal(member);
            assert_eq!(refused["error"]["code"], -32600);
            assert_eq!(refused["id"], json!(null));
            assert!(refused.as_object().unwrap().contains_key("id"));
        }
    }

    #[test]
    fn a_handshake_stands_alone() {
        let members = split(r#"[{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}},{"jsonrpc":"2.0","method":"x"}]"#).unwrap();
        let refused = refusal(&members[0]);
        assert_eq!(refused["error"]["code"], -32600);
        assert_eq!(refused["id"], "i");
        assert!(matches!(members[1], Member::Message(_)));
    }

    #[test]
    fn requests_of_today_are_not_of_its_revision() {
        let members = split(
            r#"[{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"_meta":{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}]"#,
        )
        .unwrap();
        let refused = refusal(&members[0]);
        assert_eq!(refused["error"]["code"], -32600);
        assert_eq!(refused["id"], 7);
    }

    #[test]
    fn the_last_answer_brings_all() {
        let gathering = Gathering::default();
        gathering.add(b"1".to_vec());
        (0..3).for_each(|_| gathering.wait());
        assert_eq!(gathering.end(Some(b"2".to_vec())), None);
        assert_eq!(gathering.end(None), None);
        // That all have been read.
        assert_eq!(gathering.end(None), None);
        assert_eq!(gathering.end(Some(b"3".to_vec())).unwrap(), b"[1,2,3]");
        assert_eq!(Gathering::default().end(None), None);
        assert_eq!(join(Vec::<Vec<u8>>::new()), None);
    }
}
