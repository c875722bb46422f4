//! The streams of one session: what was sent on each, so that a connection that broke can be taken up again.
//!
//! Motivation: a stream is not a connection. A call's events belong to the stream of its request, in their order, whether
//! anybody reads them or not; a connection reads one stream from one place on. So what a lost connection has not read is
//! still there, and never stands on another stream.
//!
//! All of it is bounded, by the number of events and by their bytes. The stream with the most of them loses its oldest
//! first, so that no call pushes out what another one has said. What a connection is just about to read has bounds of its
//! own.
//!
//! Specification: 2025-11-25, basic/transports, Resumability and Redelivery.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as Task, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::Instant;

use crate::reporter::Outgoing;

/// The stream of what belongs to no request: the one that a plain GET reads.
pub(super) const UNRELATED: u64 = 0;

/// So many events are kept for a session.
const MAX_EVENTS: usize = 1024;

/// So many bytes of events are kept for a session; the newest event is, in any case.
const MAX_BYTES: usize = 1024 * 1024;

/// So much waits on a stream for a client that does not read its connection; what may be left out is left out then.
const HIGH_WATER: usize = 1024 * 1024;

/// The same for all streams of a session together.
const FLOOD: usize = 8 * 1024 * 1024;

/// How long a stream that has ended can be taken up again.
pub(super) const KEPT: Duration = Duration::from_secs(5 * 60);

/// How long a client should wait before it takes a stream up again.
const RETRY: Duration = Duration::from_secs(1);

/// So many bytes all sessions of an endpoint keep together. Past that, each of them keeps only the [`LEAST`].
const MAX_BYTES_OF_ALL: usize = 128 * 1024 * 1024;

/// What a session keeps where all of them keep too much.
const LEAST: Size = Size {
    events: 64,
    bytes: 16 * 1024,
};

/// What a session keeps at most.
const MOST: Size = Size {
    events: MAX_EVENTS,
    bytes: MAX_BYTES,
};

/// The streams of one session.
#[derive(Default)]
pub(super) struct Streams {
    kept: Mutex<Kept>,
    all: Arc<Budget>,
}

/// How many bytes all sessions of an endpoint keep.
#[derive(Default)]
pub(super) struct Budget(AtomicUsize);

