//! The server ends when its client has gone: it finishes what it has accepted, exits with 0 and never spins.

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use mcp_tests::wire::{asked, retry_params, text};
use serde_json::json;

use crate::launch;

#[tokio::test]
async fn without_input_it_exits_at_once_with_0() {
    for arguments in [&[][..], &["--timer"][..]] {
        let begin = Instant::now();
        let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .await
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(begin.elapsed() < Duration::from_secs(15), "{arguments:?}");
    }
}

/// What was accepted is answered, background tasks or not.
#[tokio::test]
async fn the_end_of_the_input_drains_what_was_accepted() {
    let mut wire = launch(&["--timer"]);
    for ms in [300, 200, 100] {
        wire.begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": ms}}),
        )
        .await;
    }
    wire.begin(
        "tools/call",
        json!({"name": "block", "arguments": {"ms": 200}}),
    )
    .await;
    wire.close_input().await;
    let mut texts = Vec::new();
    for _ in 0..4 {
        texts.push(text(&wire.receive().await).to_owned());
    }
    texts.sort();
    assert_eq!(
        texts,
        [
            "blocked for 200",
            "waited for 100",
            "waited for 200",
            "waited for 300"
        ]
    );
    assert_eq!(wire.ended().await.code(), Some(0));
    assert_eq!(wire.line().await, None);
}

/// A tool that never returns must not keep the process alive, on whichever thread it is.
#[tokio::test]
async fn the_grace_period_bounds_the_end() {
    for tool in ["wait", "block"] {
        let mut wire = launch(&["--grace-ms", "300"]);
        wire.begin(
            "tools/call",
            json!({"name": tool, "arguments": {"ms": 60_000}}),
        )
        .await;
        // An answer to a later request shows that the call is under way.
        assert_eq!(text(&echo(&mut wire).await), "hi");
        let begin = Instant::now();
        wire.close_input().await;
        assert_eq!(wire.ended().await.code(), Some(0), "{tool}");
        let took = begin.elapsed();
        assert!(took >= Duration::from_millis(250), "{tool}: {took:?}");
        assert!(took < Duration::from_secs(15), "{tool}: {took:?}");
        assert_eq!(wire.line().await, None, "{tool}");
    }
}

async fn echo(wire: &mut mcp_tests::wire::Wire) -> serde_json::Value {
    wire.call("echo", json!({"text": "hi"})).await
}

/// The last message may lack its newline.
#[tokio::test]
async fn a_last_line_without_its_newline_is_answered() {
    let mut wire = launch(&[]);
    let request = json!({
        "jsonrpc": "2.0", "id": "last", "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "hi"}, "_meta": wire.meta},
    });
    wire.write(request.to_string().as_bytes()).await;
    wire.close_input().await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], "last");
    assert_eq!(text(&answer), "hi");
    assert_eq!(wire.ended().await.code(), Some(0));
}

/// A client that stops reading and goes is no fault of the server's.
#[tokio::test]
async fn a_client_that_has_closed_both_ends_is_no_error() {
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    for _ in 0..3 {
        // It may have gone already, which is what is wanted.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut stdin, format!("{request}\n").as_bytes())
            .await;
    }
    let status = tokio::time::timeout(Duration::from_secs(10), child.wait())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(status.code(), Some(0));
}

/// Claimed work is finished within the grace period, although nobody waits for its answer any more.
#[tokio::test]
async fn a_claimed_body_that_was_cancelled_is_finished_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("left");
    let mut wire = launch(&[]);
    let arguments = json!({"path": path, "ms": 400});
    let first = wire.call("leave", arguments.clone()).await;
    assert_eq!(asked(&first), ["answer"]);
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    let id = wire
        .begin("tools/call", retry_params("leave", arguments, &first, yes))
        .await;
    assert_eq!(text(&echo(&mut wire).await), "hi");
    wire.cancel(id).await;
    wire.close_input().await;
    assert_eq!(wire.ended().await.code(), Some(0));
    assert_eq!(wire.line().await, None);
    assert_eq!(
        std::fs::read_to_string(&path).expect("the claimed body was dropped"),
        "confirmed: true"
    );
}

