//! Requests of the client: progress, cancellation, batches, results and errors of earlier revisions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::CompletionReference;
use mcp_client::{CallOptions, Error, Revision};
use serde_json::json;

use super::{connect_at, text};
use crate::support::{builder, call};

#[tokio::test(start_paused = true)]
async fn progress_is_reported() {
    for revision in Revision::LEGACY {
        let (client, mut fake) = connect_at(builder(), *revision).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let reports = Arc::clone(&seen);
        let options = CallOptions::new().on_progress(move |report| {
            reports.lock().unwrap().push(report.progress);
        });
        let server = async {
            let request = fake.request("tools/call").await;
            let token = &request.params()["_meta"]["progressToken"];
            let report = json!({"progressToken": token, "progress": 0.5, "total": 1});
            fake.notify("notifications/progress", report).await;
            fake.reply(&request, text("done")).await;
        };
        let (called, ()) = tokio::join!(client.call_tool_with("t", json!({}), options), server);
        called.unwrap();
        assert_eq!(*seen.lock().unwrap(), [0.5]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_cancelled_by_a_notification() {
    let (client, mut fake) = connect_at(builder(), Revision::V2024_11_05).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    calling.abort();
    fake.cancellation_of(&request).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_gets_no_answer_is_cancelled() {
    let (client, mut fake) = connect_at(
        builder().request_timeout(Duration::from_secs(2)),
        Revision::V2025_03_26,
    )
    .await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.cancellation_of(&request).await;
    assert!(matches!(calling.await.unwrap(), Err(Error::Timeout { .. })));
}

#[tokio::test(start_paused = true)]
async fn batches_are_taken_apart_where_the_revision_has_them() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_03_26).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    let mut answers = Vec::new();
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        let name = request.params()["name"].as_str().unwrap();
        answers.push(json!({"jsonrpc": "2.0", "id": request["id"], "result": text(name)}));
    }
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let batch = json!([answers[1], ping, [ping], "no message", answers[0]]);
    fake.line(&batch.to_string()).await;
    let [a, b] = calls;
    assert_eq!(a.await.unwrap().unwrap().text(), "a");
    assert_eq!(b.await.unwrap().unwrap().text(), "b");
    assert_eq!(fake.answered("p").await["result"], json!({}));
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn elsewhere_a_batch_is_no_message() {
    for revision in Revision::LEGACY {
        if *revision == Revision::V2025_03_26 {
            continue;
        }
        let (client, mut fake) = connect_at(builder(), *revision).await;
        fake.line(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#)
            .await;
        fake.hears_nothing().await;
        assert_eq!(client.skipped_lines(), 1, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_is_not_there_is_said_to_be_missing() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_06_18).await;
    let server = async {
        let request = fake.request("resources/read").await;
        let error =
            json!({"code": -32002, "message": "Resource not found", "data": {"uri": "x://a"}});
        fake.fail(&request, error).await;
    };
    let (read, ()) = tokio::join!(client.read_resource("x://a"), server);
    assert!(matches!(read, Err(Error::ResourceNotFound { uri, .. }) if uri == "x://a"));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_whatever_the_server_says() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_11_25).await;
    for count in 0..2 {
        let server = async {
            let request = fake.request("tools/list").await;
            let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
            let tools = vec![tool; count];
            fake.reply(
                &request,
                json!({"tools": tools, "ttlMs": 60_000, "cacheScope": "public"}),
            )
            .await;
        };
        let (tools, ()) = tokio::join!(client.list_tools(), server);
        assert_eq!(tools.unwrap().len(), count);
    }
}

#[tokio::test(start_paused = true)]
async fn tools_of_the_first_revision_are_read() {
    let (client, mut fake) = connect_at(builder(), Revision::V2024_11_05).await;
    let server = async {
        let request = fake.request("tools/list").await;
        assert_eq!(*request.params(), json!({}));
        let tools = json!([{"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}}]);
        fake.reply(&request, json!({"tools": tools, "nextCursor": "c"}))
            .await;
        let request = fake.request("tools/list").await;
        assert_eq!(*request.params(), json!({"cursor": "c"}));
        fake.reply(&request, json!({"tools": []})).await;
    };
    let (tools, ()) = tokio::join!(client.list_tools(), server);
    assert_eq!(tools.unwrap()[0].name, "add");
}

#[tokio::test(start_paused = true)]
async fn completions_have_no_context_before_2025_06_18() {
    for revision in Revision::LEGACY {
        let (client, mut fake) = connect_at(builder(), *revision).await;
        let prompt = CompletionReference::prompt("p");
        let completing = client.complete(prompt, "a", "v", json!({"other": "x"}));
        let server = async {
            let request = fake.request("completion/complete").await;
            let has_context = request.params().get("context").is_some();
            assert_eq!(has_context, *revision >= Revision::V2025_06_18);
            fake.reply(&request, json!({"completion": {"values": ["vx"]}}))
                .await;
        };
        let (completed, ()) = tokio::join!(completing, server);
        assert_eq!(completed.unwrap().values, ["vx"]);
    }
}

#[tokio::test(start_paused = true)]
async fn log_messages_reach_the_host() {
    let (seen, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let log = builder().on_log(mcp_client::protocol::LoggingLevel::Info, move |message| {
        seen.send(message.data).unwrap();
    });
    let capabilities = json!({"tools": {}});
    let (_client, mut fake) =
        super::connect_offering(log, Revision::V2025_03_26, capabilities).await;
    fake.notify(
        "notifications/message",
        json!({"level": "info", "data": "hello"}),
    )
    .await;
    assert_eq!(heard.recv().await.unwrap(), "hello");
}
