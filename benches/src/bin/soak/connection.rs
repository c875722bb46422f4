//! HTTP/1.1 by hand, because no client library stops in the middle of a message.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_bench_drive::Error;
use memchr::memmem;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long the server may be silent where it must answer. An answer that takes longer is lost.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A request, ready to be sent.
pub(crate) struct Request {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(id: u64, method: &str, name: Option<&str>, mut params: Value) -> Self {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            .to_string()
            .into_bytes();
        let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n",
            body.len()
        );
        Self {
            head: head.into_bytes(),
            body,
        }
    }

    pub(crate) fn call(id: u64, tool: &str, arguments: Value) -> Self {
        let params = json!({"name": tool, "arguments": arguments});
        Self::new(id, "tools/call", Some(tool), params)
    }

    /// A call that wants to hear how far it is.
    pub(crate) fn reporting_call(id: u64, tool: &str) -> Self {
        let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}});
        Self::new(id, "tools/call", Some(tool), params)
    }
}

/// The head of a response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// None for a body in chunks.
    length: Option<usize>,
}

/// A connection to the server.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    /// What was read and not taken.
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Error> {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await??;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
        })
    }

    pub(crate) async fn send(&mut self, request: &Request) -> Result<(), Error> {
        self.write(&[&request.head[..], &request.body].concat())
            .await
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        timeout(PATIENCE, self.stream.write_all(bytes)).await??;
        Ok(())
    }

    /// One call and its text. Nothing but the right id, and no error, is an answer.
    pub(crate) async fn call(
        &mut self,
        id: u64,
        tool: &str,
        arguments: Value,
    ) -> Result<String, Error> {
        self.send(&Request::call(id, tool, arguments)).await?;
        self.answer(id).await
    }

    /// The text of the answer to the request of this id.
    pub(crate) async fn answer(&mut self, id: u64) -> Result<String, Error> {
        let head = self.head().await?;
        let body = self.body(&head).await?;
        let reply: Value = serde_json::from_slice(&body)?;
        let text = reply["result"]["content"][0]["text"].as_str();
        match text {
            Some(text)
                if head.status == 200
                    && reply["id"] == id
                    && reply["result"]["isError"] != true =>
            {
                Ok(text.to_owned())
            }
            _ => Err(format!("not an answer to the call {id}: {} {reply}", head.status).into()),
        }
    }

    pub(crate) async fn head(&mut self) -> Result<Head, Error> {
        let end = loop {
            if let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.read().await?;
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        let head = String::from_utf8(head)?;
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse()).and_then(Result::ok)
        });
        Ok(Head {
            status: status.ok_or("the response has no status")?,
            length,
        })
    }

    async fn body(&mut self, head: &Head) -> Result<Vec<u8>, Error> {
        let length = head
            .length
            .ok_or("the answer is a stream, and nothing was sent before it")?;
        while self.buffer.len() < length {
            self.read().await?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    /// The messages of the next events of a stream; none at its end.
    pub(crate) async fn events(&mut self) -> Result<Option<Vec<Value>>, Error> {
        let (start, size) = loop {
            if let Some(end) = memmem::find(&self.buffer, b"\r\n") {
                let size = std::str::from_utf8(&self.buffer[..end])?;
                break (end + 2, usize::from_str_radix(size, 16)?);
            }
            self.wait().await?;
        };
        while self.buffer.len() < start + size + 2 {
            self.read().await?;
        }
        let chunk: Vec<u8> = self.buffer.drain(..start + size + 2).collect();
        if size == 0 {
            return Ok(None);
        }
        // The server writes whole events, so no line goes from one chunk to the next.
        let text = std::str::from_utf8(&chunk[start..start + size])?;
        let messages = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let messages: Result<_, _> = messages.map(serde_json::from_str).collect();
        Ok(Some(messages?))
    }

    /// Closes the connection in the middle of what it does: with a reset, or in order.
    pub(crate) fn close(self, reset: bool) -> Result<(), Error> {
        if reset {
            self.stream.set_zero_linger()?;
        }
        drop(self);
        Ok(())
    }

    /// Reads what is there, or soon must be.
    async fn read(&mut self) -> Result<(), Error> {
        timeout(PATIENCE, self.wait())
            .await
            .map_err(|_| "an answer is lost: the server was silent for too long")?
    }

    /// Reads what comes, whenever it comes.
    async fn wait(&mut self) -> Result<(), Error> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(())
    }
}
