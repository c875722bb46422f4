//! A connection that reads a stream.

use std::{
    mem,
    sync::Arc,
    task::{Context as Task, Poll},
};

use bytes::Bytes;

use super::{Streams, wake};
use crate::waking;

/// What a connection writes next.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::legacy::http) enum Next {
    Event(Bytes),
    /// Nothing more on this connection.
    End,
}

/// A connection that reads a stream. Dropping it leaves the stream as it is.
pub(in crate::legacy::http) struct Reading {
    pub(super) streams: Arc<Streams>,
    pub(super) number: u64,
    pub(super) reader: u64,
}

impl Reading {
    /// The stream's number.
    pub(in crate::legacy::http) fn number(&self) -> u64 {
        self.number
    }

    /// What comes next on this connection.
    pub(in crate::legacy::http) fn poll(&self, cx: &mut Task<'_>) -> Poll<Next> {
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
        let before = waking::replace(&mut stream.waker, cx.waker());
        drop(kept);
        drop(before);
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
            let waker = stream.waker.take();
            kept.forget_if_empty(self.number);
            drop(kept);
            drop(waker);
        }
    }
}
