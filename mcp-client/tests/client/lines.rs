//! What servers write that is not, or not quite, one message a line.

use mcp_client::{Error, IoTransport};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

use crate::support::{DiscoverAfter, builder, call, connect, done};

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_messages_are_skipped_and_counted() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.line("starting v1…").await;
    fake.line("{\"level\":\"info\",\"msg\":\"listening\"}")
        .await;
    fake.bytes(b"\xff\xfe\n").await;
    fake.reply(&request, done("ok")).await;
    fake.line("done").await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    client.discover_after(&mut fake).await;
    assert_eq!(client.skipped_lines(), 4);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_ever_written_in_reply_to_what_the_server_says() {
    let (_client, mut fake) = connect(builder()).await;
    for line in [
        "oops",
        "[]",
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
        r#"{"id":7,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":5}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#,
    ] {
        fake.line(line).await;
    }
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn marks_line_ends_blank_lines_and_split_characters_are_survived() {
    let (client, mut fake) = connect(builder()).await;
    let calls = [
        call(&client, "a", json!({})),
        call(&client, "b", json!({})),
        call(&client, "c", json!({})),
    ];
    let mut texts = Vec::new();
    for _ in 0..3 {
        let request = fake.request("tools/call").await;
        texts.push(
            json!({"jsonrpc": "2.0", "id": request["id"], "result": done("é🎉")}).to_string(),
        );
    }
    // Two in one write, the third one byte at a time.
    fake.bytes(format!("\r\n  \n{}\r\n{}\n\n", texts[0], texts[1]).as_bytes())
        .await;
    for byte in format!("{}\n", texts[2]).bytes() {
        fake.bytes(&[byte]).await;
        tokio::task::yield_now().await;
    }
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap().text(), "é🎉");
    }
    assert_eq!(client.skipped_lines(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_beyond_the_limit_fails_its_call_alone_and_names_the_limit() {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(ours);
    let transport = IoTransport::new(reader, writer).max_message(1000);
    let client = builder().without_probe().connect(transport).await.unwrap();
    let (reader, mut writer) = split(theirs);
    let mut lines = BufReader::new(reader).lines();
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    for _ in 0..2 {
        lines.next_line().await.unwrap().unwrap();
    }
    let long = done(&"x".repeat(5000));
    let reply = |id: u64, result| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "result": result, "id": id})
        )
    };
    writer.write_all(reply(1, long).as_bytes()).await.unwrap();
    writer
        .write_all(reply(2, done("ok")).as_bytes())
        .await
        .unwrap();
    let [first, second] = calls;
    let error = first.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::TooLong { limit: 1000, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("1000 bytes"), "{error}");
    assert_eq!(second.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test(start_paused = true)]
async fn a_result_of_two_megabytes_is_ordinary() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let text = "x".repeat(2 * 1024 * 1024);
    fake.reply(&request, done(&text)).await;
    assert_eq!(calling.await.unwrap().unwrap().text().len(), text.len());
}

#[tokio::test(start_paused = true)]
async fn deep_nesting_costs_that_call_only() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    fake.reply_raw(&request, &format!(r#"{{"content":[],"other":{deep}}}"#))
        .await;
    let _ = calling.await.unwrap();
    client.discover_after(&mut fake).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_is_one_line_a_message() {
    let (client, mut fake) = connect(builder()).await;
    let pretty = serde_json::to_string_pretty(&json!({"a": [1, 2], "s": "x\ny"})).unwrap();
    let arguments: Box<serde_json::value::RawValue> = serde_json::from_str(&pretty).unwrap();
    let _calling = call(&client, "t", arguments);
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["arguments"],
        json!({"a": [1, 2], "s": "x\ny"})
    );
    fake.hears_nothing().await;
}