impl Budget {
    /// What each session may keep.
    fn limit(&self) -> Size {
        if self.0.load(Ordering::Relaxed) > MAX_BYTES_OF_ALL {
            LEAST
        } else {
            MOST
        }
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        let counted = self.lock().counted;
        self.all.0.fetch_sub(counted, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Kept {
    streams: HashMap<u64, Stream>,
    /// How many events all of them have, and how many bytes those.
    size: Size,
    /// How many of those bytes all sessions know of.
    counted: usize,
    begun: u64,
    readers: u64,
    /// The session is over: nothing is taken any more.
    closed: bool,
}

#[derive(Default)]
struct Stream {
    events: VecDeque<Bytes>,
    /// The position of the first event that is kept.
    first: u64,
    /// The position of the event that the connection reads next.
    cursor: u64,
    /// What there is from there on.
    unread: Size,
    /// What there is in all.
    size: Size,
    /// The connection, of which there is one at the most.
    reader: Option<u64>,
    waker: Option<Waker>,
    /// Who waits for room.
    crowd: Vec<Waker>,
    /// Whether its first connection is still to come, and will.
    is_new: bool,
    /// The connection is to end, and the stream is not.
    cut: bool,
    /// Since when there is nothing more to come.
    ended: Option<Instant>,
}

impl Stream {
    fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    fn push(&mut self, event: Vec<u8>) -> Size {
        let size = size(&event);
        self.size.add(size);
        self.unread.add(size);
        self.events.push_back(event.into());
        size
    }

    /// Reads from this position on, or from the first one that is kept.
    fn read_from(&mut self, position: u64) {
        self.cursor = position.max(self.first);
        self.unread = Size::default();
        for event in self.events.iter().skip((self.cursor - self.first) as usize) {
            self.unread.add(size(event));
        }
    }

    /// The event at the cursor, which moves on.
    fn read(&mut self) -> Option<Bytes> {
        let event = self.events.get((self.cursor - self.first) as usize)?;
        self.cursor += 1;
        self.unread.take(size(event));
        Some(event.clone())
    }

    fn drop_first(&mut self) -> Size {
        let Some(event) = self.events.pop_front() else {
            return Size::default();
        };
        let size = size(&event);
        self.size.take(size);
        self.first += 1;
        if self.cursor < self.first {
            self.cursor = self.first;
            self.unread.take(size);
        }
        size
    }

    /// What is kept for later: all but what a connection is about to read.
    fn kept(&self) -> Size {
        let mut kept = self.size;
        if self.is_attended() {
            kept.take(self.unread);
        }
        kept
    }

    /// Whether a connection reads it, or is just about to: that of a request comes after its first events.
    fn is_attended(&self) -> bool {
        self.reader.is_some() || self.is_new
    }

    /// Whether so much waits that what may be left out is. Where nobody reads, there must be room for the answer, and for
    /// other streams.
    fn has_too_much(&self) -> bool {
        if self.is_attended() {
            return self.unread.bytes > HIGH_WATER;
        }
        self.unread.events > MAX_EVENTS / 4 || self.unread.bytes > MAX_BYTES / 4
    }

    fn wake(&mut self) -> Vec<Waker> {
        self.waker.take().into_iter().collect()
    }

    fn wake_all(&mut self) -> Vec<Waker> {
        let mut wakers = mem::take(&mut self.crowd);
        wakers.extend(self.waker.take());
        wakers
    }
}

/// A number of events, and of their bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Size {
    events: usize,
    bytes: usize,
}

impl Size {
    fn fits(self, limit: Self) -> bool {
        self.events <= limit.events && self.bytes <= limit.bytes
    }

    fn add(&mut self, other: Self) {
        self.events += other.events;
        self.bytes += other.bytes;
    }

    fn take(&mut self, other: Self) {
        self.events -= other.events;
        self.bytes -= other.bytes;
    }
}

/// Why a stream cannot be taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// No event of this session has such an id, or its stream has been over for a while.
    Unknown,
    /// Events after it are gone.
    Evicted,
}

/// What a connection writes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Event(Bytes),
    /// Nothing more on this connection.
    End,
}

impl Streams {
    /// Those of a session that shares its room with others.
    pub(super) fn within(all: &Arc<Budget>) -> Self {
        Self {
            kept: Mutex::default(),
            all: Arc::clone(all),
        }
    }

    /// Begins the stream of a request. With `prime`, its first event says how to take it up again.
    pub(super) fn begin(&self, prime: bool) -> u64 {
        let mut kept = self.lock();
        kept.begun += 1;
        let number = kept.begun;
        if !kept.closed {
            let stream = Stream {
                is_new: true,
                ..Stream::default()
            };
            kept.streams.insert(number, stream);
        }
        if prime {
            self.push(&mut kept, number, priming);
        }
        number
    }

    /// Sends a message on a stream. Where it is not `needed`, it is left out if too much waits already.
    pub(super) fn send(&self, number: u64, message: &[u8], needed: bool) {
        let mut kept = self.lock();
        if kept.closed {
            return;
        }
        if number == UNRELATED {
            kept.streams.entry(UNRELATED).or_default();
        }
        let inner = &mut *kept;
        let Some(stream) = inner.streams.get_mut(&number) else {
            return;
        };
        let too_much = stream.has_too_much() || inner.size.bytes > FLOOD;
        if stream.ended.is_some() || !needed && too_much {
            return;
        }
        let wakers = stream.wake();
        self.push(&mut kept, number, |id, out| {
            out.extend_from_slice(b"event: message\nid: ");
            out.extend_from_slice(id.as_bytes());
            out.extend_from_slice(b"\ndata: ");
            out.extend_from_slice(message);
            out.extend_from_slice(b"\n\n");
        });
        wake(kept, wakers);
    }

