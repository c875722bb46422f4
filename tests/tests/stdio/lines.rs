//! Lines of odd shapes cost one message at most.

use std::time::Duration;

use mcp_tests::wire::text;
use serde_json::json;

use crate::launch;

fn request(id: &str, said: &str, meta: &serde_json::Value) -> String {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": said}, "_meta": meta},
    })
    .to_string()
}

#[tokio::test]
async fn marks_blanks_joined_and_split_reads_are_read() {
    let mut wire = launch(&[]);
    let meta = wire.meta.clone();
    let first = request("1", "marked", &meta);
    wire.write(b"\xEF\xBB\xBF").await;
    wire.write(first.as_bytes()).await;
    wire.write(b"\r\n\n  \n\r\n").await;
    assert_eq!(text(&wire.receive().await), "marked");
    let joined = format!(
        "{}\n{}\r\n",
        request("2", "one", &meta),
        request("3", "two", &meta)
    );
    wire.write(joined.as_bytes()).await;
    assert_eq!(text(&wire.receive().await), "one");
    assert_eq!(text(&wire.receive().await), "two");
    for byte in format!("{}\n", request("4", "é🎉", &meta)).as_bytes() {
        wire.write(&[*byte]).await;
    }
    assert_eq!(text(&wire.receive().await), "é🎉");
    // Line breaks of Unicode are none of JSON's, and nothing breaks a line of ours.
    let said = "a\u{2028}b\u{85}c\nd\re";
    wire.write(format!("{}\n", request("5", said, &meta)).as_bytes())
        .await;
    let line = wire.line().await.unwrap();
    assert!(!line.contains(['\n', '\r']), "{line:?}");
    let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(text(&answer), said);
}

/// A line without an end does not grow memory for ever: it is skipped to its newline, with one error that names the
/// limit.
#[tokio::test]
async fn a_line_of_64_mib_is_one_error_and_the_next_one_is_served() {
    let mut wire = launch(&[]);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        wire.write(&chunk).await;
    }
    #[cfg(target_os = "linux")]
    {
        let peak = crate::peak_kib(wire.child().id().unwrap());
        assert!(peak < 100 * 1024, "{peak} KiB");
    }
    wire.write(b"\n").await;
    let error = wire.receive().await;
    assert_eq!(error["error"]["code"], -32600);
    assert_eq!(error.get("id"), None);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("16777216") && message.contains("max_message_bytes"),
        "{message}"
    );
    let answer = wire.call("echo", json!({"text": "on"})).await;
    assert_eq!(text(&answer), "on");
    wire.assert_silent(Duration::from_millis(100)).await;
}

/// Results larger than a mebibyte pass.
#[tokio::test]
async fn large_messages_within_the_limit_pass() {
    let mut wire = launch(&[]);
    let large = "é".repeat(1_500_000);
    let answer = wire.call("echo", json!({"text": large})).await;
    assert_eq!(text(&answer).len(), 3_000_000);
}

#[tokio::test]
async fn nesting_of_100_000_levels_is_an_error_for_that_message() {
    let mut wire = launch(&[]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    wire.write(format!("{deep}\n").as_bytes()).await;
    assert_eq!(wire.receive().await["error"]["code"], -32600);
    let meta = wire.meta.to_string();
    let call = |id: u8, arguments: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{arguments},\"_meta\":{meta}}}}}\n"
        )
    };
    wire.write(call(1, &format!("{{\"text\":{deep}}}")).as_bytes())
        .await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], 1);
    assert!(
        answer["result"]["isError"] == true || answer["error"]["code"] == -32602,
        "{answer}"
    );
    let objects = format!("{}1{}", "{\"text\":".repeat(100_000), "}".repeat(100_000));
    wire.write(call(2, &objects).as_bytes()).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], 2);
    assert!(
        answer["result"]["isError"] == true || answer["error"]["code"] == -32602,
        "{answer}"
    );
    wire.write(format!("{}\n", "[".repeat(100_000)).as_bytes())
        .await;
    let answer = wire.receive().await;
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(text(&wire.call("echo", json!({"text": "on"})).await), "on");
}
