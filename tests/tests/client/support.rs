//! A client in process whose messages can be counted.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::{Builder, Client, IoTransport, Trace};
use mcp_server::Server;

/// A record of all messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<u8>>>);

impl Write for Record {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Record {
    /// How many requests of this method the client has sent.
    pub(crate) fn requests(&self, method: &str) -> usize {
        let record = self.0.lock().unwrap();
        let entries = mcp_client::trace::read(&record[..]).map(Result::unwrap);
        let request = format!(r#""method":"{method}""#);
        entries
            .filter(|entry| {
                let text = serde_json::to_string(&entry.message).unwrap();
                text.contains(&request)
            })
            .count()
    }
}

pub(crate) fn host() -> Builder {
    Client::builder("host", "1.0.0")
}

pub(crate) async fn connect(server: &Server, builder: Builder) -> (Client, Record) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(near);
    let record = Record::default();
    let transport = Trace::wrap(IoTransport::new(reader, writer), record.clone());
    (builder.connect(transport).await.unwrap(), record)
}
