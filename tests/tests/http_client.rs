//! Our client and our server over HTTP, on real connections: what goes through both.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::{Router, extract::Request, middleware};
use mcp_client::{
    Answer, CallOptions, Change, Client, Error, HttpTransport, Subscription, Trace, trace,
};
use mcp_server::prelude::*;
use serde_json::json;
use tokio::{net::TcpListener, task::JoinHandle, time::timeout};

const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Work {
    begun: AtomicU32,
    dropped: AtomicU32,
}

struct Guard<'a>(&'a Work);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

/// Sends the text back.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Sends a parcel somewhere.
#[tool]
async fn ship(
    #[schemars(extend("x-mcp-header" = "Region"))] region: String,
    #[schemars(extend("x-mcp-header" = "Weight"))] weight: Option<u32>,
    #[elicit("Ship to {region}?")] answer: Resolve<Confirm>,
) -> String {
    format!("{region} {weight:?} {}", answer.confirm)
}

/// Counts to three.
#[tool]
async fn count(ctx: Context) -> String {
    for n in 1..=3 {
        ctx.progress((f64::from(n), 3.0));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    "three".to_owned()
}

/// Waits for ever, after a word or without one.
#[tool]
async fn forever(says: bool, work: State<Work>, ctx: Context) -> String {
    let _guard = Guard(&work);
    if says {
        ctx.progress(1.0);
    }
    work.begun.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

type Headers = Vec<(String, String)>;

/// A server behind a layer that notes the headers of each request.
struct Site {
    url: String,
    server: Server,
    work: Arc<Work>,
    seen: Arc<Mutex<Vec<Headers>>>,
    served: JoinHandle<()>,
}

impl Site {
    async fn open(always_stream: bool) -> Self {
        let work = Arc::new(Work::default());
        let server = Server::builder("shop", "1.0.0")
            .shared_state(work.clone())
            .tools(tools![echo, ship, count, forever])
            .build()
            .unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&seen);
        let note = middleware::from_fn(move |request: Request, next: middleware::Next| {
            let headers = request.headers().iter();
            let headers = headers
                .filter(|(name, _)| name.as_str().starts_with("mcp-"))
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
            notes.lock().unwrap().push(headers.collect());
            next.run(request)
        });
        let http = server.http().always_stream(always_stream);
        let app = Router::new().route_service("/mcp", http).layer(note);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let served = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            server,
            work,
            seen,
            served,
        }
    }

    async fn client(&self) -> Client {
        self.connect(HttpTransport::new(&self.url)).await
    }

    async fn connect(&self, transport: impl mcp_client::Transport) -> Client {
        let builder = Client::builder("host", "1.0.0")
            .on_form(|_| async { Ok(Answer::accept(json!({ "confirm": true }))?) });
        builder.connect(transport).await.unwrap()
    }

    /// The headers of all calls of tools so far.
    fn calls(&self) -> Vec<Headers> {
        let is_call = |headers: &&Headers| {
            headers.contains(&("mcp-method".to_owned(), "tools/call".to_owned()))
        };
        self.seen
            .lock()
            .unwrap()
            .iter()
            .filter(is_call)
            .cloned()
            .collect()
    }
}

#[tokio::test]
async fn a_call_that_asks_has_the_same_headers_on_each_round() {
    for always_stream in [false, true] {
        let site = Site::open(always_stream).await;
        let client = site.client().await;
        let called = client
            .call_tool("ship", json!({ "region": "Zürich", "weight": 7 }))
            .await
            .unwrap();
        assert_eq!(called.text(), "Zürich Some(7) true");
        assert_eq!(called.rounds, 2);
        let calls = site.calls();
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0], calls[1]);
        for (name, value) in [
            ("mcp-name", "ship"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-param-region", "=?base64?WsO8cmljaA==?="),
            ("mcp-param-weight", "7"),
        ] {
            let header = (name.to_owned(), value.to_owned());
            assert!(calls[0].contains(&header), "{name}: {:?}", calls[0]);
        }

        let called = client
            .call_tool("ship", json!({ "region": "", "weight": null }))
            .await;
        assert_eq!(called.unwrap().text(), " None true");
    }
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let site = Site::open(false).await;
    let client = site.client().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&seen);
    let options =
        CallOptions::new().on_progress(move |report| reports.lock().unwrap().push(report.progress));
    let called = client
        .call_tool_with("count", json!({}), options)
        .await
        .unwrap();
    assert_eq!(called.text(), "three");
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0]);
}