    /// Nothing more comes on a stream.
    pub(super) fn end(&self, number: u64, now: Instant) {
        let mut kept = self.lock();
        let Some(stream) = kept.streams.get_mut(&number) else {
            return;
        };
        stream.ended.get_or_insert(now);
        let wakers = stream.wake_all();
        kept.forget_if_empty(number);
        wake(kept, wakers);
    }

    /// Ends the connection that reads a stream or is to read it first; the stream goes on.
    pub(super) fn cut(&self, number: u64) {
        let mut kept = self.lock();
        let Some(stream) = kept.streams.get_mut(&number) else {
            return;
        };
        stream.cut = stream.is_attended();
        let wakers = stream.wake();
        wake(kept, wakers);
    }

    /// The session is over.
    pub(super) fn close(&self) {
        let mut kept = self.lock();
        kept.closed = true;
        let streams = mem::take(&mut kept.streams);
        kept.size = Size::default();
        self.count(&mut kept);
        let wakers = streams
            .into_values()
            .flat_map(|mut stream| stream.wake_all());
        let wakers = wakers.collect();
        wake(kept, wakers);
    }

    /// Reads a stream on a new connection, from what no connection has read on. The one before it ends.
    ///
    /// With `prime`, the first event says how to take it up again.
    pub(super) fn read(self: &Arc<Self>, number: u64, prime: bool) -> Reading {
        let mut kept = self.lock();
        if number == UNRELATED && !kept.closed {
            kept.streams.entry(number).or_default();
        }
        if prime {
            self.push(&mut kept, number, priming);
        }
        let cursor = kept.streams.get(&number).map_or(0, |stream| stream.cursor);
        self.attach(kept, number, cursor)
    }

    /// Reads the stream that belongs to no request, which begins with an event as it is given.
    #[cfg(feature = "http-sse")]
    pub(super) fn read_from(self: &Arc<Self>, first: &str) -> Reading {
        let mut kept = self.lock();
        kept.streams.entry(UNRELATED).or_default();
        self.push(&mut kept, UNRELATED, |_, out| {
            out.extend_from_slice(first.as_bytes());
        });
        self.attach(kept, UNRELATED, 0)
    }

    /// Whether so much waits on a stream that its client seems not to read.
    #[cfg(feature = "http-sse")]
    pub(super) fn is_full(&self, number: u64) -> bool {
        let kept = self.lock();
        let stream = kept.streams.get(&number);
        stream.is_some_and(|stream| stream.unread.bytes > HIGH_WATER)
    }

    /// Reads a stream on a new connection, from behind the event of this id on. The one before it ends.
    ///
    /// # Errors
    ///
    /// Where what has been sent since is not there any more.
    pub(super) fn resume(self: &Arc<Self>, id: &str) -> Result<Reading, Lost> {
        let (number, position) = parse(id).ok_or(Lost::Unknown)?;
        let kept = self.lock();
        let stream = kept.streams.get(&number).ok_or(Lost::Unknown)?;
        if position >= stream.end() {
            return Err(Lost::Unknown);
        }
        if position + 1 < stream.first {
            return Err(Lost::Evicted);
        }
        Ok(self.attach(kept, number, position + 1))
    }

    fn attach(
        self: &Arc<Self>,
        mut kept: MutexGuard<'_, Kept>,
        number: u64,
        cursor: u64,
    ) -> Reading {
        kept.readers += 1;
        let reader = kept.readers;
        let mut wakers = Vec::new();
        if let Some(stream) = kept.streams.get_mut(&number) {
            wakers = stream.wake_all();
            stream.read_from(cursor);
            stream.reader = Some(reader);
            stream.cut &= stream.is_new;
            stream.is_new = false;
        }
        wake(kept, wakers);
        Reading {
            streams: Arc::clone(self),
            number,
            reader,
        }
    }

