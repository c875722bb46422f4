//! A client with answers by key, that writes down what it was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use mcp_client::{Answer, Client, HandlerError, IoTransport, ToolCall};
use mcp_server::{Server, ToolSet};
use serde_json::{Map, Value, json};

/// A question that was shown.
pub(crate) struct Asked {
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) schema: Value,
    pub(crate) round: u32,
}

pub(crate) struct Host {
    client: Client,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A client of a server of these tools. An answer is an object, `"decline"` or `"cancel"`.
pub(crate) async fn host(tools: impl Into<ToolSet>, answers: Value) -> Host {
    serving(
        Server::builder("tests", "1.0.0")
            .tools(tools)
            .build()
            .unwrap(),
        answers,
    )
    .await
}

pub(crate) async fn serving(server: Server, answers: Value) -> Host {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve(reader, writer).await.unwrap() });
    let (reader, writer) = tokio::io::split(ours);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answers: HashMap<String, Value> = serde_json::from_value(answers).unwrap();
    let seen = Arc::clone(&asked);
    let client = Client::builder("host", "1.0.0")
        .on_form(move |question| {
            let answer = match &answers[&question.key] {
                Value::String(word) if word == "decline" => Answer::Decline,
                Value::String(_) => Answer::Cancel,
                content => Answer::accept(content).unwrap(),
            };
            seen.lock().unwrap().push(Asked {
                key: question.key,
                message: question.message,
                schema: serde_json::to_value(&question.schema).unwrap(),
                round: question.asker.round,
            });
            async move { Ok::<_, HandlerError>(answer) }
        })
        .connect(IoTransport::new(reader, writer))
        .await
        .unwrap();
    Host { client, asked }
}

impl Host {
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolCall {
        self.client.call_tool(tool, arguments).await.unwrap()
    }

    /// The text of a call that must succeed.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        let call = self.call(tool, arguments).await;
        assert!(!call.is_error(), "{}", call.text());
        call.text()
    }

    /// The text of a call that must fail.
    pub(crate) async fn error(&self, tool: &str, arguments: Value) -> String {
        let call = self.call(tool, arguments).await;
        assert!(call.is_error(), "{}", call.text());
        call.text()
    }

    /// A tool as it is listed.
    pub(crate) async fn listed(&self, tool: &str) -> Value {
        let tools = self.client.list_tools().await.unwrap();
        let found = tools.iter().find(|listed| listed.name == tool).unwrap();
        serde_json::to_value(found).unwrap()
    }

    pub(crate) async fn property(&self, tool: &str, argument: &str) -> Value {
        self.listed(tool).await["inputSchema"]["properties"][argument].clone()
    }

    /// What was asked so far: key, message and round.
    pub(crate) fn asked(&self) -> Vec<(String, String, u32)> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|question| {
                (
                    question.key.clone(),
                    question.message.clone(),
                    question.round,
                )
            })
            .collect()
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.asked()
            .into_iter()
            .map(|(_, message, _)| message)
            .collect()
    }

    /// The form that was shown under a key.
    pub(crate) fn form(&self, key: &str) -> Value {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .find(|question| question.key == key)
            .unwrap()
            .schema
            .clone()
    }
}

/// Removes what is not under test.
pub(crate) fn without(mut schema: Value, key: &str) -> Value {
    schema
        .as_object_mut()
        .map(|members: &mut Map<String, Value>| members.remove(key));
    schema
}

pub(crate) fn none() -> Value {
    json!({})
}
