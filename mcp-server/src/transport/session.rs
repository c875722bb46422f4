//! One client's connection without its I/O: bytes in, bytes out, and the calls between them.
//!
//! Motivation: a call that does not wait is answered where it was read, and costs neither a task nor
//! a lock. Calls that wait become tasks and put their answers into the outbox. Who reads and writes,
//! a task or threads, is the driver's to say.
//!
//! Specification: basic/transports/stdio.

use std::{collections::HashMap, io, mem, sync::Arc, task::Context as Task};

use mcp_core::rpc::{Line, LineBuffer, RawId, RequestId, RpcError, write_error};

use crate::legacy;
use crate::{
    background,
    dispatch::{Accepted, Arrival},
    peer::Peer,
    running::{Open, Running},
    server::Server,
    state::Principal,
};

#[cfg(feature = "legacy")]
mod batch;
mod outbox;

pub(super) use self::outbox::Outbox;
use self::outbox::{Finishing, Last};

/// While so many bytes wait for a client that does not read, its requests are not answered either.
const HIGH_WATER: usize = 1024 * 1024;

/// So many bytes are offered to the client before the next message of a batch is answered.
const CHUNK: usize = 256 * 1024;

/// A connection's state.
pub(super) struct Session {
    server: Server,
    peer: Peer,
    lines: LineBuffer,
    output: Output,
    outbox: Arc<Outbox>,
    /// Calls and subscriptions that wait.
    running: HashMap<RequestId, Open>,
}

/// What became of the lines that were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// All of them are answered or under way.
    All,
    /// Some are left, because a good deal of output waits to be written.
    Some,
}

impl Session {
    pub(super) fn new(server: Server) -> Self {
        let outbox = Arc::new(Outbox::default());
        Self {
            peer: Peer {
                principal: Principal::Local,
                outgoing: outbox.clone(),
                #[cfg(feature = "http")]
                extensions: None,
            },
            lines: LineBuffer::new(server.options().max_message_bytes),
            server,
            output: Output::default(),
            outbox,
            running: HashMap::new(),
        }
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Where the next bytes go.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.lines.room()
    }

    /// Says how many bytes were read.
    pub(super) fn filled(&mut self, count: usize) {
        self.lines.filled(count);
    }

    /// What is to be written.
    pub(super) fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// Answers the lines that were read, a chunk of output at a time.
    pub(super) fn answer_lines(&mut self, cx: &mut Task<'_>) -> Answered {
        // The lines leave the connection while they are answered, so that the rest can change.
        let mut lines = mem::replace(&mut self.lines, LineBuffer::empty());
        let answered = loop {
            if self.output.unwritten().len() > CHUNK {
                break Answered::Some;
            }
            match lines.next_line() {
                Some(Line::Message(line)) => self.answer(line, cx),
                Some(Line::TooLong { limit }) => self.refuse_line(limit),
                None => break Answered::All,
            }
        };
        self.lines = lines;
        answered
    }

    #[cold]
    fn refuse_line(&mut self, limit: usize) {
        tracing::warn!(limit, "a message was longer than the limit");
        let error = RpcError::invalid_request(format!(
            "the message is longer than {limit} bytes, the limit of `max_message_bytes`"
        ));
        write_error(&mut self.output.bytes, None, &error);
        self.output.bytes.push(b'\n');
    }

    /// Answers what stands after the last line's end, when the stream has ended.
    pub(super) fn answer_rest(&mut self, cx: &mut Task<'_>) {
        let mut lines = mem::replace(&mut self.lines, LineBuffer::empty());
        if let Some(Line::Message(line)) = lines.rest() {
            self.answer(line, cx);
        }
    }

    fn answer(&mut self, line: &[u8], cx: &mut Task<'_>) {
        #[cfg(feature = "legacy")]
        if self.answer_batch(line, cx) {
            return;
        }
        let before = self.output.bytes.len();
        let mut out = mem::take(&mut self.output.bytes);
        let running = self.accept(line, cx, &mut out);
        self.output.bytes = out;
        if let Some(call) = running {
            self.go_on(call, None);
        }
        self.end_line(before);
    }

