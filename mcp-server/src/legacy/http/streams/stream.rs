//! One stream: its events, who reads them, and how far.

use std::{collections::VecDeque, mem, task::Waker};

use bytes::Bytes;
use tokio::time::Instant;

use super::{HIGH_WATER, MAX_BYTES, MAX_EVENTS};

#[derive(Default)]
pub(super) struct Stream {
    pub(super) events: VecDeque<Bytes>,
    /// The position of the first event that is kept.
    pub(super) first: u64,
    /// The position of the event that the connection reads next.
    pub(super) cursor: u64,
    /// What there is from there on.
    pub(super) unread: Size,
    /// What there is in all.
    pub(super) size: Size,
    /// The connection, of which there is one at the most.
    pub(super) reader: Option<u64>,
    pub(super) waker: Option<Waker>,
    /// Who waits for room.
    pub(super) crowd: Vec<Waker>,
    /// Whether its first connection is still to come, and will.
    pub(super) is_new: bool,
    /// The connection is to end, and the stream is not.
    pub(super) cut: bool,
    /// Since when there is nothing more to come.
    pub(super) ended: Option<Instant>,
}

impl Stream {
    pub(super) fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    pub(super) fn push(&mut self, event: Vec<u8>) -> Size {
        let size = size(&event);
        self.size.add(size);
        self.unread.add(size);
        self.events.push_back(event.into());
        size
    }

    /// Reads from this position on, or from the first one that is kept.
    pub(super) fn read_from(&mut self, position: u64) {
        self.cursor = position.max(self.first);
        self.unread = Size::default();
        for event in self.events.iter().skip((self.cursor - self.first) as usize) {
            self.unread.add(size(event));
        }
    }

    /// The event at the cursor, which moves on.
    pub(super) fn read(&mut self) -> Option<Bytes> {
        let event = self.events.get((self.cursor - self.first) as usize)?;
        self.cursor += 1;
        self.unread.take(size(event));
        Some(event.clone())
    }

    pub(super) fn drop_first(&mut self) -> Size {
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
    pub(super) fn kept(&self) -> Size {
        let mut kept = self.size;
        if self.is_attended() {
            kept.take(self.unread);
        }
        kept
    }

    /// Whether a connection reads it, or is just about to: that of a request comes after its first events.
    pub(super) fn is_attended(&self) -> bool {
        self.reader.is_some() || self.is_new
    }

    /// Whether so much waits that what may be left out is. Where nobody reads, there must be room for the answer, and for
    /// other streams.
    pub(super) fn has_too_much(&self) -> bool {
        if self.is_attended() {
            return self.unread.bytes > HIGH_WATER;
        }
        self.unread.events > MAX_EVENTS / 4 || self.unread.bytes > MAX_BYTES / 4
    }

    pub(super) fn wake(&mut self) -> Vec<Waker> {
        self.waker.take().into_iter().collect()
    }

    pub(super) fn wake_all(&mut self) -> Vec<Waker> {
        let mut wakers = mem::take(&mut self.crowd);
        wakers.extend(self.waker.take());
        wakers
    }
}

/// A number of events, and of their bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) events: usize,
    pub(super) bytes: usize,
}

impl Size {
    pub(super) fn fits(self, limit: Self) -> bool {
        self.events <= limit.events && self.bytes <= limit.bytes
    }

    pub(super) fn add(&mut self, other: Self) {
        self.events += other.events;
        self.bytes += other.bytes;
    }

    pub(super) fn take(&mut self, other: Self) {
        self.events -= other.events;
        self.bytes -= other.bytes;
    }
}

pub(super) fn size(event: &[u8]) -> Size {
    Size {
        events: 1,
        bytes: event.len(),
    }
}
