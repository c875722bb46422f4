//! The end of a connection, from either side.

use std::time::Duration;

use mcp_client::transport::{MessageReceiver, MessageSender, Outgoing, Received};
use mcp_client::{Client, Error, IoTransport, Transport};
use serde_json::json;
use tokio::io::{duplex, split};
use tokio::time::{Instant, sleep, timeout};

use crate::support::{asks, builder, call, connect, done};

#[tokio::test(start_paused = true)]
async fn every_pending_call_fails_at_once_when_the_server_goes() {
    let (client, mut fake) = connect(builder()).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    for _ in 0..2 {
        fake.request("tools/call").await;
    }
    let started = Instant::now();
    drop(fake);
    for call in calls {
        assert!(matches!(call.await.unwrap(), Err(Error::Closed { .. })));
    }
    assert!(started.elapsed() < Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_closes_only_its_output_has_gone() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    fake.request("tools/call").await;
    fake.close_output().await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("closed its output"), "{error}");
    // The other direction is closed by the client in turn.
    assert!(fake.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn later_calls_fail_at_once_and_the_handle_does_not_say_open() {
    let (client, fake) = connect(builder()).await;
    assert!(!client.is_closed());
    drop(fake);
    client.closed().await;
    assert!(client.is_closed());
    let started = Instant::now();
    assert!(matches!(
        client.call_tool("t", json!({})).await,
        Err(Error::Closed { .. })
    ));
    assert!(matches!(
        client.list_tools().await,
        Err(Error::Closed { .. })
    ));
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_call_between_two_rounds_fails_too() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({}), json!("s"))).await;
    drop(fake);
    assert!(matches!(calling.await.unwrap(), Err(Error::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn what_the_server_said_before_it_went_still_counts() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, done("last words")).await;
    drop(fake);
    assert_eq!(calling.await.unwrap().unwrap().text(), "last words");
}

#[tokio::test(start_paused = true)]
async fn a_last_line_without_its_newline_still_counts() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let text = json!({"jsonrpc": "2.0", "id": request["id"], "result": done("cut")}).to_string();
    fake.bytes(text.as_bytes()).await;
    fake.close_output().await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "cut");
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_connection_and_fails_what_is_pending() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    fake.request("tools/call").await;
    client.close().await;
    assert!(matches!(calling.await.unwrap(), Err(Error::Closed { .. })));
    assert!(matches!(
        client.call_tool("t", json!({})).await,
        Err(Error::Closed { .. })
    ));
    while fake.next().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn closing_twice_is_fine() {
    let (client, _fake) = connect(builder()).await;
    client.close().await;
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_ends_the_connection() {
    let (client, mut fake) = connect(builder()).await;
    let other = client.clone();
    drop(client);
    fake.hears_nothing().await;
    drop(other);
    assert!(fake.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_cannot_keep_the_connection_from_closing() {
    let (client, _fake) = connect(builder()).await;
    let large = "x".repeat(4 * 1024 * 1024);
    let calling = call(&client, "t", json!({"large": large}));
    tokio::time::sleep(Duration::from_millis(10)).await;
    let started = Instant::now();
    client.close().await;
    assert!(started.elapsed() <= Duration::from_secs(2));
    assert!(matches!(calling.await.unwrap(), Err(Error::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_cannot_keep_the_connection_from_ending() {
    // Room for one message or two: the third is stuck, and more are queued behind it.
    let (ours, _theirs) = duplex(1024);
    let (reader, writer) = split(ours);
    let client = builder()
        .without_probe()
        .connect(IoTransport::new(reader, writer))
        .await
        .unwrap();
    let calls: Vec<_> = (0..40).map(|_| call(&client, "t", json!({}))).collect();
    sleep(Duration::from_millis(1)).await;
    let started = Instant::now();
    timeout(Duration::from_secs(60), client.close())
        .await
        .unwrap();
    assert!(
        started.elapsed() <= Duration::from_secs(1),
        "once, not once a message"
    );
    for call in calls {
        assert!(matches!(call.await.unwrap(), Err(Error::Closed { .. })));
    }
}

/// Takes no message, and says only later how it ended.
struct Dying;

impl Transport for Dying {
    type Sender = Self;
    type Receiver = Self;

    async fn open(self) -> std::io::Result<(Self, Self)> {
        Ok((Self, Self))
    }
}

impl MessageSender for Dying {
    async fn send(&mut self, _: Outgoing) -> std::io::Result<()> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    async fn close(self) {}
}

impl MessageReceiver for Dying {
    async fn receive(&mut self) -> Received {
        sleep(Duration::from_millis(200)).await;
        Received::Closed("exit status 3".to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn how_a_server_ended_is_told_even_if_writing_failed_first() {
    let client: Client = builder().without_probe().connect(Dying).await.unwrap();
    for _ in 0..2 {
        let error = client.call_tool("t", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("exit status 3"), "{error}");
    }
}
