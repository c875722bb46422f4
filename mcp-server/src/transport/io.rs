//! A connection over any byte stream: one message a line.
//!
//! Motivation: one task reads, polls each call once and writes, so that a call that does not wait
//! costs neither a task nor a lock. Calls that wait become tasks and put their answers into the
//! outbox, which the connection's task empties.
//!
//! Specification: basic/transports/stdio.

use std::{
    collections::HashMap,
    future::Future,
    io, mem,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{self, Poll, Waker, ready},
};

use mcp_core::rpc::{Line, LineBuffer, RequestId, RpcError, write_error};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::oneshot,
};

use crate::{
    context::Context, dispatch::Accepted, peer::Peer, reporter::Outgoing, server::Server,
    state::Principal,
};

/// So many bytes may wait for a client that does not read; then its requests are not read either.
const HIGH_WATER: usize = 4 * 1024 * 1024;

/// So many bytes are written before the next message of a batch is answered.
const CHUNK: usize = 256 * 1024;

/// An output buffer of this size is given back once it is empty, in bytes.
const LARGE: usize = 1024 * 1024;

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
        Connection::new(self.clone(), &mut reader, &mut writer)
            .run()
            .await
    }
}

/// One client.
pub(super) struct Connection<'io> {
    server: Server,
    peer: Peer,
    reader: Pin<&'io mut (dyn AsyncRead + Send + Unpin)>,
    writer: Pin<&'io mut (dyn AsyncWrite + Send + Unpin)>,
    lines: LineBuffer,
    /// What is to be written, and how much of it has been.
    out: Vec<u8>,
    written: usize,
    outbox: Arc<Outbox>,
    /// Calls that wait.
    running: HashMap<RequestId, Context>,
}

impl<'io> Connection<'io> {
    pub(super) fn new(
        server: Server,
        reader: &'io mut (dyn AsyncRead + Send + Unpin),
        writer: &'io mut (dyn AsyncWrite + Send + Unpin),
    ) -> Self {
        let outbox = Arc::new(Outbox::default());
        Self {
            peer: Peer {
                principal: Principal::Local,
                outgoing: outbox.clone(),
            },
            lines: LineBuffer::new(server.options().max_message_bytes),
            server,
            reader: Pin::new(reader),
            writer: Pin::new(writer),
            out: Vec::new(),
            written: 0,
            outbox,
            running: HashMap::new(),
        }
    }

    pub(super) async fn run(mut self) -> io::Result<()> {
        let served = std::future::poll_fn(|cx| self.poll_serve(cx)).await;
        if served.is_ok() {
            self.drain().await;
        }
        for ctx in self.running.values() {
            ctx.give_up();
        }
        match served {
            Err(error) if is_gone(&error) => Ok(()),
            other => other,
        }
    }

