//! A wire trace over HTTP.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::trace::{self, Direction};
use mcp_client::{HttpTransport, Trace};
use serde_json::{Value, json};

use crate::support::{Server, builder, call, discovered, tool};

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_message_is_recorded_on_a_line_and_headers_still_mirrored() {
    let memory = Memory::default();
    let server = Server::start().await;
    let transport = Trace::wrap(HttpTransport::new(server.url("/mcp")), memory.clone());
    let (client, ()) = tokio::join!(builder().connect(transport), async {
        let probe = server.next().await;
        let message = json!({"jsonrpc": "2.0", "id": probe.id(), "result": discovered()});
        let message = serde_json::to_string_pretty(&message).unwrap();
        probe
            .respond("200 OK", "content-type: application/json\r\n", message)
            .await;
    });
    let client = client.unwrap();
    let calling = call(&client, "t", json!({"p": "x"}));
    server
        .answer_list(json!([tool(
            "t",
            json!({"p": {"type": "string", "x-mcp-header": "P"}})
        )]))
        .await;
    let post = server.request("tools/call").await;
    assert_eq!(post.header("mcp-param-p"), Some("x"));
    post.respond("500 Internal Server Error", "", "").await;
    calling.await.unwrap().unwrap_err();

    let bytes = memory.0.lock().unwrap().clone();
    let entries: Result<Vec<_>, _> = trace::read(&bytes[..]).collect();
    let entries = entries.unwrap();
    let sent: Vec<String> = entries
        .iter()
        .filter(|entry| entry.direction == Direction::Sent)
        .map(|entry| {
            let message: Value =
                serde_json::from_str(entry.message.as_ref().unwrap().get()).unwrap();
            message["method"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(sent, ["server/discover", "tools/list", "tools/call"]);
    assert_eq!(entries.len(), 6);
    let last = entries.last().unwrap().skipped.as_deref().unwrap();
    assert!(last.contains("500"), "{last}");
}
