//! A connection in process whose messages are looked at, and tools that several topics use.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::trace::Direction;
use mcp_client::{Answer, Builder, Client, Consent, HandlerError, IoTransport, Revision, Trace};
use mcp_server::prelude::*;
pub(crate) use mcp_tests::inputs::{list_roots, write_line};
use mcp_tests::official::{check_as, check_client};
use serde_json::{Value, json};

/// Those in which the user can be asked.
pub(crate) const ASKING: [Revision; 2] = [Revision::V2025_06_18, Revision::V2025_11_25];

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Confirm {
    /// Check to go ahead.
    pub(crate) confirm: bool,
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Amount {
    /// How many?
    #[schemars(range(min = 1, max = 9))]
    pub(crate) amount: u8,
}

/// Asks before it goes on.
#[tool]
pub(crate) async fn confirm(
    what: String,
    #[elicit("Go on with {what}?")] answer: Elicit<Confirm>,
) -> String {
    match answer {
        Elicit::Accept(Confirm { confirm }) => format!("{what}: {confirm}"),
        Elicit::Decline => format!("{what}: declined"),
        _ => format!("{what}: closed"),
    }
}

/// Asks two things at once, and then one that depends on both.
#[tool]
pub(crate) async fn order(
    #[elicit("How many?")] amount: Resolve<Amount>,
    #[elicit("Wrapped?")] wrapped: Resolve<Confirm>,
    #[elicit("Really {}, wrapped: {}?", amount.amount, wrapped.confirm)] really: Resolve<Confirm>,
) -> String {
    format!("{} {} {}", amount.amount, wrapped.confirm, really.confirm)
}

/// A host that answers everything: it goes ahead, with 7 of whatever is asked for.
pub(crate) fn host() -> Builder {
    Client::builder("host", "1.0.0")
        .on_form(|question| async move {
            let content = match question.message.as_str() {
                "How many?" => json!({"amount": 7}),
                _ => json!({"confirm": true}),
            };
            Ok::<_, HandlerError>(Answer::accept(content)?)
        })
        .on_url(|_| async { Ok(Consent::Accept) })
        .on_sampling(|_| async {
            let said = json!({"role": "assistant", "content": {"type": "text", "text": "Eggs are round."}, "model": "m-1"});
            Ok::<_, HandlerError>(serde_json::from_value(said)?)
        })
        .on_roots(|_| async {
            let roots = json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]});
            Ok::<_, HandlerError>(serde_json::from_value(roots)?)
        })
}

/// All messages of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<u8>>>);

impl Write for Record {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Record {
    fn messages(&self) -> Vec<(Direction, Value)> {
        let record = self.0.lock().unwrap();
        mcp_client::trace::read(&record[..])
            .map(|entry| {
                let entry = entry.unwrap();
                let message = entry.message.expect("nothing but messages is sent");
                (
                    entry.direction,
                    serde_json::from_str(message.get()).unwrap(),
                )
            })
            .collect()
    }

    /// How many requests of this method were sent, by either side.
    pub(crate) fn requests(&self, method: &str) -> usize {
        let messages = self.messages();
        let is_one = |(_, message): &&(Direction, Value)| message["method"] == method;
        messages.iter().filter(is_one).count()
    }

    /// Compares every message with the official schema; true if there were any.
    pub(crate) fn check(&self, revision: Revision) {
        let mut requests = HashMap::new();
        let messages = self.messages();
        assert!(messages.len() > 2);
        for (direction, message) in &messages {
            let id = message["id"].to_string();
            if let Some(method) = message["method"].as_str() {
                requests.insert(
                    (*direction == Direction::Sent, id.clone()),
                    method.to_owned(),
                );
            }
            let answers = (*direction != Direction::Sent, id);
            let method = requests.get(&answers).map(String::as_str);
            match direction {
                Direction::Sent => check_client(revision.as_str(), method, message),
                Direction::Received => check_as(revision.as_str(), method, message),
            }
        }
    }
}

/// Connects in process, in this revision.
pub(crate) async fn connect(
    server: &Server,
    builder: Builder,
    revision: Revision,
) -> (Client, Record) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(near);
    let record = Record::default();
    let transport = Trace::wrap(IoTransport::new(reader, writer), record.clone());
    let client = builder.revision(revision).connect(transport).await.unwrap();
    assert_eq!(client.revision(), revision);
    (client, record)
}