    /// Lets the calls under way finish, within the grace period.
    async fn drain(&mut self) {
        // Nothing to wait for is the rule.
        if std::future::poll_fn(|cx| Poll::Ready(self.poll_drain(cx).is_ready())).await {
            return;
        }
        // A thread rings the bell, because the run time may have been built without timers.
        let grace = self.server.options().drain_grace;
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
                calls = self.outbox.lock().working,
                "calls were still under way after the grace period"
            );
        }
    }

    /// Reads and writes until the stream ends.
    fn poll_serve(&mut self, cx: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        loop {
            self.empty_outbox(cx);
            let blocked = self.poll_write(cx)?.is_pending();
            if blocked && self.out.len() - self.written > HIGH_WATER {
                return Poll::Pending;
            }
            let count = {
                let mut room = ReadBuf::new(self.lines.room());
                ready!(self.reader.as_mut().poll_read(cx, &mut room))?;
                room.filled().len()
            };
            if count == 0 {
                while let Some(line) = self.lines.rest() {
                    let Line::Message(line) = line else { break };
                    let line = line.to_vec();
                    self.accept(&line, cx);
                }
                return Poll::Ready(Ok(()));
            }
            self.lines.filled(count);
            self.accept_lines(cx);
        }
    }

    /// Writes what is left, until every call has been answered.
    fn poll_drain(&mut self, cx: &mut task::Context<'_>) -> Poll<()> {
        self.empty_outbox(cx);
        match self.poll_write(cx) {
            // A claimed call that was given up has nothing to say, and is waited for all the same.
            Ok(Poll::Ready(())) if self.running.is_empty() && self.outbox.lock().working == 0 => {
                Poll::Ready(())
            }
            Ok(_) => Poll::Pending,
            Err(_) => Poll::Ready(()),
        }
    }

    fn accept_lines(&mut self, cx: &mut task::Context<'_>) {
        // The lines leave the connection while they are read, so that it can be changed meanwhile.
        let mut lines = mem::replace(&mut self.lines, LineBuffer::empty());
        while let Some(line) = lines.next_line() {
            if self.out.len() - self.written > CHUNK {
                // A batch of large answers need not pile up. An error shows again at the next write.
                let _ = self.poll_write(cx);
            }
            match line {
                Line::Message(line) => self.accept(line, cx),
                Line::TooLong { limit } => {
                    tracing::warn!(limit, "a message was longer than the limit");
                    let error = RpcError::invalid_request(format!(
                        "the message is longer than {limit} bytes, the limit of `max_message_bytes`"
                    ));
                    write_error(&mut self.out, None, &error);
                    self.out.push(b'\n');
                }
            }
        }
        self.lines = lines;
    }

    fn accept(&mut self, line: &[u8], cx: &mut task::Context<'_>) {
        let before = self.out.len();
        match self.server.accept(line, &self.peer, cx, &mut self.out) {
            Accepted::Done => {}
            Accepted::Cancel(id) => {
                if let Some(ctx) = self.running.remove(&id) {
                    ctx.give_up();
                }
            }
            Accepted::Running(call) => {
                let id = call.id();
                if self.running.contains_key(&id) {
                    let error = RpcError::invalid_request(
                        "a request with this `id` is still being answered",
                    );
                    write_error(&mut self.out, Some(call.raw_id()), &error);
                } else {
                    self.running.insert(id.clone(), call.context().clone());
                    let outbox = Arc::clone(&self.outbox);
                    outbox.lock().working += 1;
                    tokio::spawn(async move {
                        let answer = call.answer().await;
                        outbox.finish(id, answer);
                    });
                }
            }
        }
        if self.out.len() > before {
            self.out.push(b'\n');
            // What a call has sent stands before its result, also where it was answered at once.
            if self.outbox.sent.swap(false, Ordering::Relaxed) {
                let sent = mem::take(&mut self.outbox.lock().bytes);
                self.out.splice(before..before, sent);
            }
        }
    }

    /// Takes over what calls have sent and finished.
    fn empty_outbox(&mut self, cx: &mut task::Context<'_>) {
        let mut outbox = self.outbox.lock();
        self.out.append(&mut outbox.bytes);
        for id in outbox.finished.drain(..) {
            self.running.remove(&id);
        }
        if !outbox
            .waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            outbox.waker = Some(cx.waker().clone());
        }
    }

    /// Writes as much as the stream takes.
    fn poll_write(&mut self, cx: &mut task::Context<'_>) -> io::Result<Poll<()>> {
        while self.written < self.out.len() {
            match self
                .writer
                .as_mut()
                .poll_write(cx, &self.out[self.written..])
            {
                Poll::Pending => return Ok(Poll::Pending),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(count) => self.written += count?,
            }
            if self.written == self.out.len() {
                self.written = 0;
                self.out.clear();
                if self.out.capacity() > LARGE {
                    self.out = Vec::new();
                }
            }
        }
        match self.writer.as_mut().poll_flush(cx) {
            Poll::Ready(flushed) => flushed.map(Poll::Ready),
            Poll::Pending => Ok(Poll::Pending),
        }
    }
}

/// Whether the client has simply gone.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::WriteZero
    )
}

/// Where calls that wait put their messages and answers.
#[derive(Default)]
struct Outbox {
    waiting: Mutex<Waiting>,
    /// Whether a message was sent: looked at without the lock.
    sent: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    finished: Vec<RequestId>,
    /// How many calls have not ended, those that were given up among them.
    working: usize,
    waker: Option<Waker>,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, id: RequestId, answer: Option<Vec<u8>>) {
        let mut waiting = self.lock();
        waiting.working -= 1;
        if let Some(answer) = answer {
            waiting.bytes.extend_from_slice(&answer);
            waiting.bytes.push(b'\n');
            // A call that was given up has left the register already, and its id may be in use again.
            waiting.finished.push(id);
        }
        Self::wake(waiting);
    }

    fn wake(waiting: MutexGuard<'_, Waiting>) {
        let waker = waiting.waker.clone();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Outgoing for Outbox {
    fn send(&self, message: &[u8]) {
        let mut waiting = self.lock();
        waiting.bytes.extend_from_slice(message);
        waiting.bytes.push(b'\n');
        self.sent.store(true, Ordering::Relaxed);
        Self::wake(waiting);
    }
}
