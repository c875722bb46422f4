//! Clients of earlier revisions at a real child process: a thread reads there, and another one writes what comes in between.

use std::time::{Duration, Instant};

use mcp_tests::wire::text;
use serde_json::{Value, json};

use crate::launch;

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[tokio::test]
async fn a_change_is_told_while_the_client_says_nothing() {
    for revision in REVISIONS {
        let mut wire = launch(&[]);
        wire.shake_hands(revision, json!({})).await;
        for _ in 0..2 {
            let answer = wire.call("change", json!({})).await;
            assert_eq!(text(&answer), "changed");
            let told = wire.receive().await;
            assert_eq!(told["method"], "notifications/tools/list_changed");
        }
        wire.assert_silent(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_question_goes_out_while_the_server_waits_for_input() {
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut wire = launch(&[]);
        wire.shake_hands(revision, json!({"elicitation": {}})).await;
        let params = json!({"name": "confirm", "arguments": {"what": "it"}});
        let id = wire.begin("tools/call", params).await;
        let question = wire.expect_request("elicitation/create").await;
        assert_eq!(question["params"]["message"], "Go on with it?");
        wire.answer(&question, json!({"action": "decline"})).await;
        assert_eq!(wire.receive().await["id"], id);
    }
}

#[tokio::test]
async fn the_answers_of_a_batch_come_as_one_line() {
    let mut wire = launch(&[]);
    wire.shake_hands("2025-03-26", json!({})).await;
    let wait = |id: u64, ms: u64| {
        let params = json!({"name": "wait", "arguments": {"ms": ms}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let ping = json!({"jsonrpc": "2.0", "id": 103, "method": "ping"});
    let batch = json!([wait(101, 100), wait(102, 50), ping]);
    wire.write(format!("{batch}\n").as_bytes()).await;
    let array: Value = serde_json::from_str(&wire.line().await.unwrap()).unwrap();
    let mut ids: Vec<u64> = array
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [101, 102, 103]);
}

#[tokio::test]
async fn an_idle_session_holds_up_no_end() {
    let mut wire = launch(&["--grace-ms", "600000"]);
    wire.shake_hands("2025-11-25", json!({})).await;
    let begin = Instant::now();
    wire.close_input().await;
    assert_eq!(wire.ended().await.code(), Some(0));
    let mut wire = launch(&["--grace-ms", "600000"]);
    wire.shake_hands("2025-11-25", json!({})).await;
    wire.call("shut_down", json!({"ms": 0})).await;
    assert_eq!(wire.line().await, None);
    assert_eq!(wire.ended().await.code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(15));
}
