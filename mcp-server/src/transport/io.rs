//! A connection over any asynchronous byte stream, driven by one task.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context as Task, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::oneshot,
};

use super::session::{Answered, Session, is_gone};
use crate::server::Server;

impl Server {
    /// Serves one client over a byte stream, a message a line, until it closes the stream.
    ///
    /// The stream may be a socket, or one half of [`tokio::io::duplex`] for a client in the same
    /// process. Calls under way when the stream ends are given the server's grace period.
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
        let served = std::future::poll_fn(|cx| self.poll_serve(cx)).await;
        if served.is_ok() {
            self.drain().await;
        }
        self.session.give_up();
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

    /// Lets the calls under way finish, within the grace period.
    async fn drain(&mut self) {
        // Nothing to wait for is the rule.
        if std::future::poll_fn(|cx| Poll::Ready(self.poll_drain(cx).is_ready())).await {
            return;
        }
        // A thread rings the bell, because the run time may have been built without timers.
        let grace = self.session.server().options().drain_grace;
        let (bell, mut rung) = oneshot::channel();
        std::thread::spawn(move || {
            std::thread::sleep(grace);
            // Whoever waited may be done.
            let _ = bell.send(());
        });
        let in_time = std::future::poll_fn(|cx| match self.poll_drain(cx) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => Pin::new(&mut rung).poll(cx).map(|_| false),
        })
        .await;
        if !in_time {
            tracing::warn!(
                calls = self.session.working(),
                "calls were still under way after the grace period"
            );
        }
    }

    /// Writes what is left, until every call has been answered.
    fn poll_drain(&mut self, cx: &mut Task<'_>) -> Poll<()> {
        self.session.outbox().wake_up(cx.waker());
        let working = self.session.working();
        self.session.collect();
        match self.poll_write(cx) {
            Ok(Poll::Ready(())) if working == 0 => Poll::Ready(()),
            Ok(_) => Poll::Pending,
            Err(_) => Poll::Ready(()),
        }
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
