//! What the tests of this module share.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};
use tracing::field::{Field, Visit};
use tracing::span;

use super::key::{Key, hex_digit};

/// A fixed key, another for each number.
pub(crate) fn key(number: u64) -> Key {
    Key::from_bytes(Sha256::digest(number.to_be_bytes())).expect("a hash is no pattern")
}

/// The bytes that the hexadecimal digits stand for.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "an even number of digits");
    let digit = |digit| hex_digit(digit).expect("a hexadecimal digit");
    pairs
        .iter()
        .map(|[high, low]| digit(*high) << 4 | digit(*low))
        .collect()
}

/// The events that are logged meanwhile, each as `target LEVEL field=value ..`.
pub(crate) fn logged(run: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), run);
    std::mem::take(&mut *lines.0.lock().expect("no test panics under it"))
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Lines {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = format!("{} {}", event.metadata().target(), event.metadata().level());
        event.record(&mut Fields(&mut line));
        self.0.lock().expect("no test panics under it").push(line);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
