//! Child processes of earlier revisions, played by the shell.

use std::time::Duration;

use mcp_client::{ChildProcess, Eras, Error, Revision, Stderr};
use serde_json::json;
use tempfile::TempDir;

use crate::support::builder;

/// `take` reads a line, `reply RESULT` answers it, and each start leaves a line in the file `starts`.
const PRELUDE: &str = r#"
echo start >> starts
take() { read -r line || exit 0; id=${line#*\"id\":}; id=${id%%,*}; }
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
welcome() { reply '{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}'; }
serve() { take; take; reply '{"content":[{"type":"text","text":"from the shell"}]}'; take; }
"#;

/// A server that ends from anything but the handshake.
const STRICT: &str = r#"
take
case "$line" in *'"initialize"'*) welcome;; *) echo "expected initialize" >&2; exit 1;; esac
serve
"#;

fn shell(dir: &TempDir, script: &str) -> ChildProcess {
    ChildProcess::new("sh")
        .arg("-c")
        .arg(format!("{PRELUDE}\n{script}"))
        .current_dir(dir.path())
        .stderr(Stderr::Null)
        .grace(Duration::from_millis(300))
}

fn starts(dir: &TempDir) -> usize {
    let starts = std::fs::read_to_string(dir.path().join("starts")).unwrap();
    starts.lines().count()
}

#[tokio::test]
async fn a_child_that_ends_from_the_question_is_started_again_once() {
    let dir = TempDir::new().unwrap();
    let client = builder().connect(shell(&dir, STRICT)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_03_26);
    assert_eq!(starts(&dir), 2);
    let called = client.call_tool("t", json!({})).await.unwrap();
    assert_eq!(called.text(), "from the shell");
    client.close().await;
}

#[tokio::test]
async fn so_is_one_that_says_why_before_it_ends() {
    let dir = TempDir::new().unwrap();
    let script = r#"
        take
        case "$line" in *'"initialize"'*) welcome;; *)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"not initialized"}}\n' "$id"
            exit 1;;
        esac
        serve
    "#;
    let client = builder().connect(shell(&dir, script)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_03_26);
    assert_eq!(starts(&dir), 2);
    client.close().await;
}

#[tokio::test]
async fn a_child_that_ends_again_is_not_started_a_third_time() {
    let dir = TempDir::new().unwrap();
    let error = builder().connect(shell(&dir, "exit 3")).await.unwrap_err();
    assert!(matches!(error, Error::Closed { .. }), "{error}");
    assert!(error.to_string().contains("exit status: 3"), "{error}");
    assert_eq!(starts(&dir), 2);
}

#[tokio::test]
async fn a_child_that_refuses_the_handshake_as_well_is_said_to_refuse_both() {
    let dir = TempDir::new().unwrap();
    let script = r#"
        take
        case "$line" in *'"initialize"'*) ;; *) exit 4;; esac
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no handshake"}}\n' "$id"
        take
    "#;
    let error = builder().connect(shell(&dir, script)).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::OldServer { .. }), "{text}");
    assert!(
        text.contains("exit status: 4") && text.contains("no handshake"),
        "{text}"
    );
}

#[tokio::test]
async fn with_todays_revision_pinned_it_is_started_once() {
    let dir = TempDir::new().unwrap();
    let pinned = builder().revision(Revision::V2026_07_28);
    let error = pinned.connect(shell(&dir, STRICT)).await.unwrap_err();
    assert!(matches!(error, Error::Closed { .. }), "{error}");
    assert_eq!(starts(&dir), 1);
}

#[tokio::test]
async fn with_an_older_revision_pinned_it_is_never_asked() {
    let dir = TempDir::new().unwrap();
    let pinned = builder().revision(Revision::V2025_03_26);
    let client = pinned.connect(shell(&dir, STRICT)).await.unwrap();
    assert_eq!(starts(&dir), 1);
    client.close().await;
}

#[tokio::test]
async fn the_second_time_it_is_known() {
    let dir = TempDir::new().unwrap();
    let eras = Eras::new();
    for expected in [2, 3, 4] {
        let connecting = builder().eras(&eras).connect(shell(&dir, STRICT));
        connecting.await.unwrap().close().await;
        assert_eq!(starts(&dir), expected);
    }
    // Another command is another server.
    let other = shell(&dir, &format!("{STRICT}\n# another"));
    builder()
        .eras(&eras)
        .connect(other)
        .await
        .unwrap()
        .close()
        .await;
    assert_eq!(starts(&dir), 6);
}

#[tokio::test]
async fn a_child_that_ends_from_the_handshake_that_was_remembered_is_asked_anew() {
    let dir = TempDir::new().unwrap();
    let eras = Eras::new();
    let modern = r#"
        take
        case "$line" in *'"server/discover"'*) ;; *) exit 1;; esac
        reply '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}'
        take
    "#;
    let server = || shell(&dir, modern);
    use mcp_client::Transport as _;
    eras.set(server().remembered_as().unwrap(), Revision::V2025_11_25);
    let client = builder().eras(&eras).connect(server()).await.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    assert_eq!(starts(&dir), 2);
    client.close().await;
}

#[tokio::test]
async fn it_starts_again_with_the_same_arguments_and_environment() {
    let dir = TempDir::new().unwrap();
    let script = format!(
        r#"printf '%s|%s|%s\n' "$GIVEN" "$HOME" "$1" >> seen
        PATH=/usr/bin:/bin
        {STRICT}"#
    );
    let server = ChildProcess::new("/bin/sh")
        .arg("-c")
        .arg(format!("{PRELUDE}\n{script}"))
        .args(["name", "an argument"])
        .env_clear()
        .env("GIVEN", "a value")
        .current_dir(dir.path())
        .stderr(Stderr::Null);
    builder().connect(server).await.unwrap().close().await;
    let seen = std::fs::read_to_string(dir.path().join("seen")).unwrap();
    assert_eq!(seen, "a value||an argument\n".repeat(2));
}

#[tokio::test]
async fn a_silent_child_gets_the_handshake_on_the_same_connection() {
    let dir = TempDir::new().unwrap();
    let script = r#"
        take
        while case "$line" in *'"initialize"'*) false;; esac; do take; done
        welcome
        serve
    "#;
    let client = builder()
        .probe_timeout(Duration::from_millis(300))
        .connect(shell(&dir, script))
        .await
        .unwrap();
    assert_eq!(starts(&dir), 1);
    let called = client.call_tool("t", json!({})).await.unwrap();
    assert_eq!(called.text(), "from the shell");
    client.close().await;
}
