//! What a server says before the handshake is over.

use mcp_client::{Builder, Client, HandlerError, Revision};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::form;
use crate::support::{Fake, answering, builder, pair};

const VERSION: &str = "2025-11-25";

/// Connects; `early` is done between the request of the handshake and its answer.
async fn connect(builder: Builder, early: impl AsyncFnOnce(&mut Fake)) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let pinned = builder.revision(Revision::V2025_11_25);
    let server = async {
        let hello = fake.request("initialize").await;
        early(&mut fake).await;
        fake.welcome(&hello, VERSION, json!({"tools": {}})).await;
    };
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    (client.unwrap(), fake)
}

/// Specification: 2025-11-25, basic/lifecycle, Initialization: servers may send pings before it is over.
#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_at_once() {
    let (_client, mut fake) = connect(builder(), async |fake| {
        let started = Instant::now();
        for id in [json!(0), json!("p")] {
            fake.ask(id.clone(), "ping", json!({})).await;
            let answer = fake.answered(id).await;
            assert_eq!(answer["result"], json!({}));
        }
        assert!(started.elapsed().is_zero());
    })
    .await;
    fake.ask(1, "ping", json!({})).await;
    fake.answered(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_waits_for_a_ping_while_it_is_asked_what_it_is_gets_no_answer() {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.ask(0, "ping", json!({})).await;
        // In the revision of today there are no pings.
        fake.hears_nothing().await;
        fake.fail(&probe, json!({"code": -32601, "message": "what?"}))
            .await;
        let hello = fake.request("initialize").await;
        fake.ask(1, "ping", json!({})).await;
        fake.answered(1).await;
        fake.welcome(&hello, VERSION, json!({})).await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    client.unwrap();
}

#[tokio::test(start_paused = true)]
async fn anything_else_waits_until_the_handshake_is_over() {
    let (builder, asked) = answering(json!({"confirm": true}));
    let (_client, mut fake) = connect(builder, async |fake| {
        fake.ask(0, "elicitation/create", form("Early?")).await;
        fake.ask(1, "ping", json!({})).await;
        fake.answered(1).await;
        fake.hears_nothing().await;
    })
    .await;
    let answer = fake.answered(0).await;
    assert_eq!(answer["result"]["action"], "accept", "{}", answer.text);
    assert_eq!(*asked.lock().unwrap(), ["Early?"]);
}

fn builder_with_roots() -> Builder {
    builder().on_roots(|_| async {
        Ok::<_, HandlerError>(serde_json::from_value(json!({"roots": []}))?)
    })
}

/// 24 MiB in messages of 1 MiB. What does not fit is refused with the bound, and not kept.
#[tokio::test(start_paused = true)]
async fn so_many_bytes_are_kept_and_no_more() {
    let padding = "x".repeat(1024 * 1024);
    let (_client, mut fake) = connect(builder_with_roots(), async |fake| {
        for id in 0..24 {
            let params = json!({"_meta": {"padding": padding}});
            fake.ask(id, "roots/list", params).await;
        }
        // The names and braces around it make 15 of 16.
        for id in 15..24 {
            let error = fake.answered(id).await;
            let text = error["error"]["message"].as_str().unwrap();
            assert!(text.contains("16 MiB"), "{text}");
        }
        fake.hears_nothing().await;
    })
    .await;
    for id in 0..15 {
        let answer = fake.answered(id).await;
        assert_eq!(answer["result"]["roots"], json!([]), "{}", answer.text);
    }
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn so_many_messages_are_kept_and_no_more() {
    let (_client, mut fake) = connect(builder_with_roots(), async |fake| {
        for _ in 0..999 {
            fake.notify("notifications/x", json!({})).await;
        }
        fake.ask("last", "roots/list", json!({})).await;
        fake.ask("late", "roots/list", json!({})).await;
        let error = fake.answered("late").await;
        let text = error["error"]["message"].as_str().unwrap();
        assert!(text.contains("1000 messages"), "{text}");
        fake.notify("notifications/x", Value::Null).await;
    })
    .await;
    let answer = fake.answered("last").await;
    assert_eq!(answer["result"]["roots"], json!([]), "{}", answer.text);
    fake.ask(1, "ping", json!({})).await;
    fake.answered(1).await;
}

/// Requests of these ids, all in one piece.
async fn ask_at_once(fake: &mut Fake, ids: std::ops::Range<u64>) {
    let lines = ids.map(|id| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "x/y"});
        format!("{request}\n")
    });
    let lines: String = lines.collect();
    fake.bytes(lines.as_bytes()).await;
}

#[tokio::test(start_paused = true)]
async fn all_that_is_kept_is_answered() {
    let (_client, mut fake) =
        connect(builder(), async |fake| ask_at_once(fake, 0..1_000).await).await;
    for id in 0..1_000 {
        let answer = fake.answered(id).await;
        assert_eq!(answer["error"]["code"], -32601, "{}", answer.text);
    }
}

#[tokio::test(start_paused = true)]
async fn all_that_is_not_kept_is_refused() {
    connect(builder(), async |fake| {
        ask_at_once(fake, 0..3_000).await;
        for id in 1_000..3_000 {
            let answer = fake.answered(id).await;
            let text = answer["error"]["message"].as_str().unwrap();
            assert!(text.contains("1000 messages"), "{text}");
        }
    })
    .await;
}
