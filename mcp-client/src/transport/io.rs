//! A transport over any two byte streams: in process, a socket, a pipe.

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::transport::lines::{DEFAULT_MAX_MESSAGE, Lines};
use crate::transport::{MessageReceiver, MessageSender, Outgoing, Received, Transport};

/// Newline-delimited JSON over a reader and a writer.
///
/// ```
/// # use mcp_client::IoTransport;
/// let (ours, theirs) = tokio::io::duplex(64 * 1024);
/// let (reader, writer) = tokio::io::split(ours);
/// let transport = IoTransport::new(reader, writer).max_message(1024 * 1024);
/// # drop((theirs, transport));
/// ```
///
/// Specification: basic/transports/stdio ("works unchanged over any similar channel").
#[derive(Debug)]
pub struct IoTransport<R, W> {
    reader: R,
    writer: W,
    max_message: usize,
}

impl<R, W> IoTransport<R, W> {
    /// A transport that reads the server's messages from `reader` and writes its own to `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            reader,
            writer,
            max_message: DEFAULT_MAX_MESSAGE,
        }
    }

    /// The longest message taken from the server, in bytes; 16 MiB unless set. The call that a
    /// longer one answers fails with [`Error::TooLong`](crate::Error::TooLong).
    #[must_use]
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.max_message = bytes;
        self
    }
}

impl<R, W> Transport for IoTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Sender = LineSender<W>;
    type Receiver = LineReceiver<R>;

    async fn open(self) -> std::io::Result<(Self::Sender, Self::Receiver)> {
        let receiver = LineReceiver::new(self.reader, self.max_message);
        Ok((LineSender::new(self.writer), receiver))
    }
}

/// Writes one message a line.
#[derive(Debug)]
pub struct LineSender<W> {
    writer: W,
}

impl<W> LineSender<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { writer }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> MessageSender for LineSender<W> {
    async fn send(&mut self, message: Outgoing) -> std::io::Result<()> {
        let mut line = message.text;
        // A handshake that is given up, of which the server does not hear.
        if line.is_empty() {
            return Ok(());
        }
        line.push('\n');
        self.writer.write_all(line.as_bytes()).await?;
        self.writer.flush().await
    }

    async fn close(mut self) {
        // An error here means that the peer is gone, which is what closing asks for.
        let _ = self.writer.shutdown().await;
    }
}

/// Reads one message a line.
#[derive(Debug)]
pub struct LineReceiver<R> {
    lines: Lines<R>,
}

impl<R: AsyncRead + Send + Unpin> LineReceiver<R> {
    pub(super) fn new(reader: R, max_message: usize) -> Self {
        Self {
            lines: Lines::new(reader, max_message),
        }
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> MessageReceiver for LineReceiver<R> {
    async fn receive(&mut self) -> Received {
        self.lines.next().await
    }
}