    /// Handles a message: appends its answer to `out`, or gives the call that waits.
    #[inline]
    fn accept(&mut self, line: &[u8], cx: &mut Task<'_>, out: &mut Vec<u8>) -> Option<Running> {
        if !self.running.is_empty() {
            self.collect_finished();
        }
        let running = &self.running;
        let arrival = OnConnection {
            running,
            earlier: &self.outbox.earlier,
        };
        match self.server.accept(line, &self.peer, &arrival, cx, out) {
            Accepted::Noted | Accepted::Unasked | Accepted::Answered(_) => None,
            Accepted::Cancel(id) => {
                self.give_up(&id);
                None
            }
            Accepted::Running(call) => Some(call),
        }
    }

    #[cold]
    fn give_up(&mut self, id: &RequestId) {
        if let Some(open) = self.running.remove(id) {
            open.give_up();
            self.outbox.discard(open.number());
        }
    }

    /// Lets a call go on as a task; `last` makes what goes out of its answer, where that is not the answer itself.
    fn go_on(&mut self, call: Running, last: Option<Last>) {
        let id = call.id();
        self.running.insert(id.clone(), call.open());
        let finishing = Finishing::new(&self.outbox, id, call.open(), last);
        background::task(Box::pin(async move {
            let answer = call.answer().await;
            finishing.with(answer.map(|answer| answer.message));
        }));
    }

    /// Ends the line that was written from here on, if any was.
    #[inline]
    fn end_line(&mut self, before: usize) {
        let out = &mut self.output.bytes;
        if out.len() > before {
            out.push(b'\n');
            // What a call has sent stands before its result, also where it was answered at once.
            if self.outbox.has_sent() {
                let answer = out.split_off(before);
                self.outbox.move_to(out);
                out.extend_from_slice(&answer);
            }
        }
    }

    /// Takes over what calls have sent and finished.
    pub(super) fn collect(&mut self) {
        self.collect_finished();
        self.outbox.take(&mut self.output);
    }

    fn collect_finished(&mut self) {
        for id in self.outbox.take_finished() {
            self.running.remove(&id);
        }
    }
}

/// Whoever served it may have been dropped.
impl Drop for Session {
    fn drop(&mut self) {
        self.outbox.give_up();
    }
}

/// A line of a connection with these requests under way.
struct OnConnection<'a> {
    running: &'a HashMap<RequestId, Open>,
    earlier: &'a legacy::Connection,
}

impl Arrival for OnConnection<'_> {
    fn is_open(&self, id: RawId<'_>) -> bool {
        !self.running.is_empty() && self.running.contains_key(&id.to_id())
    }

    fn earlier(&self) -> Option<&legacy::Connection> {
        Some(self.earlier)
    }
}

/// Bytes on their way to the client.
#[derive(Debug, Default)]
pub(super) struct Output {
    bytes: Vec<u8>,
    written: usize,
}

impl Output {
    pub(super) fn unwritten(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    /// Whether so much waits that reading should, too.
    pub(super) fn is_full(&self) -> bool {
        self.unwritten().len() > HIGH_WATER
    }

    /// Says how many bytes were written.
    pub(super) fn wrote(&mut self, count: usize) {
        self.written += count;
        if self.written >= self.bytes.len() {
            self.written = 0;
            self.bytes.clear();
            // A buffer that one large answer has grown is given back.
            self.bytes.shrink_to(2 * HIGH_WATER);
        } else if self.written > CHUNK && self.written > self.bytes.len() / 2 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    /// Moves everything behind what is there already.
    #[cfg(feature = "stdio")]
    pub(super) fn append(&mut self, other: &mut Self) {
        if self.unwritten().is_empty() {
            mem::swap(self, other);
        } else {
            self.bytes.extend_from_slice(other.unwritten());
            other.wrote(other.unwritten().len());
        }
    }
}

/// Whether the client has simply gone.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::WriteZero
    )
}
