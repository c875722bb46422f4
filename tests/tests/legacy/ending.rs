//! Calls that are given up, and connections that end, while a question is open.

use std::time::{Duration, Instant};

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::json;

use crate::support::{ASKING, confirm, connect, echo, everything, server};

#[tokio::test]
async fn giving_a_call_up_takes_its_question_back() {
    let server = server(tools![confirm, echo]);
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        let id = wire.begin("tools/call", call).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.cancel(id).await;
        let taken_back = wire.receive().await;
        assert_eq!(taken_back["method"], "notifications/cancelled");
        assert_eq!(taken_back["params"]["requestId"], asked["id"]);
        // The answer was on its way.
        wire.answer(
            &asked,
            json!({"action": "accept", "content": {"confirm": true}}),
        )
        .await;
        wire.assert_silent(Duration::from_millis(30)).await;
        assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
    }
}

#[tokio::test]
async fn the_end_of_the_input_ends_what_waits_for_an_answer() {
    let server = server(tools![confirm]);
    let mut wire = connect(&server, "2025-11-25").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    wire.expect_request("elicitation/create").await;
    let begin = Instant::now();
    wire.close_input().await;
    let answer = wire.receive().await;
    assert!(tool_error(&answer).contains("has gone"), "{answer}");
    wire.served().await.unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "it waited for the grace period"
    );
}

#[tokio::test]
async fn a_shutdown_ends_what_waits_for_an_answer() {
    let server = server(tools![confirm]);
    let mut wire = connect(&server, "2025-06-18").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    wire.expect_request("elicitation/create").await;
    server.shutdown().begin();
    assert!(tool_error(&wire.receive().await).contains("has gone"));
    wire.served().await.unwrap();
}

/// Who begins anew has forgotten what it was asked.
#[tokio::test]
async fn a_second_handshake_ends_the_questions_of_the_first() {
    let server = server(tools![confirm]);
    let mut wire = connect(&server, "2025-11-25").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    let id = wire.begin("tools/call", call).await;
    wire.expect_request("elicitation/create").await;
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": everything("2025-11-25"),
        "clientInfo": {"name": "wire", "version": "1"},
    });
    wire.begin("initialize", params).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = wire.receive().await;
        if answer["id"] == id {
            assert!(tool_error(&answer).contains("has gone"), "{answer}");
        }
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [id, id + 1]);
}

/// What it answers all the same, late, is the answer to nothing that it is asked now.
#[tokio::test]
async fn an_answer_from_before_a_handshake_settles_nothing_after_it() {
    let server = server(tools![confirm]);
    let mut wire = connect(&server, "2025-11-25").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call.clone()).await;
    let before = wire.expect_request("elicitation/create").await;
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": everything("2025-11-25"),
        "clientInfo": {"name": "wire", "version": "1"},
    });
    wire.begin("initialize", params).await;
    for _ in 0..2 {
        wire.receive().await;
    }
    let id = wire.begin("tools/call", call).await;
    let after = wire.expect_request("elicitation/create").await;
    assert_ne!(before["id"], after["id"]);
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    wire.answer(&before, yes).await;
    wire.assert_silent(Duration::from_millis(50)).await;
    wire.answer(&after, json!({"action": "decline"})).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], id);
    assert_eq!(text(&answer), "it: Decline");
}

/// Over a real pipe: the process ends with status 0, and soon.
#[cfg(unix)]
#[tokio::test]
async fn a_process_ends_in_order_with_a_question_open() {
    for revision in ASKING {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"));
        command.args(["--grace-ms", "60000"]);
        let mut wire = Wire::launch(command);
        wire.shake_hands(revision, everything(revision)).await;
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        wire.begin("tools/call", call.clone()).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(
            &asked,
            json!({"action": "accept", "content": {"confirm": true}}),
        )
        .await;
        assert_eq!(
            text(&wire.receive().await),
            "it: Accept(Confirm { confirm: true })"
        );
        wire.begin("tools/call", call).await;
        wire.expect_request("elicitation/create").await;
        let begin = Instant::now();
        wire.close_input().await;
        assert!(tool_error(&wire.receive().await).contains("has gone"));
        assert_eq!(wire.ended().await.code(), Some(0));
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}
