//! Tests of which sessions stay and which go.
#![allow(clippy::unwrap_used)]

use super::*;

const IDLE: Duration = Duration::from_secs(30);

fn store(sessions: usize) -> (Store<&'static str>, Instant) {
    let limits = Limits {
        sessions,
        idle: IDLE,
    };
    (Store::new(limits), Instant::now())
}

impl Store<&'static str> {
    /// Takes one in that is called like its id.
    fn add(&mut self, id: &'static str, now: Instant) -> Result<Option<&'static str>, Full> {
        self.insert(id.into(), id, now)
    }

    fn uses(&mut self, id: &'static str, what: Use, now: Instant) -> bool {
        self.begin(id, what, now, |_| true).is_some()
    }

    fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.sessions().copied().collect();
        names.sort_unstable();
        names
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn one_that_is_idle_too_long_is_gone_to_the_second() {
    let (mut store, now) = store(10);
    store.add("a", now).unwrap();
    store.add("b", now).unwrap();
    // A use makes it young again.
    let later = now + IDLE - SECOND;
    assert!(store.uses("a", Use::Request, later));
    store.end("a", Use::Request, later);
    let later = now + IDLE;
    assert!(!store.uses("b", Use::Request, later));
    assert_eq!(store.expire(later), ["b"]);
    assert!(store.uses("a", Use::Request, later));
    store.end("a", Use::Request, later);
    assert_eq!(store.expire(later + IDLE), ["a"]);
    assert_eq!(store.len(), 0);
    assert!(store.order.is_empty());
}

#[test]
fn one_with_a_request_in_flight_or_a_listener_is_not_idle() {
    let (mut store, now) = store(10);
    for (id, what) in [("call", Use::Request), ("listener", Use::Listening)] {
        store.add(id, now).unwrap();
        assert!(store.uses(id, what, now));
    }
    let later = now + 10 * IDLE;
    assert!(store.expire(later).is_empty());
    assert!(store.uses("call", Use::Request, later));
    store.end("call", Use::Request, later);
    assert!(store.expire(later + 10 * IDLE).is_empty());
    // From its end on, it is.
    let later = later + 20 * IDLE;
    store.end("call", Use::Request, later);
    store.end("listener", Use::Listening, later);
    assert!(store.expire(later + IDLE - SECOND).is_empty());
    assert_eq!(store.expire(later + IDLE), ["call", "listener"]);
}

#[test]
fn the_longest_idle_goes_first_and_listeners_last() {
    let (mut store, now) = store(3);
    store.add("listener", now).unwrap();
    store.uses("listener", Use::Listening, now);
    store.add("b", now + SECOND).unwrap();
    store.add("c", now + 2 * SECOND).unwrap();
    store.uses("b", Use::Request, now + 3 * SECOND);
    store.end("b", Use::Request, now + 3 * SECOND);
    assert_eq!(store.add("d", now + 4 * SECOND), Ok(Some("c")));
    assert_eq!(store.add("e", now + 5 * SECOND), Ok(Some("b")));
    store.uses("d", Use::Request, now + 6 * SECOND);
    store.uses("e", Use::Request, now + 6 * SECOND);
    assert_eq!(store.add("f", now + 7 * SECOND), Ok(Some("listener")));
    // Its listener ends after it has gone.
    store.end("listener", Use::Listening, now + 8 * SECOND);
    assert_eq!(store.names(), ["d", "e", "f"]);
    store.uses("f", Use::Request, now + 8 * SECOND);
    assert_eq!(store.add("g", now + 9 * SECOND), Err(Full));
    store.end("e", Use::Request, now + 10 * SECOND);
    assert_eq!(store.add("g", now + 11 * SECOND), Ok(Some("e")));
    assert_eq!(store.names(), ["d", "f", "g"]);
}

#[test]
fn one_that_is_somebody_elses_is_not_there() {
    let (mut store, now) = store(3);
    store.add("a", now).unwrap();
    let later = now + IDLE - SECOND;
    assert!(store.begin("a", Use::Request, later, |_| false).is_none());
    assert!(store.remove("a", |_| false).is_none());
    // Nor does that make it young.
    assert_eq!(store.expire(now + IDLE), ["a"]);
}

#[test]
fn one_that_is_taken_out_leaves_nothing() {
    let (mut store, now) = store(3);
    store.add("a", now).unwrap();
    store.add("b", now).unwrap();
    store.uses("b", Use::Request, now);
    assert_eq!(store.remove("a", |_| true), Some("a"));
    assert_eq!(store.remove("b", |_| true), Some("b"));
    assert_eq!(store.remove("b", |_| true), None);
    store.end("b", Use::Request, now);
    assert_eq!(store.len(), 0);
    assert!(store.order.is_empty());
}
