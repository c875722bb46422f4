//! Streams that no driver of the run time can wait for: terminals, files.

use std::{
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::mpsc,
};

/// Reads on a thread of its own, which nobody waits for at the end.
pub(super) struct ThreadReader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    read: usize,
}

impl ThreadReader {
    pub(super) fn new(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let (send, chunks) = mpsc::channel(4);
        std::thread::Builder::new()
            .name("mcp-stdin".to_owned())
            .spawn(move || {
                let mut buffer = vec![0; 64 * 1024];
                loop {
                    let chunk = match source.read(&mut buffer) {
                        Ok(0) => return,
                        Ok(count) => Ok(buffer[..count].to_vec()),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        Err(error) => Err(error),
                    };
                    let failed = chunk.is_err();
                    if send.blocking_send(chunk).is_err() || failed {
                        return;
                    }
                }
            })?;
        Ok(Self {
            chunks,
            chunk: Vec::new(),
            read: 0,
        })
    }
}

impl AsyncRead for ThreadReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read == self.chunk.len() {
            match ready!(self.chunks.poll_recv(cx)) {
                None => return Poll::Ready(Ok(())),
                Some(chunk) => {
                    self.chunk = chunk?;
                    self.read = 0;
                }
            }
        }
        let count = buf.remaining().min(self.chunk.len() - self.read);
        buf.put_slice(&self.chunk[self.read..self.read + count]);
        self.read += count;
        Poll::Ready(Ok(()))
    }
}

/// Writes at once: a terminal or a file takes what it is given.
pub(super) struct Immediate<W>(pub(super) W);

impl<W: Write + Unpin> AsyncWrite for Immediate<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.0.write(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}