/// A client that closes its end and never reads again does not keep the process alive, whether the server still has
/// requests to answer or only answers to write.
#[tokio::test]
async fn answers_that_nobody_reads_do_not_outlast_the_grace_period() {
    for answers in [7, 40] {
        let mut wire = launch(&["--grace-ms", "300"]);
        for _ in 0..answers {
            let params = json!({"name": "large", "arguments": {"bytes": 256 * 1024}});
            wire.begin("tools/call", params).await;
        }
        let begin = Instant::now();
        wire.close_input().await;
        assert_eq!(wire.ended().await.code(), Some(0), "{answers}");
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(15), "{answers}: {took:?}");
    }
}

/// Begins a call of `leave`, which has claimed its exchange when this returns.
async fn begin_leaving(wire: &mut mcp_tests::wire::Wire, path: &Path, ms: u64) {
    let arguments = json!({"path": path, "ms": ms});
    let first = wire.call("leave", arguments.clone()).await;
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    wire.begin("tools/call", retry_params("leave", arguments, &first, yes))
        .await;
    assert_eq!(text(&echo(wire).await), "hi");
}

/// How a client leaves while something is claimed.
#[derive(Debug, Clone, Copy)]
enum Leaves {
    /// It closes its end and could still read.
    Input,
    /// It dies: what is written to it fails.
    Both,
    /// It reads no more, and the server meets that while it still reads.
    Output,
}

/// The effect of a claimed body may be under way: it is waited for, however the client leaves.
#[tokio::test]
async fn a_claimed_body_outlives_the_client_and_the_grace_period() {
    let folder = tempfile::tempdir().unwrap();
    for leaves in [Leaves::Input, Leaves::Both, Leaves::Output] {
        let path = folder.path().join(format!("{leaves:?}"));
        let mut wire = launch(&["--grace-ms", "200"]);
        begin_leaving(&mut wire, &path, 700).await;
        match leaves {
            Leaves::Input => wire.close_input().await,
            Leaves::Both => {
                wire.begin(
                    "tools/call",
                    json!({"name": "wait", "arguments": {"ms": 50}}),
                )
                .await;
                wire.close_output();
                wire.close_input().await;
            }
            Leaves::Output => {
                wire.close_output();
                wire.begin("server/discover", json!({})).await;
            }
        }
        assert_eq!(wire.ended().await.code(), Some(0), "{leaves:?}");
        let left = std::fs::read_to_string(&path);
        assert_eq!(
            left.expect("the claimed body was cut off"),
            "confirmed: true"
        );
    }
}

/// The longer time of claimed bodies has an end as well.
#[tokio::test]
async fn the_claimed_grace_period_bounds_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("left");
    let mut wire = launch(&["--grace-ms", "100", "--claimed-grace-ms", "300"]);
    begin_leaving(&mut wire, &path, 60_000).await;
    let begin = Instant::now();
    wire.close_input().await;
    assert_eq!(wire.ended().await.code(), Some(0));
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(350), "{took:?}");
    assert!(took < Duration::from_secs(15), "{took:?}");
    assert!(!path.exists());
}

/// Neither an idle server nor one that waits for its last call uses the processor.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn waiting_costs_no_processor_time() {
    let mut wire = launch(&[]);
    assert_eq!(text(&echo(&mut wire).await), "hi");
    let before = ticks(&mut wire);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let idle = ticks(&mut wire) - before;
    assert!(idle <= 5, "{idle} ticks of 10 ms while idle");
    wire.begin(
        "tools/call",
        json!({"name": "wait", "arguments": {"ms": 900}}),
    )
    .await;
    wire.close_input().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let before = ticks(&mut wire);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let draining = ticks(&mut wire) - before;
    assert!(draining <= 5, "{draining} ticks of 10 ms while draining");
    assert_eq!(text(&wire.receive().await), "waited for 900");
    assert_eq!(wire.ended().await.code(), Some(0));
}

/// The processor time of the child so far, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(wire: &mut mcp_tests::wire::Wire) -> u64 {
    let id = wire.child().id().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    // After the name in parentheses: user and system time are fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
