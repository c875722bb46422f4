//! The stream that belongs to no request, as the session sends on it.

use std::{
    sync::Arc,
    task::{Context as Task, Poll},
};

use super::{Streams, UNRELATED};
use crate::reporter::Outgoing;

/// Where a session sends what belongs to no request: the stream of the plain GET.
///
/// There is room while a connection reads it. Whoever waits for that keeps what has changed, once each.
pub(in crate::legacy::http) struct Unrelated(pub(in crate::legacy::http) Arc<Streams>);

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
