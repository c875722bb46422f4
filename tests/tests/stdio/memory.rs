//! What waits for a client that reads slowly, or not at all, has an end.

use std::{
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::Stdio,
    time::Duration,
};

use mcp_tests::wire::text;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{launch, peak_kib};

/// Progress is worth less than memory: what is above the limit is left out, and the result is not.
#[tokio::test]
async fn progress_that_nobody_reads_does_not_pile_up() {
    const REPORTS: usize = 200_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flooded");
    let mut wire = launch(&[]);
    assert_eq!(text(&wire.call("echo", json!({"text": "up"})).await), "up");
    let before = peak_kib(wire.child().id().unwrap());
    let mut params = json!({"name": "flood", "arguments": {"reports": REPORTS, "path": path}});
    params["_meta"] = wire.meta.clone();
    params["_meta"]["progressToken"] = json!("a token of some length");
    let id = wire.begin("tools/call", params).await;
    for attempt in 0.. {
        if path.exists() {
            break;
        }
        assert!(attempt < 1000, "the tool does not end");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // All reports together have more than 20 MB.
    let grown = peak_kib(wire.child().id().unwrap()) - before;
    assert!(grown < 12 * 1024, "{grown} KiB wait for the client");
    let mut last = -1;
    let mut reports = 0;
    loop {
        let line = wire.line().await.unwrap();
        let message: serde_json::Value = serde_json::from_str(&line).unwrap();
        if message["id"] == id {
            assert_eq!(text(&message), "flooded");
            break;
        }
        let progress = message["params"]["progress"].as_i64().unwrap();
        assert!(progress > last, "{progress} after {last}");
        last = progress;
        reports += 1;
    }
    assert!(reports > 0 && reports < REPORTS, "{reports}");
}

/// A stream that is never quite empty does not keep what was written already.
#[tokio::test]
async fn a_client_that_always_asks_for_more_does_not_make_the_output_grow() {
    const CALLS: u64 = 100;
    const BYTES: usize = 1_000_000;
    let (ours, theirs) = UnixStream::pair().unwrap();
    let child = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"))
        .arg("--socket")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    ours.set_nonblocking(true).unwrap();
    let (reader, mut writer) = tokio::net::UnixStream::from_std(ours).unwrap().into_split();
    let asking = tokio::spawn(async move {
        for id in 0..CALLS {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let params = json!({"name": "large", "arguments": {"bytes": BYTES}, "_meta": meta});
            let request =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            let line = format!("{request}\n");
            writer.write_all(line.as_bytes()).await.unwrap();
        }
        writer
    });
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    for id in 0..CALLS {
        line.clear();
        let read = reader.read_until(b'\n', &mut line);
        let read = tokio::time::timeout(Duration::from_secs(20), read).await;
        assert!(read.unwrap().unwrap() > BYTES, "the answer to {id}");
    }
    // All answers together have 100 MB. With its stream open, the child is still there.
    let _open = asking.await.unwrap();
    let peak = peak_kib(child.id().unwrap());
    assert!(peak < 50 * 1024, "{peak} KiB");
}
