//! What the log says: the reasons that clients are not told, and nothing that people have answered.
//!
//! A process of its own: what a subscriber gets to see is decided for all threads of a process at once.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::{cell::RefCell, io, sync::Once};

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::json;

thread_local! {
    /// What was logged on this thread, where a test and its server run.
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Logs everything, to the finest level.
    fn begin() -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_ansi(false)
                .with_writer(|| Self)
                .init();
        });
        Self
    }

    fn text(&self) -> String {
        LOGGED.with_borrow(|logged| String::from_utf8(logged.clone()).unwrap())
    }
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Diagnosis {
    /// What is wrong?
    #[schemars(length(max = 40))]
    diagnosis: String,
}

/// Records a diagnosis.
#[tool]
async fn record(
    patient: String,
    ctx: Context,
    #[elicit("What does {patient} have?")] found: Resolve<Diagnosis>,
) -> Result<String, ToolError> {
    let kept: String = ctx
        .memo("kept", async {
            Ok::<_, ToolError>("memo-of-the-call".to_owned())
        })
        .await?;
    Ok(format!("{} {kept}", found.diagnosis.len()))
}

/// Fails with an error of somebody else's.
#[tool]
async fn open_file() -> Result<String, ToolError> {
    Ok(std::fs::read_to_string("/srv/secret/notes.db")?)
}

/// What people answer, what a call remembers, arguments and states are nobody's to read in a log.
#[tokio::test]
async fn neither_answers_nor_states_nor_arguments_are_logged() {
    let log = Log::begin();
    let server = Server::builder("clinic", "1.0.0")
        .tools(tools![record])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let arguments = json!({"patient": "Ms-Private"});
    let answer = |diagnosis: &str| json!({"found": {"action": "accept", "content": {"diagnosis": diagnosis}}});
    let first = wire.call("record", arguments.clone()).await;
    let long = format!("measles-{}", "x".repeat(60));
    let again = wire
        .retry("record", arguments.clone(), &first, answer(&long))
        .await;
    let done = wire
        .retry("record", arguments.clone(), &again, answer("measles"))
        .await;
    assert_eq!(text(&done), "7 memo-of-the-call");
    let mut params = mcp_tests::wire::retry_params("record", arguments, &first, answer("measles"));
    params["arguments"] = json!({"patient": "Mr-Other"});
    wire.request("tools/call", params).await;
    wire.call("record", json!({"patient": 7, "wrong-key": "measles"}))
        .await;
    wire.write(b"measles\n{\"measles\":1}\n").await;
    wire.receive().await;
    wire.receive().await;
    let logged = log.text();
    let state = first["result"]["requestState"].as_str().unwrap();
    for secret in [
        "measles",
        "Ms-Private",
        "Mr-Other",
        "memo-of-the-call",
        &state[..20],
    ] {
        assert!(
            !logged.contains(secret),
            "{secret} is in the log:\n{logged}"
        );
    }
    // The refused state is there, with its reason.
    let refusal = logged
        .lines()
        .find(|line| line.contains("mcp_server::request_state") && line.contains("WARN"))
        .unwrap_or_else(|| panic!("no refusal in the log:\n{logged}"));
    assert!(refusal.contains("request binding"), "{refusal}");
}

/// A key that was made at start-up says what that means for replicas and restarts.
#[tokio::test]
async fn a_key_made_at_start_up_is_mentioned() {
    let log = Log::begin();
    Server::builder("clinic", "1.0.0").build().unwrap();
    let logged = log.text();
    assert!(
        logged.contains("restart") && logged.contains("replica"),
        "{logged}"
    );
}

/// The reference that the model gets leads to the reason in the log.
#[tokio::test]
async fn a_foreign_error_is_found_in_the_log_by_its_reference() {
    let log = Log::begin();
    let server = Server::builder("clinic", "1.0.0")
        .tools(tools![open_file])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.call("open_file", json!({})).await;
    let reference = tool_error(&answer).split_whitespace().last().unwrap();
    let logged = log.text();
    let line = logged
        .lines()
        .find(|line| line.contains(reference))
        .unwrap();
    assert!(
        line.contains("No such file") && line.contains("open_file"),
        "{line}"
    );
}

/// Claims a key by hand.
#[tool]
async fn book(order: String, ctx: Context) -> Result<String, ToolError> {
    ctx.claim(&order).await?;
    Ok(order)
}

/// Nobody knows before the call that a tool claims by hand, so `build()` cannot refuse; the log says it, once.
#[tokio::test]
async fn claims_that_replicas_do_not_see_are_mentioned_once() {
    use mcp_server::state::{Key, KeyRing, Sealing};

    let log = Log::begin();
    let builder = || {
        let ring = KeyRing::new([Key::generate().unwrap()]).unwrap();
        Server::builder("clinic", "1.0.0")
            .request_state(Sealing::encrypted(ring))
            .tools(tools![book])
    };
    let warnings = || log.text().matches("claimed in this process only").count();
    let mut one_process = Wire::open(&builder().single_instance().build().unwrap());
    one_process.call("book", json!({"order": "O-1"})).await;
    assert_eq!(warnings(), 0);
    let mut wire = Wire::open(&builder().build().unwrap());
    for order in ["O-1", "O-2"] {
        assert_eq!(
            text(&wire.call("book", json!({"order": order})).await),
            order
        );
    }
    assert_eq!(warnings(), 1);
}

/// Whom a listener refuses is known before anybody asks.
#[tokio::test]
async fn a_listener_says_which_hosts_it_serves() {
    let server = || Server::builder("clinic", "1.0.0").tools(tools![open_file]);
    let log = Log::begin();
    let http = server().build().unwrap().http();
    for (address, hosts, expected) in [
        ("127.0.0.1:0", None, "loopback names"),
        (
            "127.0.0.1:0",
            Some("a.example.com"),
            "loopback names, a.example.com",
        ),
        (
            "0.0.0.0:0",
            Some("b.example.com:8443"),
            "b.example.com:8443",
        ),
        ("0.0.0.0:0", None, "none"),
    ] {
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let http = http.clone().allowed_hosts(hosts);
        assert!(!log.text().contains("every request will be refused"));
        http.serve_until(listener, std::future::ready(()))
            .await
            .unwrap();
        let text = log.text();
        assert!(text.contains(&format!("hosts=\"{expected}\"")), "{text}");
    }
    let text = log.text();
    assert!(
        text.contains("every request will be refused") && text.contains("`allowed_hosts`"),
        "{text}"
    );
}
