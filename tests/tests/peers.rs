//! Our client against a server on the Python SDK that asks in the middle of calls (`tests/peers/server.py`).
//!
//! They need a Python with that SDK: `tests/peers/run` makes one and names it in `MCP_PEER_PYTHON`. Without the
//! variable each test says that it is skipped.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mcp_client::schema::FormSchema;
use mcp_client::trace::Direction;
use mcp_client::{
    Answer, ChildProcess, Client, Error, FormQuestion, Kind, PausedCall, Round, ToolCall, Trace,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// A key for servers that share their state, as an operator of replicas would set it.
const STATE_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// What the Python SDK names the questions of its resolvers by.
const CONFIRM: &str = "__main__:ask_confirm";
const REASON: &str = "__main__:ask_reason";
const RELEASE: &str = "__main__:ask_release";

/// The interpreter to run the server with; `None` if the tests are to be skipped.
fn python() -> Option<PathBuf> {
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

fn server(python: &Path) -> ChildProcess {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/server.py");
    ChildProcess::new(python).arg(script)
}

/// The bytes that a trace wrote.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<u8>>>);

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
    fn calls(&self) -> (Vec<Value>, Vec<Value>) {
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
struct Host {
    client: Client,
    asked: Arc<Mutex<Vec<FormQuestion>>>,
    wire: Recording,
}

/// Connects a client that gives `answer` to every form.
async fn host(python: &Path, answer: fn(&FormQuestion) -> Answer) -> Host {
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

fn accept(question: &FormQuestion) -> Answer {
    let content = match question.key.as_str() {
        REASON => json!({"reason": "late", "parcels": 2, "note": "ünverpackt"}),
        CONFIRM | RELEASE => json!({"confirm": true}),
        other => panic!("nobody expects a question under {other}"),
    };
    Answer::accept(content).unwrap()
}

fn decline(_: &FormQuestion) -> Answer {
    Answer::Decline
}

fn cancel(_: &FormQuestion) -> Answer {
    Answer::Cancel
}

fn paused(round: Round) -> PausedCall {
    match round {
        Round::InputRequired(paused) => paused,
        Round::Complete(call) => panic!("the server did not ask: {}", call.text()),
    }
}

fn complete(round: Round) -> ToolCall {
    match round {
        Round::Complete(call) => call,
        Round::InputRequired(paused) => panic!("the server asks again: {paused:?}"),
    }
}

/// How often the body of a tool ran in the server.
async fn runs(client: &Client, tool: &str) -> u32 {
    #[derive(Deserialize)]
    struct Runs {
        result: u32,
    }
    let call = client.call_tool("body_runs", json!({"tool": tool})).await;
    call.unwrap().structured::<Runs>().unwrap().result
}

fn rpc(error: Error) -> (i32, String) {
    match error {
        Error::Rpc(error) => (error.code, error.message.into_owned()),
        other => panic!("expected an error of the server, got {other}"),
    }
}

#[tokio::test]
async fn lists_and_discovers() {
    let Some(python) = python() else { return };
    let host = host(&python, accept).await;
    let info = host.client.server_info().unwrap();
    assert_eq!(
        (info.name.as_str(), info.version.as_str()),
        ("python-peer", "1.0.0")
    );
    let discovered = host.client.discover().await.unwrap();
    assert!(
        discovered
            .supported_versions
            .iter()
            .any(|version| version == "2026-07-28")
    );
    let tools = host.client.list_tools().await.unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    let expected = ["body_runs", "delete_note", "purge_note", "record_return"];
    assert_eq!(names, expected);
    host.client.close().await;
}

#[tokio::test]
async fn automatic_rounds() {
    let Some(python) = python() else { return };
    let host = host(&python, accept).await;
    let call = host
        .client
        .call_tool("record_return", json!({"order_id": "O-2289"}))
        .await
        .unwrap();
    assert!(!call.is_error(), "{}", call.text());
    // Two questions, the second made from the first answer.
    assert_eq!(call.rounds, 3);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Receipt {
        order_id: String,
        reason: String,
        parcels: u8,
        released: bool,
    }
    let expected = Receipt {
        order_id: "O-2289".to_owned(),
        reason: "late".to_owned(),
        parcels: 2,
        released: true,
    };
    assert_eq!(call.structured::<Receipt>().unwrap(), expected);

    let asked: Vec<(String, String)> = host
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|question| (question.key.clone(), question.message.clone()))
        .collect();
    let expected = [
        (REASON, "Why does order O-2289 come back?"),
        (RELEASE, "Release 2 parcels of O-2289 (late)?"),
    ];
    assert_eq!(asked, expected.map(|(k, m)| (k.to_owned(), m.to_owned())));
    assert_eq!(runs(&host.client, "record_return").await, 1);
    host.client.close().await;
}

/// A new id each round, the same arguments, each answer once, and the state of the round before, to the byte.
/// Specification: basic/patterns/mrtr, Client Requirements.
#[tokio::test]
async fn automatic_rounds_on_the_wire() {
    let Some(python) = python() else { return };
    let host = host(&python, accept).await;
    host.client
        .call_tool("record_return", json!({"order_id": "O-2289"}))
        .await
        .unwrap();
    let (sent, received) = host.wire.calls();
    assert_eq!((sent.len(), received.len()), (3, 3));

    for round in 0..3 {
        let params = &sent[round]["params"];
        assert_eq!(params["name"], "record_return");
        assert_eq!(params["arguments"], json!({"order_id": "O-2289"}));
        for earlier in &sent[..round] {
            assert_ne!(sent[round]["id"], earlier["id"]);
        }
    }
    let first = sent[0]["params"].as_object().unwrap();
    assert!(!first.contains_key("inputResponses") && !first.contains_key("requestState"));
    for round in 1..3 {
        let asked = &received[round - 1]["result"];
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked["requestState"].is_string());
        assert_eq!(sent[round]["params"]["requestState"], asked["requestState"]);
    }
    assert_eq!(
        sent[1]["params"]["inputResponses"],
        json!({REASON: {"action": "accept", "content": {"reason": "late", "parcels": 2, "note": "ünverpackt"}}})
    );
    assert_eq!(
        sent[2]["params"]["inputResponses"],
        json!({RELEASE: {"action": "accept", "content": {"confirm": true}}})
    );
    host.client.close().await;
}

/// What pydantic writes for a form is a form to us, and an answer that does not fit it is not sent.
#[tokio::test]
async fn forms_of_pydantic_are_understood() {
    let Some(python) = python() else { return };
    let host = host(&python, accept).await;
    let session = host.client.session();
    let round = session.call_tool("record_return", json!({"order_id": "O-2289"}));
    let mut paused = paused(round.await.unwrap());

    let [mcp_client::InputRequest::Form(question)] = paused.requests() else {
        panic!("expected one form: {:?}", paused.requests());
    };
    let schema: &FormSchema = &question.schema;
    let fits = |content: Value| {
        let Value::Object(content) = content else {
            unreachable!("the cases are objects")
        };
        schema.validate(&content).is_ok()
    };
    assert!(fits(json!({"reason": "damaged", "parcels": 9})));
    assert!(fits(
        json!({"reason": "late", "parcels": 1, "refund": 0, "restock": true, "note": ""})
    ));
    for wrong in [
        json!({"parcels": 1}),
        json!({"reason": "lost", "parcels": 1}),
        json!({"reason": "late", "parcels": 0}),
        json!({"reason": "late", "parcels": 10}),
        json!({"reason": "late", "parcels": 1.5}),
        json!({"reason": "late", "parcels": 1, "refund": -0.5}),
        json!({"reason": "late", "parcels": 1, "restock": "yes"}),
        json!({"reason": "late", "parcels": 1, "note": "x".repeat(201)}),
    ] {
        assert!(!fits(wrong.clone()), "{wrong}");
        let answered = paused
            .clone()
            .answer(REASON, Answer::accept(&wrong).unwrap());
        assert!(
            matches!(answered, Err(Error::InvalidAnswer { .. })),
            "{wrong}"
        );
    }
    // The rest of the call is not harmed by the refused answers. Damaged goods need no second question.
    let content = json!({"reason": "damaged", "parcels": 1});
    paused
        .answer(REASON, Answer::accept(content).unwrap())
        .unwrap();
    let call = complete(paused.resume(&session).await.unwrap());
    let receipt: Value = call.structured().unwrap();
    assert_eq!(receipt["released"], true);
    host.client.close().await;
}

#[tokio::test]
async fn by_hand() {
    let Some(python) = python() else { return };
    let client = Client::builder("peer-tests", "1.0.0")
        .connect(server(&python))
        .await
        .unwrap();
    let session = client.session().declare(Kind::Form);
    let arguments = json!({"note_id": "n-1"});
    let mut paused = paused(session.call_tool("delete_note", &arguments).await.unwrap());
    assert_eq!(paused.round(), 1);
    assert!(paused.request_state().is_some());
    let keys: Vec<&str> = paused.requests().iter().map(|r| r.key()).collect();
    assert_eq!(keys, [CONFIRM]);
    assert_eq!(runs(&client, "delete_note").await, 0);

    let unanswered = paused.clone().resume(&session).await;
    assert!(matches!(unanswered, Err(Error::Unanswered { key }) if key == CONFIRM));

    let yes = Answer::accept(json!({"confirm": true})).unwrap();
    paused.answer(CONFIRM, yes).unwrap();
    let call = complete(paused.resume(&session).await.unwrap());
    assert_eq!(call.text(), "Deleted note n-1.");
    assert_eq!(call.rounds, 2);
    assert_eq!(runs(&client, "delete_note").await, 1);
    client.close().await;
}

/// A paused call is finished over another connection, by a server process that knows nothing of the first.
#[tokio::test]
async fn by_hand_in_another_process() {
    let Some(python) = python() else { return };
    let connect = async |key: Option<&str>| {
        let mut process = server(&python);
        if let Some(key) = key {
            process = process.env("PEER_STATE_KEY", key);
        }
        Client::builder("peer-tests", "1.0.0")
            .declare(Kind::Form)
            .connect(process)
            .await
            .unwrap()
    };
    let first = connect(Some(STATE_KEY)).await;
    let round = first
        .session()
        .call_tool("record_return", json!({"order_id": "O-1145"}))
        .await;
    let stored = serde_json::to_string(&paused(round.unwrap())).unwrap();
    first.close().await;

    let answer = |stored: &str| {
        let mut call: PausedCall = serde_json::from_str(stored).unwrap();
        let content = json!({"reason": "damaged", "parcels": 3});
        call.answer(REASON, Answer::accept(content).unwrap())
            .unwrap();
        call
    };
    let second = connect(Some(STATE_KEY)).await;
    let call = complete(answer(&stored).resume(&second.session()).await.unwrap());
    assert_eq!(call.rounds, 2);
    assert_eq!(
        call.structured::<Value>().unwrap(),
        json!({"order_id": "O-1145", "reason": "damaged", "parcels": 3, "released": true})
    );
    second.close().await;

    // Without the key the state means nothing to a server.
    let stranger = connect(None).await;
    let refused = answer(&stored).resume(&stranger.session()).await;
    assert_eq!(
        rpc(refused.unwrap_err()),
        (-32602, "Invalid or expired requestState".to_owned())
    );
    assert_eq!(runs(&stranger, "record_return").await, 0);
    stranger.close().await;
}

#[tokio::test]
async fn tampered_state() {
    let Some(python) = python() else { return };
    let host = host(&python, accept).await;
    let session = host.client.session();
    let arguments = json!({"note_id": "n-1"});
    let paused = paused(session.call_tool("delete_note", &arguments).await.unwrap());
    let state = paused.request_state().unwrap();

    let retry = |arguments: &Value, state: Option<&str>| {
        let mut params = json!({
            "name": "delete_note",
            "arguments": arguments,
            "inputResponses": {CONFIRM: {"action": "accept", "content": {"confirm": true}}},
        });
        if let Some(state) = state {
            params["requestState"] = state.into();
        }
        session.request("tools/call", params)
    };
    let refusal = (-32602, "Invalid or expired requestState".to_owned());

    // One character changed, wherever it stands behind the version.
    for position in [3, state.len() / 2, state.len() - 2] {
        let mut bytes = state.clone().into_bytes();
        bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        let refused = retry(&arguments, Some(&changed)).await.unwrap_err();
        assert_eq!(rpc(refused), refusal, "position {position}");
    }
    let refused = retry(&json!({"note_id": "n-2"}), Some(&state)).await;
    assert_eq!(rpc(refused.unwrap_err()), refusal, "other arguments");

    // An answer without state decides nothing: the server asks again.
    let asked = retry(&arguments, None).await.unwrap();
    let asked: Value = serde_json::from_str(asked.get()).unwrap();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(runs(&host.client, "delete_note").await, 0);

    let honest = retry(&arguments, Some(&state)).await.unwrap();
    let honest: Value = serde_json::from_str(honest.get()).unwrap();
    assert_eq!(honest["resultType"], "complete");
    assert_eq!(honest["content"][0]["text"], "Deleted note n-1.");
    assert_eq!(runs(&host.client, "delete_note").await, 1);
    host.client.close().await;
}

#[tokio::test]
async fn decline_and_cancel() {
    let Some(python) = python() else { return };
    for action in ["decline", "cancel"] {
        let answer = if action == "decline" { decline } else { cancel };
        let host = host(&python, answer).await;
        let kept = host
            .client
            .call_tool("delete_note", json!({"note_id": "n-1"}));
        let kept = kept.await.unwrap();
        assert!(!kept.is_error());
        assert_eq!(kept.text(), format!("Kept note n-1: {action}."));
        let (sent, _) = host.wire.calls();
        assert_eq!(
            sent[1]["params"]["inputResponses"],
            json!({CONFIRM: {"action": action}})
        );

        // A parameter that is the value alone: the call ends with a tool error, and the body never runs.
        let ended = host
            .client
            .call_tool("purge_note", json!({"note_id": "n-1"}));
        let ended = ended.await.unwrap();
        assert!(ended.is_error());
        assert!(ended.text().contains(action), "{}", ended.text());
        assert_eq!(runs(&host.client, "purge_note").await, 0);
        host.client.close().await;
    }
}

#[tokio::test]
async fn client_without_elicitation() {
    let Some(python) = python() else { return };
    let client = Client::builder("peer-tests", "1.0.0")
        .connect(server(&python))
        .await
        .unwrap();
    // A host for pages only cannot show a form either.
    let urls_only = client.session().declare_only([Kind::Url]);
    let nothing = client.session();
    for session in [nothing, urls_only] {
        let refused = session.call_tool("delete_note", json!({"note_id": "n-1"}));
        let Err(error) = refused.await else {
            panic!("the server asked a client that cannot show a form");
        };
        assert_eq!(error.code(), Some(-32021), "{error}");
        let Error::MissingCapability { required, .. } = error else {
            panic!("expected a missing capability, got {error}");
        };
        assert_eq!(required, json!({"elicitation": {"form": {}}}));
    }
    assert_eq!(runs(&client, "delete_note").await, 0);
    client.close().await;
}