#[tokio::test]
async fn dropping_a_call_ends_it_in_the_server() {
    let site = Site::open(false).await;
    let client = site.client().await;
    for (turn, says) in [false, true].into_iter().enumerate() {
        let turn = u32::try_from(turn).unwrap();
        let calling = client.clone();
        let calling =
            tokio::spawn(
                async move { calling.call_tool("forever", json!({ "says": says })).await },
            );
        reached(&site.work.begun, turn + 1).await;
        assert_eq!(site.work.dropped.load(Ordering::SeqCst), turn);
        calling.abort();
        reached(&site.work.dropped, turn + 1).await;
    }
    let methods = site.seen.lock().unwrap().concat();
    let cancelled = (
        "mcp-method".to_owned(),
        "notifications/cancelled".to_owned(),
    );
    assert!(!methods.contains(&cancelled), "a closed stream says it all");
    assert_eq!(
        client
            .call_tool("echo", json!({ "text": "x" }))
            .await
            .unwrap()
            .text(),
        "x"
    );
}

async fn reached(count: &AtomicU32, expected: u32) {
    let reached = async {
        while count.load(Ordering::SeqCst) != expected {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, reached).await.unwrap();
}

#[tokio::test]
async fn calls_side_by_side_get_their_own_answers() {
    let site = Site::open(false).await;
    let multiplexed = reqwest::Client::builder()
        .http2_prior_knowledge()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    for transport in [
        HttpTransport::new(&site.url),
        HttpTransport::new(&site.url).client(multiplexed),
    ] {
        let client = site.connect(transport).await;
        let calls: Vec<_> = (0..100)
            .map(|n| {
                let client = client.clone();
                let text = format!("{n}");
                tokio::spawn(async move {
                    let called = client.call_tool("echo", json!({ "text": text })).await;
                    (called.unwrap().text(), text)
                })
            })
            .collect();
        for call in calls {
            let (answer, text) = call.await.unwrap();
            assert_eq!(answer, text);
        }
    }
}

#[tokio::test]
async fn changes_are_reported_until_the_subscription_is_dropped() {
    let site = Site::open(false).await;
    let client = site.client().await;
    let wanted = Subscription::new().tools();
    let mut changes = client.subscribe(wanted).await.unwrap();
    for _ in 0..2 {
        site.server.notify().tools_changed();
        let change = timeout(PATIENCE, changes.next()).await.unwrap();
        assert_eq!(change, Some(Change::Tools));
    }
    assert_eq!(site.server.notify().listening(), 1);
    drop(changes);
    let silence = async {
        while site.server.notify().listening() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, silence).await.unwrap();
}

#[tokio::test]
async fn errors_come_as_over_any_transport() {
    let site = Site::open(false).await;
    let client = site.client().await;
    let unknown = client.call_tool("nothing", json!({})).await.unwrap_err();
    assert_eq!(unknown.code(), Some(-32602), "{unknown}");
    let session = client.session().declare_only([]);
    let unable = session
        .call_tool("ship", json!({ "region": "eu" }))
        .await
        .unwrap_err();
    assert!(
        matches!(unable, Error::MissingCapability { .. }),
        "{unable}"
    );
    let unknown = session.request("no/such", json!({})).await.unwrap_err();
    assert_eq!(unknown.code(), Some(-32601), "{unknown}");

    site.served.abort();
    let _ = site.served.await;
    let gone = timeout(PATIENCE, client.call_tool("echo", json!({ "text": "x" })))
        .await
        .unwrap();
    assert!(matches!(gone, Err(Error::RequestFailed { .. })), "{gone:?}");
}

#[tokio::test]
async fn a_trace_has_every_message() {
    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let site = Site::open(false).await;
    let memory = Memory::default();
    let transport = Trace::wrap(HttpTransport::new(&site.url), memory.clone());
    let client = site.connect(transport).await;
    client
        .call_tool("ship", json!({ "region": "eu" }))
        .await
        .unwrap();
    let bytes = memory.0.lock().unwrap().clone();
    let entries: Result<Vec<_>, _> = trace::read(&bytes[..]).collect();
    // server/discover, tools/list for the headers, and two rounds.
    assert_eq!(entries.unwrap().len(), 8);
}
