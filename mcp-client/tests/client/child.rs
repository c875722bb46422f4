//! Servers that are child processes, played by the shell.

use std::path::Path;
use std::time::{Duration, Instant};

use mcp_client::{CapturedStderr, ChildProcess, Client, Error, Stderr};
use serde_json::json;
use tempfile::TempDir;

use crate::support::builder;

/// A shell server. `reply RESULT` answers the request that was read last.
const PRELUDE: &str = r#"
take() { read -r line || exit 0; id=${line#*\"id\":}; id=${id%%,*}; }
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
probe() { take; reply '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}'; }
text() { reply '{"resultType":"complete","content":[{"type":"text","text":"'"$1"'"}]}'; }
"#;

fn shell(script: &str) -> ChildProcess {
    ChildProcess::new("sh")
        .arg("-c")
        .arg(format!("{PRELUDE}\n{script}"))
        .stderr(Stderr::Null)
        .grace(Duration::from_millis(300))
}

async fn connect(script: &str) -> Client {
    builder().connect(shell(script)).await.unwrap()
}

/// Waits for the script to write a process id into a file.
async fn pid(dir: &TempDir, name: &str) -> String {
    let path = dir.path().join(name);
    for _ in 0..500 {
        match std::fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    panic!("{} never appeared", path.display());
}

/// What the system says about a process: its state first, then numbers.
fn stat(pid: &str) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

fn state(pid: &str) -> Option<char> {
    stat(pid)?.first()?.chars().next()
}

fn session_of(pid: &str) -> Option<String> {
    stat(pid)?.get(3).cloned()
}

fn is_running(pid: &str) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

async fn ends(pid: &str) -> bool {
    for _ in 0..300 {
        if !is_running(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_child_is_launched_and_called() {
    let client = connect(r#"probe; take; text "hello""#).await;
    assert_eq!(
        client.call_tool("t", json!({})).await.unwrap().text(),
        "hello"
    );
    client.close().await;
}

#[tokio::test]
async fn arguments_environment_and_directory_are_passed_on() {
    let dir = TempDir::new().unwrap();
    let server = ChildProcess::new("sh")
        .args([
            "-c",
            &format!(r#"{PRELUDE} probe; take; text "$1 $SHOP $(basename "$PWD")""#),
            "sh",
            "one",
        ])
        .env("SHOP", "two")
        .current_dir(dir.path());
    let client = builder().connect(server).await.unwrap();
    let name = dir.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(
        client.call_tool("t", json!({})).await.unwrap().text(),
        format!("one two {name}")
    );
    client.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let error = builder()
        .connect(ChildProcess::new("no-such-server-here"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Connect(_)), "{error}");
    assert!(error.to_string().contains("no-such-server-here"), "{error}");
}

#[tokio::test]
async fn pending_and_later_calls_fail_at_once_when_the_child_ends_and_name_its_status() {
    let client = connect("probe; take; exit 3").await;
    let started = Instant::now();
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, Error::Closed { reason } if reason.contains("exit status: 3")),
        "{error}"
    );
    assert!(matches!(
        client.call_tool("t", json!({})).await,
        Err(Error::Closed { .. })
    ));
    assert!(client.is_closed());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_killed_child_is_noticed() {
    let client = connect("probe; take; kill -9 $$").await;
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, Error::Closed { reason } if reason.contains("signal: 9")),
        "{error}"
    );
}

#[tokio::test]
async fn the_childs_end_is_noticed_while_a_grandchild_holds_its_output() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("grandchild");
    // In a session of its own, so that ending the group does not reach it.
    let script = format!(
        "setsid sleep 30 & echo $! > {}; probe; take; exit 3",
        file.display()
    );
    let client = connect(&script).await;
    let grandchild = pid(&dir, "grandchild").await;
    while session_of(&grandchild).as_ref() != Some(&grandchild) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let started = Instant::now();
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, Error::Closed { reason } if reason.contains("exit status: 3")),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(is_running(&grandchild), "it still holds the output");
    std::process::Command::new("kill")
        .arg(grandchild)
        .status()
        .unwrap();
}

#[tokio::test]
async fn what_the_child_said_last_still_counts() {
    let client = connect(r#"probe; take; text "last"; exit 0"#).await;
    assert_eq!(
        client.call_tool("t", json!({})).await.unwrap().text(),
        "last"
    );
}

#[tokio::test]
async fn closing_its_input_ends_a_good_child_and_leaves_no_zombie() {
    let dir = TempDir::new().unwrap();
    let (pids, end) = (dir.path().join("pid"), dir.path().join("end"));
    let script = format!(
        "echo $$ > {}; probe; cat > /dev/null; echo ended > {}",
        pids.display(),
        end.display()
    );
    let client = connect(&script).await;
    let pid = pid(&dir, "pid").await;
    client.close().await;
    assert_eq!(
        std::fs::read_to_string(end).unwrap(),
        "ended\n",
        "it was not terminated"
    );
    assert_eq!(state(&pid), None, "reaped");
}

#[tokio::test]
async fn a_child_that_ignores_the_end_of_its_input_is_terminated() {
    let dir = TempDir::new().unwrap();
    let (pids, end) = (dir.path().join("pid"), dir.path().join("end"));
    let script = format!(
        "trap 'echo terminated > {}; exit 0' TERM; echo $$ > {}; probe; while :; do sleep 0.05; done",
        end.display(),
        pids.display()
    );
    let client = connect(&script).await;
    let pid = pid(&dir, "pid").await;
    let started = Instant::now();
    client.close().await;
    assert!(
        started.elapsed() >= Duration::from_millis(300),
        "it had its grace"
    );
    assert_eq!(std::fs::read_to_string(end).unwrap(), "terminated\n");
    assert_eq!(state(&pid), None);
}

#[tokio::test]
async fn a_child_that_ignores_termination_is_killed() {
    let dir = TempDir::new().unwrap();
    let script = format!(
        "trap '' TERM; echo $$ > {}; probe; while :; do sleep 0.05; done",
        dir.path().join("pid").display()
    );
    let client = connect(&script).await;
    let pid = pid(&dir, "pid").await;
    let started = Instant::now();
    client.close().await;
    assert!(
        started.elapsed() >= Duration::from_millis(600),
        "twice the grace"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(state(&pid), None);
}

#[tokio::test]
async fn what_the_child_launched_ends_with_it() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("grandchild");
    // A launcher that ends at the end of its input and leaves its own child behind.
    let script = format!(
        "sleep 60 >/dev/null & echo $! > {}; probe; cat > /dev/null",
        file.display()
    );
    let client = connect(&script).await;
    let grandchild = pid(&dir, "grandchild").await;
    assert!(is_running(&grandchild));
    client.close().await;
    assert!(ends(&grandchild).await);
}

#[tokio::test]
async fn what_the_child_launched_ends_when_the_child_dies_by_itself() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("grandchild");
    let script = format!(
        "sleep 60 >/dev/null & echo $! > {}; probe; take; exit 1",
        file.display()
    );
    let client = connect(&script).await;
    let grandchild = pid(&dir, "grandchild").await;
    assert!(client.call_tool("t", json!({})).await.is_err());
    assert!(ends(&grandchild).await);
}

#[tokio::test]
async fn dropping_the_client_ends_the_child() {
    let dir = TempDir::new().unwrap();
    let script = format!(
        "trap '' TERM; echo $$ > {}; probe; while :; do sleep 0.05; done",
        dir.path().join("pid").display()
    );
    let client = connect(&script).await;
    let pid = pid(&dir, "pid").await;
    drop(client);
    assert!(ends(&pid).await);
}

#[test]
fn the_end_of_the_runtime_ends_the_child_and_its_group() {
    let dir = TempDir::new().unwrap();
    let script = format!(
        "trap '' TERM; sleep 60 & echo $! > {}; echo $$ > {}; probe; while :; do sleep 0.05; done",
        dir.path().join("grandchild").display(),
        dir.path().join("pid").display()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (client, child, grandchild) = runtime.block_on(async {
        let client = connect(&script).await;
        (
            client,
            pid(&dir, "pid").await,
            pid(&dir, "grandchild").await,
        )
    });
    drop(runtime);
    drop(client);
    for pid in [child, grandchild] {
        let started = Instant::now();
        while is_running(&pid) {
            assert!(started.elapsed() < Duration::from_secs(3), "{pid} lives on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[tokio::test]
async fn a_server_that_is_refused_is_not_left_behind() {
    let dir = TempDir::new().unwrap();
    let script = format!(
        "echo $$ > {}; take; reply '{{\"supportedVersions\":[\"2027-01-01\"],\"capabilities\":{{}}}}'; cat > /dev/null",
        dir.path().join("pid").display()
    );
    let error = builder().connect(shell(&script)).await.unwrap_err();
    assert!(matches!(error, Error::UnsupportedVersion { .. }), "{error}");
    assert_eq!(state(&pid(&dir, "pid").await), None);
}

#[tokio::test]
async fn log_lines_on_standard_output_are_skipped() {
    let client = connect(r#"echo "starting v1…"; probe; take; echo "working"; text "ok""#).await;
    assert_eq!(client.call_tool("t", json!({})).await.unwrap().text(), "ok");
    assert_eq!(client.skipped_lines(), 2);
    client.close().await;
}

#[tokio::test]
async fn a_child_that_logs_a_line_for_each_it_reads_makes_no_storm() {
    let client = connect("probe; while read -r line; do echo \"got: $line\"; done").await;
    let options = mcp_client::CallOptions::new().request_timeout(Duration::from_millis(300));
    let error = client
        .call_tool_with("t", json!({}), options)
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    tokio::time::sleep(Duration::from_millis(100)).await;
    // One for the request and one for its cancellation.
    assert_eq!(client.skipped_lines(), 2);
    client.close().await;
}

#[tokio::test]
async fn standard_error_can_be_captured_and_only_its_end_is_kept() {
    let captured = CapturedStderr::new(10);
    let server = shell("echo 0123456789abcdef >&2; probe; cat > /dev/null")
        .stderr(Stderr::Capture(captured.clone()));
    let client = builder().connect(server).await.unwrap();
    client.close().await;
    for _ in 0..100 {
        if captured.text() == "789abcdef\n" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", captured.text());
}

#[tokio::test]
async fn a_full_standard_error_does_not_block_the_child() {
    let captured = CapturedStderr::new(10);
    let server = shell("head -c 1000000 /dev/zero >&2; probe; cat > /dev/null")
        .stderr(Stderr::Capture(captured));
    let client = builder().connect(server).await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn an_over_long_line_of_a_child_fails_the_call_with_the_limit() {
    let script = r#"probe; take; text "$(head -c 5000 /dev/zero | tr '\0' x)"; take; text ok; cat > /dev/null"#;
    let client = builder()
        .connect(shell(script).max_message(1000))
        .await
        .unwrap();
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(
        matches!(error, Error::TooLong { limit: 1000, .. }),
        "{error}"
    );
    assert_eq!(client.call_tool("t", json!({})).await.unwrap().text(), "ok");
    client.close().await;
}
