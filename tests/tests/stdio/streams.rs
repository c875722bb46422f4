//! Whatever the standard streams are: pipes, files, sockets, and readers that are slow.

use std::{
    fs::File,
    io::Write,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::Stdio,
    time::Duration,
};

use mcp_tests::{official, wire::text};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::launch;

fn request(id: u32, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    format!("{request}\n")
}

/// A script may feed the server from a file and keep what it says in another.
#[tokio::test]
async fn files_serve_as_both_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let mut file = File::create(&input).unwrap();
    for id in 0..20 {
        let tool = if id % 2 == 0 { "echo" } else { "chatty" };
        let line = request(id, tool, &json!({"text": "x".repeat(10_000)}));
        file.write_all(line.as_bytes()).unwrap();
    }
    file.write_all(request(20, "wait", &json!({"ms": 100})).as_bytes())
        .unwrap();
    drop(file);
    let status = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"))
        .stdin(File::open(&input).unwrap())
        .stdout(File::create(&output).unwrap())
        .stderr(Stdio::null())
        .status()
        .await
        .unwrap();
    assert_eq!(status.code(), Some(0));
    let said = std::fs::read_to_string(&output).unwrap();
    assert!(said.ends_with('\n'));
    let mut ids: Vec<u64> = said
        .lines()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).unwrap();
            official::check(Some("tools/call"), &answer);
            assert!(!text(&answer).is_empty());
            answer["id"].as_u64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..=20).collect::<Vec<_>>());
}

/// Some hosts give their children one socket for both streams.
#[tokio::test]
async fn a_socket_serves_as_both_ends() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let end = || Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"))
        .stdin(end())
        .stdout(end())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    drop(theirs);
    ours.set_nonblocking(true).unwrap();
    let (reader, mut writer) = tokio::net::UnixStream::from_std(ours).unwrap().into_split();
    let mut lines = BufReader::new(reader).lines();
    for id in 0..3 {
        let said = "é".repeat(200_000);
        let line = request(id, "chatty", &json!({"text": said}));
        writer.write_all(line.as_bytes()).await.unwrap();
        let answer = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], id);
        assert_eq!(text(&answer), said);
    }
    writer.shutdown().await.unwrap();
    let status = tokio::time::timeout(Duration::from_secs(15), child.wait())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(status.code(), Some(0));
}

/// A client that reads late gets everything, and the server's memory has an end meanwhile.
#[tokio::test]
async fn a_client_that_reads_late_gets_every_answer() {
    let mut wire = launch(&[]);
    let said = "x".repeat(100_000);
    let mut ids = Vec::new();
    // What the server reads it answers: 30 MB, of which the pipe and its buffer hold a part.
    for _ in 0..300 {
        let arguments = json!({"text": said});
        let sent = wire.begin(
            "tools/call",
            json!({"name": "echo", "arguments": arguments}),
        );
        match tokio::time::timeout(Duration::from_secs(3), sent).await {
            Ok(id) => ids.push(id),
            // The server has stopped reading; the rest of this request would come too late.
            Err(_) => break,
        }
    }
    assert!(ids.len() > 10, "{}", ids.len());
    assert!(
        ids.len() < 300,
        "the server took everything without an answer being read"
    );
    for id in ids {
        let answer = wire.receive().await;
        assert_eq!(answer["id"], id);
        assert_eq!(text(&answer).len(), said.len());
    }
}
