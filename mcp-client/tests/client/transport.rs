//! A transport from outside the crate: the trait is enough.

use std::io;

use mcp_client::transport::{MessageReceiver, MessageSender, Outgoing, Purpose, Received};
use mcp_client::{Error, Transport};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{builder, call, done};

/// Two channels of whole messages.
struct Channels {
    to_server: mpsc::UnboundedSender<Outgoing>,
    from_server: mpsc::UnboundedReceiver<Received>,
}

struct Sender(mpsc::UnboundedSender<Outgoing>);
struct Receiver(mpsc::UnboundedReceiver<Received>);

impl Transport for Channels {
    type Sender = Sender;
    type Receiver = Receiver;

    async fn open(self) -> io::Result<(Sender, Receiver)> {
        Ok((Sender(self.to_server), Receiver(self.from_server)))
    }
}

impl MessageSender for Sender {
    async fn send(&mut self, message: Outgoing) -> io::Result<()> {
        self.0
            .send(message)
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn close(self) {}
}

impl MessageReceiver for Receiver {
    async fn receive(&mut self) -> Received {
        let closed = || Received::Closed("the channel is gone".to_owned());
        let received = self.0.recv().await.unwrap_or_else(closed);
        if let Received::Message(bytes) = &received {
            assert_ne!(bytes, b"panic", "a transport that panics");
        }
        received
    }
}

type Ends = (
    Channels,
    mpsc::UnboundedReceiver<Outgoing>,
    mpsc::UnboundedSender<Received>,
);

fn channels() -> Ends {
    let (to_server, sent) = mpsc::unbounded_channel();
    let (replies, from_server) = mpsc::unbounded_channel();
    let transport = Channels {
        to_server,
        from_server,
    };
    (transport, sent, replies)
}

#[tokio::test(start_paused = true)]
async fn a_request_and_its_cancellation_are_tied_together_without_reading_them() {
    let (transport, mut sent, replies) = channels();
    let client = builder().without_probe().connect(transport).await.unwrap();
    let calling = call(&client, "t", json!({}));
    let request = sent.recv().await.unwrap();
    let Purpose::Request(id) = request.purpose else {
        panic!("{request:?}")
    };
    calling.abort();
    assert_eq!(sent.recv().await.unwrap().purpose, Purpose::Cancel(id));

    let calling = call(&client, "t", json!({}));
    let request = sent.recv().await.unwrap();
    let value: Value = serde_json::from_str(&request.text).unwrap();
    let reply = json!({"jsonrpc": "2.0", "id": value["id"], "result": done("ok")});
    replies
        .send(Received::Message(reply.to_string().into_bytes()))
        .unwrap();
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

/// Specification: 2025-11-25, basic/utilities/cancellation. It is not cancelled, but nobody waits for it either.
#[cfg(feature = "legacy")]
#[tokio::test(start_paused = true)]
async fn a_handshake_that_is_given_up_is_ended_without_a_word() {
    let (transport, mut sent, _replies) = channels();
    let pinned = builder().revision(mcp_client::Revision::V2025_11_25);
    let connecting = tokio::spawn(pinned.connect(transport));
    let request = sent.recv().await.unwrap();
    let Purpose::Request(id) = request.purpose else {
        panic!("{request:?}")
    };
    connecting.abort();
    let ended = sent.recv().await.unwrap();
    assert_eq!(ended.purpose, Purpose::Cancel(id));
    assert_eq!(ended.metadata.era, request.metadata.era);
    assert_eq!(ended.text, "");
    assert!(sent.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_cannot_send_fails_the_call_and_closes() {
    let (transport, sent, _replies) = channels();
    let client = builder().without_probe().connect(transport).await.unwrap();
    drop(sent);
    let error = client.call_tool("t", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, Error::Closed { reason } if reason.contains("broken pipe")),
        "{error}"
    );
    client.closed().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_on_its_way_survives_the_end_of_the_other_direction() {
    let (transport, mut sent, replies) = channels();
    let client = builder().without_probe().connect(transport).await.unwrap();
    let answered = call(&client, "a", json!({}));
    let request = sent.recv().await.unwrap();
    drop(sent);
    let unsent = call(&client, "b", json!({}));
    // Time enough for the other to fail to be sent; it waits for the reason.
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    let value: Value = serde_json::from_str(&request.text).unwrap();
    let reply = json!({"jsonrpc": "2.0", "id": value["id"], "result": done("ok")});
    replies
        .send(Received::Message(reply.to_string().into_bytes()))
        .unwrap();
    assert_eq!(answered.await.unwrap().unwrap().text(), "ok");
    assert!(matches!(unsent.await.unwrap(), Err(Error::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_panics_leaves_no_call_waiting() {
    let (transport, mut sent, replies) = channels();
    let client = builder().without_probe().connect(transport).await.unwrap();
    let calling = call(&client, "t", json!({}));
    sent.recv().await.unwrap();
    replies.send(Received::Message(b"panic".to_vec())).unwrap();
    assert!(matches!(calling.await.unwrap(), Err(Error::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn connecting_can_be_left_to_another_task() {
    let (transport, _sent, _replies) = channels();
    let connecting = tokio::spawn(builder().without_probe().connect(transport));
    assert!(!connecting.await.unwrap().unwrap().is_closed());
}
