//! Everything but questions: lists, results, reports, log messages, subscriptions, in every revision.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::{CompletionReference, LoggingLevel as Level};
use mcp_client::{CallOptions, Change, Client, Error, Revision, Subscription};
use mcp_server::{Completing, LoggingLevel, prelude::*};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{connect, host};

const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// Says how far it is, and what it does.
#[tool]
async fn report(ctx: Context) -> &'static str {
    ctx.progress((1.0, 2.0));
    ctx.log(LoggingLevel::Debug, "in detail");
    ctx.log(LoggingLevel::Warning, "beware");
    ctx.progress((2.0, 2.0));
    "reported"
}

/// Which revision does the caller speak?
#[tool]
async fn whoami(ctx: Context) -> String {
    let name = ctx.client_info().map(|info| info.name);
    format!("{} of {}", name.unwrap_or_default(), ctx.revision())
}

/// Takes its time.
#[tool]
async fn sleeps(ended: State<Mutex<Vec<&'static str>>>) -> &'static str {
    struct Told(State<Mutex<Vec<&'static str>>>);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.lock().unwrap().push("dropped");
        }
    }
    let _told = Told(ended);
    sleep(Duration::from_secs(30)).await;
    "slept"
}

/// Greets.
#[prompt]
async fn greeting(#[complete(names)] name: String) -> String {
    format!("Hello {name}!")
}

async fn names(typed: Completing) -> Vec<String> {
    let all = ["Anna", "Anton", "Ben"];
    let fitting = all.iter().filter(|name| name.starts_with(typed.value()));
    fitting.map(|name| (*name).to_owned()).collect()
}

/// The stock.
#[resource("shop://stock")]
async fn stock() -> &'static str {
    "3"
}

/// A note.
#[resource("note://{id}")]
async fn note(id: String) -> String {
    format!("note {id}")
}

fn server() -> (Server, Arc<Mutex<Vec<&'static str>>>) {
    let ended: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let server = Server::builder("shop", "1.0.0")
        .instructions("Sells eggs.")
        .shared_state(Arc::clone(&ended))
        .tools(tools![add, report, whoami, sleeps])
        .prompts(prompts![greeting])
        .resources(resources![stock, note])
        .build()
        .unwrap();
    (server, ended)
}

#[tokio::test]
async fn the_server_is_described_and_the_tool_knows_the_client() {
    for revision in Revision::LEGACY {
        let (client, record) = connect(&server().0, host(), *revision).await;
        let said = client.server().unwrap();
        assert_eq!(said.instructions.as_deref(), Some("Sells eggs."));
        assert_eq!(said.supported_versions, [revision.as_str()]);
        assert_eq!(client.server_info().unwrap().name, "shop");
        let called = client.call_tool("whoami", json!({})).await.unwrap();
        assert_eq!(called.text(), format!("host of {revision}"));
        record.check(*revision);
    }
}

#[tokio::test]
async fn lists_results_and_completions_are_read() {
    for revision in Revision::LEGACY {
        let (client, record) = connect(&server().0, host(), *revision).await;
        assert_eq!(client.list_tools().await.unwrap().len(), 4);
        assert_eq!(client.list_prompts().await.unwrap()[0].name, "greeting");
        assert_eq!(
            client.list_resources().await.unwrap()[0].uri,
            "shop://stock"
        );
        let templates = client.list_resource_templates().await.unwrap();
        assert_eq!(templates[0].uri_template, "note://{id}");

        let called = client
            .call_tool("add", json!({"a": 2, "b": 3}))
            .await
            .unwrap();
        let structured = called.result.structured_content.as_ref();
        let has_structure = *revision >= Revision::V2025_06_18;
        assert_eq!(structured.is_some(), has_structure, "{revision}");
        let text: Value = serde_json::from_str(&called.text()).unwrap();
        assert_eq!(text, json!({"sum": 5}));

        let greeted = client.get_prompt("greeting", json!({"name": "Anna"})).await;
        assert_eq!(greeted.unwrap().messages.len(), 1);
        let read = client.read_resource("note://7").await.unwrap();
        assert_eq!(read.contents[0].text(), Some("note 7"));
        let missing = client.read_resource("shop://nothing").await;
        assert!(matches!(missing, Err(Error::ResourceNotFound { .. })));

        let prompt = CompletionReference::prompt("greeting");
        let completed = client.complete(prompt, "name", "An", ()).await.unwrap();
        assert_eq!(completed.values, ["Anna", "Anton"]);
        record.check(*revision);
    }
}

