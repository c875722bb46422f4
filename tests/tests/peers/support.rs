//! Hosts with a scripted person, connected to the server on the Python SDK.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use mcp_client::trace::Direction;
use mcp_client::{
    Answer, Builder, ChildProcess, Client, Error, FormQuestion, HttpTransport, PausedCall, Round,
    ToolCall, Trace,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// What the Python SDK names the questions of its resolvers by.
pub(crate) const CONFIRM: &str = "__main__:ask_confirm";
pub(crate) const REASON: &str = "__main__:ask_reason";
pub(crate) const RELEASE: &str = "__main__:ask_release";

/// The variable from which the server takes the key of its states.
const STATE_KEY: &str = "PEER_STATE_KEY";

/// Makes a test of each function, once for a server over stdio and once over HTTP.
macro_rules! over_both {
    ($($test:ident),* $(,)?) => {
        mod stdio {
            $(#[tokio::test]
            async fn $test() {
                let peer = crate::support::Peer::new(crate::support::Over::Stdio);
                if let Some(peer) = peer {
                    super::$test(peer).await;
                }
            })*
        }

        mod http {
            $(#[tokio::test]
            async fn $test() {
                let peer = crate::support::Peer::new(crate::support::Over::Http);
                if let Some(peer) = peer {
                    super::$test(peer).await;
                }
            })*
        }
    };
}
pub(crate) use over_both;

#[derive(Clone, Copy)]
pub(crate) enum Over {
    Stdio,
    Http,
}

/// The server on the Python SDK, launched for each connection, and how it is reached.
pub(crate) struct Peer {
    python: PathBuf,
    over: Over,
    /// Those that serve HTTP, which end with the test.
    serving: Mutex<Vec<Child>>,
}

impl Peer {
    /// `None` if the tests are to be skipped.
    pub(crate) fn new(over: Over) -> Option<Self> {
        let Some(python) = std::env::var_os("MCP_PEER_PYTHON").map(PathBuf::from) else {
            eprintln!("skipped: MCP_PEER_PYTHON does not name a python with the MCP SDK");
            return None;
        };
        assert!(
            python.is_file(),
            "MCP_PEER_PYTHON names {}, which is no file",
            python.display()
        );
        Some(Self {
            python,
            over,
            serving: Mutex::default(),
        })
    }

    pub(crate) async fn connect(&self, client: Builder) -> Client {
        self.connect_to(client, None, None).await
    }

    /// To a server whose states are sealed with this key.
    pub(crate) async fn connect_with_key(&self, client: Builder, key: &str) -> Client {
        self.connect_to(client, Some(key), None).await
    }

    async fn connect_to(
        &self,
        client: Builder,
        key: Option<&str>,
        wire: Option<Recording>,
    ) -> Client {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/server.py");
        let record: Box<dyn Write + Send> = match wire {
            Some(wire) => Box::new(wire),
            None => Box::new(std::io::sink()),
        };
        let connected = match self.over {
            Over::Stdio => {
                let mut server = ChildProcess::new(&self.python).arg(script);
                if let Some(key) = key {
                    server = server.env(STATE_KEY, key);
                }
                client.connect(Trace::wrap(server, record)).await
            }
            Over::Http => {
                let mut server = Command::new(&self.python);
                server.arg(script).arg("--http");
                if let Some(key) = key {
                    server.env(STATE_KEY, key);
                }
                let url = self.serve(server).await;
                client
                    .connect(Trace::wrap(HttpTransport::new(url), record))
                    .await
            }
        };
        connected.unwrap()
    }

    /// The URL of a server that prints its port.
    async fn serve(&self, mut server: Command) -> String {
        let mut child = server
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().expect("a port");
        self.serving.lock().unwrap().push(child);
        format!("http://127.0.0.1:{port}/mcp")
    }
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

pub(crate) fn builder() -> Builder {
    Client::builder("peer-tests", "1.0.0")
}

/// Connects a client that gives `answer` to every form.
pub(crate) async fn host(peer: &Peer, answer: fn(&FormQuestion) -> Answer) -> Host {
    let asked: Arc<Mutex<Vec<FormQuestion>>> = Arc::default();
    let wire = Recording::default();
    let shown = Arc::clone(&asked);
    let client = builder().on_form(move |question| {
        let answer = answer(&question);
        shown.lock().unwrap().push(question);
        async move { Ok(answer) }
    });
    let client = peer.connect_to(client, None, Some(wire.clone())).await;
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
