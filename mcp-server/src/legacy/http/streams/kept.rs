//! What is kept of all streams of a session, and what goes when that is too much.

use std::{cmp::Reverse, collections::HashMap};

use super::{
    MOST,
    stream::{Size, Stream},
};

#[derive(Default)]
pub(super) struct Kept {
    pub(super) streams: HashMap<u64, Stream>,
    /// How many events all of them have, and how many bytes those.
    pub(super) size: Size,
    /// How many of those bytes all sessions know of.
    pub(super) counted: usize,
    pub(super) begun: u64,
    pub(super) readers: u64,
    /// The session is over: nothing is taken any more.
    pub(super) closed: bool,
}

impl Kept {
    /// Appends an event to a stream, if that is there.
    pub(super) fn push(&mut self, number: u64, write: impl FnOnce(&str, &mut Vec<u8>)) -> bool {
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
    pub(super) fn shrink(&mut self, limit: Size, newest: Option<u64>) {
        // The newest event stays, however large, unless all sessions must do with less.
        let newest = newest.filter(|_| limit == MOST);
        while !self.size.fits(limit)
            && let Some(number) = self.largest(limit, newest)
        {
            self.evict(number);
        }
    }

    /// The stream that must lose an event; none where what is kept fits. That with the newest event does not lose it.
    pub(super) fn largest(&self, limit: Size, newest: Option<u64>) -> Option<u64> {
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

    pub(super) fn evict(&mut self, number: u64) {
        let Some(stream) = self.streams.get_mut(&number) else {
            return;
        };
        let size = stream.drop_first();
        self.size.take(size);
        self.forget_if_empty(number);
    }

    /// Forgets a stream of which there is nothing, and of which nothing will come.
    pub(super) fn forget_if_empty(&mut self, number: u64) {
        let stream = self.streams.get(&number);
        let is_over = |stream: &Stream| {
            stream.events.is_empty() && stream.ended.is_some() && !stream.is_attended()
        };
        if stream.is_some_and(is_over) {
            self.streams.remove(&number);
        }
    }
}