#[tokio::test]
async fn errors_are_errors() {
    for revision in Revision::LEGACY {
        let (client, record) = connect(&server().0, host(), *revision).await;
        let unknown = client.call_tool("nothing", json!({})).await;
        assert!(
            matches!(&unknown, Err(Error::Rpc(error)) if error.code == -32602),
            "{unknown:?}"
        );
        let session = client.session();
        let unknown = session.request("server/discover", json!({})).await;
        assert!(
            matches!(&unknown, Err(Error::Rpc(error)) if error.code == -32601),
            "{unknown:?}"
        );
        drop(record);
    }
}

#[tokio::test]
async fn progress_and_log_messages_arrive() {
    for revision in Revision::LEGACY {
        let (seen, mut logged) = tokio::sync::mpsc::unbounded_channel();
        let host = host().on_log(Level::Info, move |message| {
            seen.send(message.data).unwrap();
        });
        let (client, record) = connect(&server().0, host, *revision).await;
        let reports = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&reports);
        let options = CallOptions::new().on_progress(move |report| {
            kept.lock().unwrap().push(report.progress);
        });
        let called = client.call_tool_with("report", json!({}), options).await;
        assert_eq!(called.unwrap().text(), "reported");
        assert_eq!(*reports.lock().unwrap(), [1.0, 2.0]);
        let message = timeout(PATIENCE, logged.recv()).await.unwrap();
        assert_eq!(message.unwrap(), "beware");
        assert_eq!(record.requests("logging/setLevel"), 1);
        record.check(*revision);
    }
}

#[tokio::test]
async fn changes_are_heard_of() {
    for revision in Revision::LEGACY {
        let server = server().0;
        let (client, record) = connect(&server, host(), *revision).await;
        let wanted = Subscription::new()
            .tools()
            .resources()
            .resource("shop://stock")
            .resource("note://1");
        let mut changes = client.subscribe(wanted).await.unwrap();
        assert_eq!(record.requests("resources/subscribe"), 2);
        server.notify().tools_changed();
        let change = timeout(PATIENCE, changes.next()).await.unwrap();
        assert_eq!(change, Some(Change::Tools));
        server.notify().resource_updated("note://2");
        server.notify().resource_updated("note://1");
        let change = timeout(PATIENCE, changes.next()).await.unwrap();
        assert_eq!(change, Some(Change::Resource("note://1".to_owned())));
        drop(changes);
        let ended = async {
            while record.requests("resources/unsubscribe") < 2 {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(PATIENCE, ended).await.unwrap();
        client.session().request("ping", json!({})).await.unwrap();
        record.check(*revision);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_dropped_by_the_server() {
    for revision in Revision::LEGACY {
        let (server, ended) = server();
        let (client, record) = connect(&server, host(), *revision).await;
        let options = CallOptions::new().request_timeout(Duration::from_millis(100));
        let called = client.call_tool_with("sleeps", json!({}), options).await;
        assert!(matches!(called, Err(Error::Timeout { .. })));
        let dropped = async {
            while ended.lock().unwrap().is_empty() {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(PATIENCE, dropped).await.unwrap();
        assert_eq!(record.requests("notifications/cancelled"), 1);
        record.check(*revision);
    }
}

#[tokio::test]
async fn our_server_is_met_in_todays_revision() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let served = server().0;
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        served.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(near);
    let transport = mcp_client::IoTransport::new(reader, writer);
    let client = Client::builder("host", "1.0.0").connect(transport).await;
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}
