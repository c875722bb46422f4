//! A connection over any asynchronous byte stream, driven by one task.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context as Task, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::oneshot,
};

use super::session::{Answered, Session, is_gone};
use crate::{background, server::Server};

impl Server {
    /// Serves one client over a byte stream, a message a line, until it closes the stream.
    ///
    /// The stream may be a socket, or one half of [`tokio::io::duplex`] for a client in the same
    /// process. Calls under way when the stream ends are given the server's grace period.
    ///
    /// The run time needs timers, as that of `#[tokio::main]` has them, where clients of earlier revisions are asked something.
    ///
    /// # Errors
    ///
    /// Where the stream cannot be read or written; a client that has gone is no error.
    pub async fn serve(
        &self,
        mut reader: impl AsyncRead + Send + Unpin,
        mut writer: impl AsyncWrite + Send + Unpin,
    ) -> io::Result<()> {
        // Not generic from here on, so that it is compiled once.
        let connection = Connection {
            session: Session::new(self.clone()),
            reader: Pin::new(&mut reader),
            writer: Pin::new(&mut writer),
        };
        connection.run().await
    }
}

struct Connection<'io> {
    session: Session,
    reader: Pin<&'io mut (dyn AsyncRead + Send + Unpin)>,
    writer: Pin<&'io mut (dyn AsyncWrite + Send + Unpin)>,
}

impl Connection<'_> {
    async fn run(mut self) -> io::Result<()> {
        let shutdown = self.session.server().shutdown();
        let served = {
            let mut shutdown = std::pin::pin!(shutdown.begun());
            std::future::poll_fn(|cx| match shutdown.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(Ok(())),
                Poll::Pending => self.poll_serve(cx),
            })
            .await
        };
        let options = self.session.server().options();
        let (grace, claimed_grace) = (options.drain_grace, options.claimed_grace);
        self.session.outbox().close();
        if served.is_ok() {
            self.drain(grace, Self::is_done).await;
        }
        self.session.outbox().give_up();
        // What is left has claimed something: its effect may be under way.
        self.drain(claimed_grace, |connection, _| {
            connection.session.outbox().working() == 0
        })
        .await;
        self.session.outbox().warn_of_left_calls();
        match served {
            Err(error) if is_gone(&error) => Ok(()),
            other => other,
        }
    }

    /// Reads, answers and writes until the stream ends.
    fn poll_serve(&mut self, cx: &mut Task<'_>) -> Poll<io::Result<()>> {
        self.session.outbox().wake_up(cx.waker());
        loop {
            let answered = self.session.answer_lines(cx);
            self.session.collect();
            let written = self.poll_write(cx)?;
            if answered == Answered::Some && written.is_ready() {
                continue;
            }
            if answered == Answered::Some || self.session.output().is_full() {
                return Poll::Pending;
            }
            let mut room = ReadBuf::new(self.session.room());
            ready!(self.reader.as_mut().poll_read(cx, &mut room))?;
            let count = room.filled().len();
            if count == 0 {
                self.session.answer_rest(cx);
                return Poll::Ready(Ok(()));
            }
            self.session.filled(count);
        }
    }

    /// Lets the calls under way finish, within a grace period.
    async fn drain(&mut self, grace: Duration, is_done: fn(&mut Self, bool) -> bool) {
        // Nothing to wait for is the rule.
        let done = |cx: &mut Task<'_>| Poll::Ready(self.poll_drain(cx, is_done).is_ready());
        if std::future::poll_fn(done).await {
            return;
        }
        // A thread rings the bell, because the run time may have been built without timers.
        let (bell, mut rung) = oneshot::channel();
        let ring = move || {
            std::thread::sleep(grace);
            // Whoever waited may be done.
            let _ = bell.send(());
        };
        // Where there is no thread, nothing is waited for.
        let _ = background::thread("mcp-grace", Box::new(ring));
        std::future::poll_fn(|cx| match self.poll_drain(cx, is_done) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => Pin::new(&mut rung).poll(cx).map(drop),
        })
        .await;
    }

    /// Writes what is left, until that is done which is waited for.
    fn poll_drain(&mut self, cx: &mut Task<'_>, is_done: fn(&mut Self, bool) -> bool) -> Poll<()> {
        self.session.outbox().wake_up(cx.waker());
        self.session.collect();
        // Nobody waits for the answers of calls where nothing can be written any more.
        let gone = self.poll_write(cx).is_err();
        if is_done(self, gone) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// Every call has ended, and its answer is out or of no use.
    fn is_done(&mut self, gone: bool) -> bool {
        gone || self.session.outbox().working() == 0 && self.session.output().unwritten().is_empty()
    }

    /// Writes as much as the stream takes.
    fn poll_write(&mut self, cx: &mut Task<'_>) -> io::Result<Poll<()>> {
        let output = self.session.output();
        while !output.unwritten().is_empty() {
            match self.writer.as_mut().poll_write(cx, output.unwritten()) {
                Poll::Pending => return Ok(Poll::Pending),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(count) => output.wrote(count?),
            }
        }
        match self.writer.as_mut().poll_flush(cx) {
            Poll::Ready(flushed) => flushed.map(Poll::Ready),
            Poll::Pending => Ok(Poll::Pending),
        }
    }
}
