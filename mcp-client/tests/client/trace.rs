//! The wire trace: written while calls run, read back afterwards.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::trace::{Direction, Entry, read};
use mcp_client::{Client, Trace};
use serde_json::{Value, json};

use crate::support::{Fake, answering, asks, builder, call, confirm, done, pair};

/// A writer whose content the test can read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn entries(&self) -> Vec<Entry> {
        read(self.0.lock().unwrap().as_slice())
            .collect::<Result<_, _>>()
            .unwrap()
    }
}

async fn traced(
    builder: mcp_client::Builder,
    writer: impl Write + Send + 'static,
) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let connecting = builder.connect(Trace::wrap(transport, writer));
    let (client, ()) = tokio::join!(connecting, fake.answer_probe());
    (client.unwrap(), fake)
}

#[tokio::test(start_paused = true)]
async fn every_message_is_recorded_with_direction_and_time_and_read_back() {
    let trace = Shared::default();
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = traced(builder, trace.clone()).await;
    let calling = call(&client, "t", json!({"n": 9_007_199_254_740_993_u64}));
    let first = fake.request("tools/call").await;
    fake.line("a log line").await;
    fake.reply(&first, asks(json!({"a": confirm("?")}), json!("s")))
        .await;
    let second = fake.request("tools/call").await;
    fake.reply(&second, done("ok")).await;
    calling.await.unwrap().unwrap();

    let entries = trace.entries();
    use Direction::{Received, Sent};
    let directions: Vec<_> = entries.iter().map(|entry| entry.direction).collect();
    assert_eq!(
        directions,
        [Sent, Received, Sent, Received, Received, Sent, Received]
    );
    assert_eq!(entries[3].skipped.as_deref(), Some("a log line"));
    // Exactly what was on the wire.
    assert_eq!(entries[2].message.as_ref().unwrap().get(), first.text);
    assert_eq!(entries[5].message.as_ref().unwrap().get(), second.text);
    assert!(entries.windows(2).all(|pair| pair[0].time <= pair[1].time));
    assert!(
        entries[0].time.starts_with("20") && entries[0].time.ends_with('Z'),
        "{}",
        entries[0].time
    );
}

#[tokio::test(start_paused = true)]
async fn each_entry_is_one_json_line() {
    let trace = Shared::default();
    let (client, mut fake) = traced(builder(), trace.clone()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    calling.abort();
    fake.cancellation_of(&request).await;
    let text = String::from_utf8(trace.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last().unwrap();
    assert_eq!(last["direction"], "sent");
    assert_eq!(last["message"]["method"], "notifications/cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_fails_ends_the_trace_and_not_the_connection() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (client, mut fake) = traced(builder(), Full).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}