    /// Whether a connection reads this stream.
    pub(super) fn is_read(&self, number: u64) -> bool {
        let kept = self.lock();
        let stream = kept.streams.get(&number);
        stream.is_some_and(|stream| stream.reader.is_some())
    }

    /// Whether a connection reads any of them.
    pub(super) fn are_read(&self) -> bool {
        let kept = self.lock();
        kept.streams.values().any(|stream| stream.reader.is_some())
    }

    /// Appends an event, and makes room for it.
    fn push(&self, kept: &mut Kept, number: u64, write: impl FnOnce(&str, &mut Vec<u8>)) {
        if kept.push(number, write) {
            self.make_room(kept, number);
        }
    }

    /// Drops events until those fit that are kept; the newest is in this stream.
    fn make_room(&self, kept: &mut Kept, newest: u64) {
        kept.shrink(self.all.limit(), Some(newest));
        self.count(kept);
    }

    /// Tells the budget how many bytes are kept.
    fn count(&self, kept: &mut Kept) {
        if kept.counted == kept.size.bytes {
            return;
        }
        let before = mem::replace(&mut kept.counted, kept.size.bytes);
        let all = &self.all.0;
        all.fetch_add(kept.counted, Ordering::Relaxed);
        all.fetch_sub(before, Ordering::Relaxed);
    }

    /// Forgets streams that ended a while ago, and more where all sessions together keep too much.
    pub(super) fn sweep(&self, now: Instant) {
        let mut kept = self.lock();
        let over = |stream: &Stream| {
            let ended = stream.ended.is_some_and(|ended| now - ended >= KEPT);
            ended && stream.reader.is_none()
        };
        let Kept { streams, size, .. } = &mut *kept;
        streams.retain(|_, stream| {
            let over = over(stream);
            if over {
                size.take(stream.size);
            }
            !over
        });
        kept.shrink(self.all.limit(), None);
        self.count(&mut kept);
    }

