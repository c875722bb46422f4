//! What went over the wire, summed up from the record that a [`Trace`](mcp_client::Trace) keeps.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_client::trace::{self, Direction, TraceError};
use serde_json::Value;

use super::out::say;

/// A trace in memory.
#[derive(Clone, Default)]
pub(super) struct Wire(Arc<Mutex<Vec<u8>>>);

impl io::Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Wire {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place up to which the record goes now.
    pub(super) fn mark(&self) -> usize {
        self.bytes().len()
    }

    /// The calls of one tool in a part of the record, each request with what it got.
    pub(super) fn calls_between(
        &self,
        tool: &str,
        start: usize,
        end: usize,
    ) -> Result<Calls, TraceError> {
        let bytes = self.bytes();
        let mut calls: Vec<Call> = Vec::new();
        for entry in trace::read(&bytes[start..end]) {
            let entry = entry?;
            let Some(message) = entry.message else {
                continue;
            };
            let Ok(message) = serde_json::from_str::<Value>(message.get()) else {
                continue;
            };
            match entry.direction {
                Direction::Sent if message["params"]["name"] == tool => calls.push(Call {
                    id: message["id"].clone(),
                    sends: sends(&message["params"]),
                    gets: String::from("nothing"),
                }),
                Direction::Sent => {}
                Direction::Received => {
                    if let Some(call) = calls.iter_mut().find(|call| call.id == message["id"]) {
                        call.gets = gets(&message);
                    }
                }
            }
        }
        Ok(Calls(calls))
    }
}

/// What one request sends beside the name of the tool.
fn sends(params: &Value) -> String {
    let parts: Vec<&str> = ["inputResponses", "requestState"]
        .into_iter()
        .filter(|part| params.get(part).is_some())
        .collect();
    if parts.is_empty() {
        "arguments only".to_owned()
    } else {
        parts.join(" and ")
    }
}

/// The type of a result, or the code of an error.
fn gets(response: &Value) -> String {
    match response["result"]["resultType"].as_str() {
        Some(result_type) => result_type.to_owned(),
        None => format!("error {}", response["error"]["code"]),
    }
}

/// The requests of a call.
pub(super) struct Calls(Vec<Call>);

struct Call {
    id: Value,
    sends: String,
    gets: String,
}

impl Calls {
    pub(super) fn print(&self, who: &str) {
        for (round, Call { id, sends, gets }) in self.0.iter().enumerate() {
            let which = if round == 0 { "call" } else { "retry" };
            say!("{who}, {which}: id {id}, sends {sends}, gets {gets}");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    #[test]
    fn a_call_and_its_retry_are_told_apart_by_their_ids() {
        let record = [
            r#"{"time":"t","direction":"sent","message":{"id":"a","params":{"name":"pay"}}}"#,
            r#"{"time":"t","direction":"sent","message":{"id":2,"params":{"name":"other"}}}"#,
            r#"{"time":"t","direction":"received","message":{"id":2,"result":{"resultType":"complete"}}}"#,
            r#"{"time":"t","direction":"received","message":{"id":"a","result":{"resultType":"input_required"}}}"#,
            r#"{"time":"t","direction":"sent","message":{"id":3,"params":{"name":"pay","inputResponses":{},"requestState":"s"}}}"#,
            r#"{"time":"t","direction":"received","message":{"id":3,"error":{"code":-32602}}}"#,
        ];
        let mut wire = Wire::default();
        record
            .iter()
            .for_each(|line| writeln!(wire, "{line}").unwrap());
        let Calls(calls) = wire.calls_between("pay", 0, wire.mark()).unwrap();
        let [call, retry] = &calls[..] else {
            panic!("{} calls", calls.len());
        };
        assert_eq!(
            (&*call.sends, &*call.gets),
            ("arguments only", "input_required")
        );
        assert_eq!(call.id, "a");
        assert_eq!(retry.sends, "inputResponses and requestState");
        assert_eq!(retry.gets, "error -32602");
    }
}
