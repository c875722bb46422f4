//! Batches of earlier clients: each member is handled like a message of its own, and the answers go out as one line, when all
//! of them are there.

use std::{sync::Arc, task::Context as Task};

use super::Session;
use crate::legacy::batch::{Gathering, Member, refuse_count};

impl Session {
    /// Answers a line if it is a batch, in a revision that has them.
    pub(super) fn answer_batch(&mut self, line: &[u8], cx: &mut Task<'_>) -> bool {
        let Some(members) = self.outbox.earlier.batch(line) else {
            return false;
        };
        self.answer_members(members, cx);
        true
    }

    #[cold]
    fn answer_members(&mut self, members: Vec<Member<'_>>, cx: &mut Task<'_>) {
        let before = self.output.bytes.len();
        if let Some(refused) = refuse_count(members.len()) {
            self.output.bytes.extend(refused);
            return self.end_line(before);
        }
        let gathering = Arc::new(Gathering::default());
        for member in members {
            let message = match member {
                Member::Message(message) => message,
                Member::Refused(answer) => {
                    gathering.add(answer);
                    continue;
                }
            };
            let mut answer = Vec::new();
            if let Some(call) = self.accept(message.as_bytes(), cx, &mut answer) {
                gathering.wait();
                let gathering = Arc::clone(&gathering);
                let last = move |answer| gathering.end(answer);
                self.go_on(call, Some(Box::new(last)));
            } else if !answer.is_empty() {
                gathering.add(answer);
            }
        }
        self.output
            .bytes
            .extend(gathering.end(None).unwrap_or_default());
        self.end_line(before);
    }
}