    fn poll_room(&self, number: u64, cx: &mut Task<'_>) -> Poll<()> {
        let mut kept = self.lock();
        if kept.closed {
            return Poll::Pending;
        }
        let stream = kept.streams.entry(number).or_default();
        if stream.reader.is_some() && !stream.cut && stream.unread.bytes <= HIGH_WATER {
            return Poll::Ready(());
        }
        if !stream.crowd.iter().any(|waker| waker.will_wake(cx.waker())) {
            stream.crowd.push(cx.waker().clone());
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Not under the lock: whoever is woken may want it.
fn wake(kept: MutexGuard<'_, Kept>, wakers: Vec<Waker>) {
    drop(kept);
    wakers.into_iter().for_each(Waker::wake);
}

impl Kept {
    /// Appends an event to a stream, if that is there.
    fn push(&mut self, number: u64, write: impl FnOnce(&str, &mut Vec<u8>)) -> bool {
        let Some(stream) = self.streams.get_mut(&number) else {
            return false;
        };
        let mut event = Vec::new();
        write(&format!("{number}-{}", stream.end()), &mut event);
        let size = stream.push(event);
        self.size.add(size);
        true
    }

    /// Drops events until those fit that are kept.
    fn shrink(&mut self, limit: Size, newest: Option<u64>) {
        // The newest event stays, however large, unless all sessions must do with less.
        let newest = newest.filter(|_| limit == MOST);
        while !self.size.fits(limit)
            && let Some(number) = self.largest(limit, newest)
        {
            self.evict(number);
        }
    }

    /// The stream that must lose an event; none where what is kept fits. That with the newest event does not lose it.
    fn largest(&self, limit: Size, newest: Option<u64>) -> Option<u64> {
        let mut all = Size::default();
        for stream in self.streams.values() {
            all.add(stream.kept());
        }
        if all.fits(limit) {
            return None;
        }
        let by_bytes = all.bytes > limit.bytes;
        let streams = self.streams.iter().filter_map(|(number, stream)| {
            let kept = stream.kept();
            let is_only_newest = newest == Some(*number) && stream.size.events == 1;
            let size = if by_bytes { kept.bytes } else { kept.events };
            // Of equal ones, the oldest.
            let rank = (size, Reverse(*number));
            (kept.events > 0 && !is_only_newest).then_some(rank)
        });
        streams.max().map(|(_, Reverse(number))| number)
    }

    fn evict(&mut self, number: u64) {
        let Some(stream) = self.streams.get_mut(&number) else {
            return;
        };
        let size = stream.drop_first();
        self.size.take(size);
        self.forget_if_empty(number);
    }

    /// Forgets a stream of which there is nothing, and of which nothing will come.
    fn forget_if_empty(&mut self, number: u64) {
        let stream = self.streams.get(&number);
        let is_over = |stream: &Stream| {
            stream.events.is_empty() && stream.ended.is_some() && !stream.is_attended()
        };
        if stream.is_some_and(is_over) {
            self.streams.remove(&number);
        }
    }
}

fn size(event: &[u8]) -> Size {
    Size {
        events: 1,
        bytes: event.len(),
    }
}

/// An event without a message: its id is enough to take the stream up again.
fn priming(id: &str, out: &mut Vec<u8>) {
    let event = format!("id: {id}\nretry: {}\ndata: \n\n", RETRY.as_millis());
    out.extend_from_slice(event.as_bytes());
}

/// The stream and the position that an event's id names, in the one spelling that it has.
fn parse(id: &str) -> Option<(u64, u64)> {
    let (number, position) = id.split_once('-')?;
    let parsed = (number.parse().ok()?, position.parse().ok()?);
    (format!("{}-{}", parsed.0, parsed.1) == id).then_some(parsed)
}

/// A connection that reads a stream. Dropping it leaves the stream as it is.
pub(super) struct Reading {
    streams: Arc<Streams>,
    number: u64,
    reader: u64,
}

impl Reading {
    /// The stream's number.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// What comes next on this connection.
    pub(super) fn poll(&self, cx: &mut Task<'_>) -> Poll<Next> {
        let mut kept = self.streams.lock();
        let Some(stream) = kept.streams.get_mut(&self.number) else {
            return Poll::Ready(Next::End);
        };
        if stream.reader != Some(self.reader) {
            return Poll::Ready(Next::End);
        }
        if let Some(event) = stream.read() {
            let wakers = mem::take(&mut stream.crowd);
            // From now on it is kept for later.
            self.streams.make_room(&mut kept, self.number);
            wake(kept, wakers);
            return Poll::Ready(Next::Event(event));
        }
        if stream.ended.is_some() || stream.cut {
            return Poll::Ready(Next::End);
        }
        match &mut stream.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut kept = self.streams.lock();
        if let Some(stream) = kept.streams.get_mut(&self.number)
            && stream.reader == Some(self.reader)
        {
            stream.reader = None;
            stream.waker = None;
            kept.forget_if_empty(self.number);
        }
    }
}

/// Where a session sends what belongs to no request: the stream of the plain GET.
///
/// There is room while a connection reads it. Whoever waits for that keeps what has changed, once each.
pub(super) struct Unrelated(pub(super) Arc<Streams>);

impl Outgoing for Unrelated {
    fn send(&self, _call: u64, message: Vec<u8>) {
        self.0.send(UNRELATED, &message, false);
    }

    fn deliver(&self, _call: u64, message: Vec<u8>) {
        self.0.send(UNRELATED, &message, true);
    }

    fn poll_room(&self, _call: u64, cx: &mut Task<'_>) -> Poll<()> {
        self.0.poll_room(UNRELATED, cx)
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
