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

mod kept;
mod reading;
mod stream;
mod unrelated;

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as Task, Poll, Waker},
    time::Duration,
};

use tokio::time::Instant;

use self::{
    kept::Kept,
    stream::{Size, Stream},
};
pub(super) use self::{
    reading::{Next, Reading},
    unrelated::Unrelated,
};

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
/// Why a stream cannot be taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// No event of this session has such an id, or its stream has been over for a while.
    Unknown,
    /// Events after it are gone.
    Evicted,
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

#[cfg(test)]
mod tests;
