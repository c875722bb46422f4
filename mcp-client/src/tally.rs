//! What the log says once and counts from there on: a server that does the same thing wrong over and over must not
//! fill the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often each kind of thing has happened, until it is dropped: then the log has the rest as a number.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    /// Counts another one of this kind; true for the first, of which the log should have the particulars.
    pub(crate) fn is_first(&self, kind: &'static str) -> bool {
        let mut counts = self.counts();
        let count = counts.entry(kind).or_default();
        *count += 1;
        *count == 1
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        for (kind, count) in self.counts().iter().filter(|(_, count)| **count > 1) {
            let more = count - 1;
            tracing::warn!(target: "mcp_client", "it happened {more} times more: {kind}");
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::fmt::{Debug, Write as _};
    use std::sync::{Arc, Mutex, PoisonError};

    use tracing::field::{Field, Visit};
    use tracing::{Event, Metadata, Subscriber, span};

    /// What the log has of what is done in `act`, on this thread, a line an event.
    pub(crate) fn logged(act: impl FnOnce()) -> Vec<String> {
        let lines = Lines::default();
        tracing::subscriber::with_default(lines.clone(), act);
        let lines = lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clone()
    }

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Lines {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() <= tracing::Level::WARN
        }

        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut line = Line(String::new());
            event.record(&mut line);
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push(line.0);
        }

        fn enter(&self, _: &span::Id) {}

        fn exit(&self, _: &span::Id) {}
    }

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            // Writing to a string does not fail.
            let _ = write!(self.0, "{}={value:?} ", field.name());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_once_and_then_as_a_number() {
        let lines = testing::logged(|| {
            let tally = Tally::default();
            let firsts = ["a", "b", "a", "a", "c"].map(|kind| tally.is_first(kind));
            assert_eq!(firsts, [true, true, false, false, true]);
        });
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].contains("it happened 2 times more: a"),
            "{lines:?}"
        );
    }
}
