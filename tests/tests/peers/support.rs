//! Hosts with a scripted person, connected to the server on the Python SDK.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mcp_client::trace::Direction;
use mcp_client::{
    Answer, ChildProcess, Client, Error, FormQuestion, PausedCall, Round, ToolCall, Trace,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the Python SDK names the questions of its resolvers by.
pub(crate) const CONFIRM: &str = "__main__:ask_confirm";
pub(crate) const REASON: &str = "__main__:ask_reason";
pub(crate) const RELEASE: &str = "__main__:ask_release";

/// The interpreter to run the server with; `None` if the tests are to be skipped.
pub(crate) fn python() -> Option<PathBuf> {
    let Some(python) = std::env::var_os("MCP_PEER_PYTHON").map(PathBuf::from) else {
        eprintln!("skipped: MCP_PEER_PYTHON does not name a python with the MCP SDK");
        return None;
    };
    assert!(
        python.is_file(),
        "MCP_PEER_PYTHON names {}, which is no file",
        python.display()
    );
    Some(python)
}

pub(crate) fn server(python: &Path) -> ChildProcess {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/server.py");
    ChildProcess::new(python).arg(script)
}

/// The bytes that a trace wrote.
#[derive(Clone, Default)]
pub(crate) struct Recording(Arc<Mutex<Vec<u8>>>);

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Recording {
    /// What was sent and received for `tools/call`, in order: requests and, by their ids, the answers.
    pub(crate) fn calls(&self) -> (Vec<Value>, Vec<Value>) {
        let bytes = self.0.lock().unwrap().clone();
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for entry in mcp_client::trace::read(bytes.as_slice()) {
            let entry = entry.unwrap();
            let Some(message) = entry.message else {
                continue;
            };
            let message: Value = serde_json::from_str(message.get()).unwrap();
            match entry.direction {
                Direction::Sent if message["method"] == "tools/call" => sent.push(message),
                Direction::Received
                    if sent.iter().any(|request| request["id"] == message["id"]) =>
                {
                    received.push(message);
                }
                _ => {}
            }
        }
        (sent, received)
    }
}

/// A client whose person fills in the three forms, and the questions that the person got to see.
pub(crate) struct Host {
    pub(crate) client: Client,
    pub(crate) asked: Arc<Mutex<Vec<FormQuestion>>>,
    pub(crate) wire: Recording,
}

/// Connects a client that gives `answer` to every form.
pub(crate) async fn host(python: &Path, answer: fn(&FormQuestion) -> Answer) -> Host {
    let asked: Arc<Mutex<Vec<FormQuestion>>> = Arc::default();
    let wire = Recording::default();
    let shown = Arc::clone(&asked);
    let client = Client::builder("peer-tests", "1.0.0")
        .on_form(move |question| {
            let answer = answer(&question);
            shown.lock().unwrap().push(question);
            async move { Ok(answer) }
        })
        .connect(Trace::wrap(server(python), wire.clone()))
        .await
        .unwrap();
    Host {
        client,
        asked,
        wire,
    }
}

pub(crate) fn accept(question: &FormQuestion) -> Answer {
    let content = match question.key.as_str() {
        REASON => json!({"reason": "late", "parcels": 2, "note": "ünverpackt"}),
        CONFIRM | RELEASE => json!({"confirm": true}),
        other => panic!("nobody expects a question under {other}"),
    };
    Answer::accept(content).unwrap()
}

pub(crate) fn decline(_: &FormQuestion) -> Answer {
    Answer::Decline
}

pub(crate) fn cancel(_: &FormQuestion) -> Answer {
    Answer::Cancel
}

pub(crate) fn paused(round: Round) -> PausedCall {
    match round {
        Round::InputRequired(paused) => paused,
        Round::Complete(call) => panic!("the server did not ask: {}", call.text()),
    }
}

pub(crate) fn complete(round: Round) -> ToolCall {
    match round {
        Round::Complete(call) => call,
        Round::InputRequired(paused) => panic!("the server asks again: {paused:?}"),
    }
}

/// How often the body of a tool ran in the server.
pub(crate) async fn runs(client: &Client, tool: &str) -> u32 {
    #[derive(Deserialize)]
    struct Runs {
        result: u32,
    }
    let call = client.call_tool("body_runs", json!({"tool": tool})).await;
    call.unwrap().structured::<Runs>().unwrap().result
}

pub(crate) fn rpc(error: Error) -> (i32, String) {
    match error {
        Error::Rpc(error) => (error.code, error.message.into_owned()),
        other => panic!("expected an error of the server, got {other}"),
    }
}
