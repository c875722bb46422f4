//! Tests of the streams of one session.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use bytes::Bytes;

use super::{stream::size, *};
use crate::waking::testing::{AtEnd, ends, last_of};

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn streams() -> Arc<Streams> {
    Arc::default()
}

/// The next event of a connection, with its id and its data; none where there is none yet.
fn next(reading: &Reading) -> Option<(String, String)> {
    match reading.poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(Next::Event(event)) => {
            let event = std::str::from_utf8(&event).unwrap();
            assert!(event.ends_with("\n\n"), "{event:?}");
            let field = |name: &str| {
                let line = event.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().to_owned()
            };
            Some((field("id: "), field("data: ")))
        }
        Poll::Ready(Next::End) => Some((String::new(), "end".to_owned())),
        Poll::Pending => None,
    }
}

fn data(reading: &Reading) -> Vec<String> {
    let mut data = Vec::new();
    while let Some((_, text)) = next(reading) {
        let is_end = text == "end";
        data.push(text);
        if is_end {
            break;
        }
    }
    data
}

#[test]
fn a_connection_reads_what_was_sent_before_and_while_it_is_there() {
    let streams = streams();
    let number = streams.begin(false);
    streams.send(number, b"1", true);
    let reading = streams.read(number, false);
    streams.send(number, b"2", true);
    assert_eq!(data(&reading), ["1", "2"]);
    streams.send(number, b"3", true);
    streams.end(number, Instant::now());
    assert_eq!(data(&reading), ["3", "end"]);
    // What comes after the end is nobody's.
    streams.send(number, b"4", true);
    assert_eq!(data(&reading), ["end"]);
}

#[test]
fn the_first_event_may_be_there_only_for_its_id() {
    let streams = streams();
    let number = streams.begin(true);
    streams.send(number, b"1", true);
    let reading = streams.read(number, false);
    let Poll::Ready(Next::Event(first)) = reading.poll(&mut Task::from_waker(Waker::noop())) else {
        panic!("an event");
    };
    assert_eq!(first, "id: 1-0\nretry: 1000\ndata: \n\n");
    drop(reading);
    let again = streams.resume("1-0").ok().unwrap();
    assert_eq!(next(&again), Some(("1-1".to_owned(), "1".to_owned())));
}

#[test]
fn a_broken_connection_is_taken_up_behind_the_event_that_was_seen() {
    let streams = streams();
    let (one, two) = (streams.begin(false), streams.begin(false));
    for text in ["a", "b", "c"] {
        streams.send(one, text.as_bytes(), true);
        streams.send(two, text.to_uppercase().as_bytes(), true);
    }
    let reading = streams.read(one, false);
    let (first, _) = next(&reading).unwrap();
    assert_eq!(data(&reading), ["b", "c"]);
    drop(reading);
    // Sent while nobody reads.
    streams.send(one, b"d", true);
    streams.end(one, Instant::now());
    let again = streams.resume(&first).ok().unwrap();
    assert_eq!(data(&again), ["b", "c", "d", "end"]);
    // And once more, to the letter.
    let again = streams.resume(&first).ok().unwrap();
    assert_eq!(data(&again), ["b", "c", "d", "end"]);
    // Nothing of it has come on the other stream.
    assert_eq!(data(&streams.read(two, false)), ["A", "B", "C"]);
}

#[test]
fn what_is_no_id_of_an_event_is_unknown() {
    let streams = streams();
    let number = streams.begin(false);
    streams.send(number, b"1", true);
    assert!(streams.resume("1-0").is_ok());
    for id in [
        "", "1", "1-", "-0", "1-1", "2-0", "0-0", "1-00", "+1-0", "1-0 ", "1-0-0", "x-0",
    ] {
        assert_eq!(streams.resume(id).err(), Some(Lost::Unknown), "{id:?}");
    }
}

#[test]
fn a_new_connection_takes_the_place_of_the_one_before() {
    let streams = streams();
    let woken = Arc::<Woken>::default();
    let old = streams.read(UNRELATED, false);
    assert!(
        old.poll(&mut Task::from_waker(&Arc::clone(&woken).into()))
            .is_pending()
    );
    let new = streams.read(UNRELATED, false);
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    streams.send(UNRELATED, b"1", true);
    assert_eq!(data(&old), ["end"]);
    // The old one's end does not concern the new one.
    drop(old);
    assert_eq!(data(&new), ["1"]);
    assert!(
        streams
            .poll_room(UNRELATED, &mut Task::from_waker(Waker::noop()))
            .is_ready()
    );
    // A third one goes on where the second was.
    let third = streams.read(UNRELATED, false);
    streams.send(UNRELATED, b"2", true);
    assert_eq!(data(&third), ["2"]);
}

#[test]
fn a_connection_can_end_before_its_stream() {
    let streams = streams();
    let number = streams.begin(true);
    let reading = streams.read(number, false);
    streams.send(number, b"1", true);
    streams.cut(number);
    assert_eq!(data(&reading), ["", "1", "end"]);
    drop(reading);
    streams.send(number, b"2", true);
    let again = streams.resume("1-1").ok().unwrap();
    assert_eq!(data(&again), ["2"]);
    // Nobody is there to be let go.
    drop(again);
    streams.cut(number);
    let again = streams.resume("1-1").ok().unwrap();
    assert_eq!(data(&again), ["2"]);
    streams.end(number, Instant::now());
    assert_eq!(data(&again), ["end"]);
    // Before there is a connection, it is the first one that ends.
    let number = streams.begin(true);
    streams.cut(number);
    assert_eq!(data(&streams.read(number, false)), ["", "end"]);
    assert!(data(&streams.resume("2-0").ok().unwrap()).is_empty());
}

#[test]
fn there_is_room_while_a_connection_reads() {
    let streams = streams();
    let woken = Arc::<Woken>::default();
    let waker = Arc::clone(&woken).into();
    let mut cx = Task::from_waker(&waker);
    let woken = || woken.0.swap(0, Ordering::SeqCst);
    assert!(streams.poll_room(UNRELATED, &mut cx).is_pending());
    let reading = streams.read(UNRELATED, false);
    assert_eq!(woken(), 1);
    assert!(streams.poll_room(UNRELATED, &mut cx).is_ready());
    // It does not read.
    streams.send(UNRELATED, &vec![b'x'; HIGH_WATER + 1], true);
    assert!(streams.poll_room(UNRELATED, &mut cx).is_pending());
    streams.send(UNRELATED, b"left out", false);
    assert_eq!(data(&reading).len(), 1);
    assert_eq!(woken(), 1);
    assert!(streams.poll_room(UNRELATED, &mut cx).is_ready());
    drop(reading);
    assert!(streams.poll_room(UNRELATED, &mut cx).is_pending());
}

#[test]
fn the_oldest_events_go_when_there_are_too_many() {
    let streams = streams();
    let number = streams.begin(false);
    drop(streams.read(number, false));
    for count in 0..MAX_EVENTS + 2 {
        streams.send(number, count.to_string().as_bytes(), true);
    }
    assert_eq!(streams.resume("1-0").err(), Some(Lost::Evicted));
    let kept = streams.resume("1-1").ok().unwrap();
    let texts = data(&kept);
    assert_eq!((texts.len(), &*texts[0]), (MAX_EVENTS, "2"));
}

#[test]
fn the_oldest_streams_go_when_there_are_too_many() {
    let streams = streams();
    for _ in 0..=MAX_EVENTS {
        let number = streams.begin(false);
        drop(streams.read(number, false));
        streams.send(number, b"the answer", true);
        streams.end(number, Instant::now());
    }
    assert_eq!(streams.resume("1-0").err(), Some(Lost::Unknown));
    assert!(streams.resume("2-0").is_ok());
    assert_eq!(streams.lock().streams.len(), MAX_EVENTS);
}

#[test]
fn bytes_are_bounded_and_the_newest_event_stays_however_large() {
    let streams = streams();
    let number = streams.begin(false);
    drop(streams.read(number, false));
    for _ in 0..10 {
        streams.send(number, &vec![b'x'; MAX_BYTES / 4], true);
    }
    assert!(streams.lock().size.bytes <= MAX_BYTES);
    streams.send(number, &vec![b'y'; 2 * MAX_BYTES], true);
    let kept: Vec<_> = streams.lock().streams[&number]
        .events
        .iter()
        .map(Bytes::len)
        .collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0] > 2 * MAX_BYTES);
    assert_eq!(streams.lock().size.bytes, kept[0]);
}

#[test]
fn what_a_connection_is_about_to_read_is_not_dropped() {
    let streams = streams();
    let (read, lost) = (streams.begin(false), streams.begin(false));
    let reading = streams.read(read, false);
    drop(streams.read(lost, false));
    for count in 0..MAX_EVENTS {
        streams.send(read, count.to_string().as_bytes(), true);
        streams.send(lost, count.to_string().as_bytes(), true);
    }
    // Others go in their place.
    assert_eq!(streams.lock().size.events, 2 * MAX_EVENTS);
    streams.send(lost, b"x", true);
    assert_eq!(streams.lock().size.events, 2 * MAX_EVENTS);
    assert_eq!(data(&reading).len(), MAX_EVENTS);
    // Once it is read, it is no better than others.
    for _ in 0..MAX_EVENTS {
        streams.send(lost, b"x", true);
    }
    assert!(streams.lock().size.events <= MAX_EVENTS);
    assert_eq!(streams.resume("1-0").err(), Some(Lost::Evicted));
}

#[test]
fn streams_that_have_ended_are_forgotten_after_a_while() {
    let streams = streams();
    let now = Instant::now();
    let (ended, open) = (streams.begin(false), streams.begin(false));
    streams.send(ended, b"1", true);
    streams.send(open, b"1", true);
    streams.end(ended, now);
    streams.sweep(now + KEPT - Duration::from_secs(1));
    assert!(streams.resume("1-0").is_ok());
    // Nor while somebody reads it.
    let reading = streams.resume("1-0").ok();
    streams.sweep(now + KEPT);
    assert!(streams.resume("1-0").is_ok());
    drop(reading);
    streams.sweep(now + KEPT);
    assert_eq!(streams.resume("1-0").err(), Some(Lost::Unknown));
    assert!(streams.resume("2-0").is_ok());
    let kept = streams.lock();
    assert_eq!(kept.streams.len(), 1);
    assert_eq!(kept.size, kept.streams[&open].size);
    assert_eq!(kept.size, size(&kept.streams[&open].events[0]));
}

#[test]
fn the_end_of_the_session_is_the_end_of_all_connections() {
    let streams = streams();
    let woken = Arc::<Woken>::default();
    let number = streams.begin(true);
    let reading = streams.read(number, false);
    data(&reading);
    assert!(
        reading
            .poll(&mut Task::from_waker(&Arc::clone(&woken).into()))
            .is_pending()
    );
    streams.close();
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    assert_eq!(data(&reading), ["end"]);
    streams.send(number, b"1", true);
    streams.send(UNRELATED, b"1", true);
    let late = streams.begin(true);
    assert_eq!(data(&streams.read(late, false)), ["end"]);
    assert_eq!(data(&streams.read(UNRELATED, true)), ["end"]);
    let kept = streams.lock();
    assert_eq!((kept.streams.len(), kept.size), (0, Size::default()));
}

/// A call that says a lot while its client is away does not push its answer out.
#[test]
fn what_may_be_left_out_leaves_room_for_the_answer() {
    for message in [&b"x"[..], &[b'x'; 4096]] {
        let streams = streams();
        let number = streams.begin(true);
        drop(streams.read(number, false));
        for _ in 0..4 * MAX_EVENTS {
            streams.send(number, message, false);
        }
        streams.send(number, b"the answer", true);
        streams.end(number, Instant::now());
        let reading = streams.resume("1-0").ok().unwrap();
        let data = data(&reading);
        assert!(data.len() > 60, "{}", data.len());
        assert_eq!(data[data.len() - 2..], ["the answer", "end"]);
    }
}

/// Before the response begins, what it begins with is not thrown away.
#[test]
fn what_is_sent_at_once_is_all_read() {
    let streams = streams();
    let number = streams.begin(false);
    for _ in 0..4 * MAX_EVENTS {
        streams.send(number, b"x", false);
    }
    streams.end(number, Instant::now());
    assert_eq!(data(&streams.read(number, false)).len(), 4 * MAX_EVENTS + 1);
}

/// What a call has said is not pushed out by another one that says more.
#[test]
fn the_stream_with_the_most_events_loses_them() {
    let streams = streams();
    let (quiet, loud) = (streams.begin(true), streams.begin(true));
    drop((streams.read(quiet, false), streams.read(loud, false)));
    streams.send(quiet, b"quiet", true);
    for _ in 0..2 * MAX_EVENTS {
        streams.send(loud, &[b'x'; 4096], true);
    }
    assert!(streams.lock().size.fits(MOST));
    assert_eq!(data(&streams.resume("1-0").ok().unwrap()), ["quiet"]);
    assert_eq!(streams.resume("2-0").err(), Some(Lost::Evicted));
}

/// Cancelled calls that have said nothing.
#[test]
fn streams_of_which_nothing_is_left_are_forgotten_at_once() {
    let streams = streams();
    for read_first in [true, false] {
        let number = streams.begin(false);
        let reading = streams.read(number, false);
        if read_first {
            streams.end(number, Instant::now());
            assert_eq!(data(&reading), ["end"]);
            drop(reading);
        } else {
            drop(reading);
            streams.end(number, Instant::now());
        }
        assert!(streams.lock().streams.is_empty());
    }
}

/// What was read is kept for later from then on, without a further event.
#[test]
fn what_is_read_counts_at_once() {
    let streams = streams();
    let readings: Vec<_> = (0..20)
        .map(|_| {
            let number = streams.begin(false);
            let reading = streams.read(number, false);
            streams.send(number, &vec![b'x'; 2 * MAX_BYTES], true);
            streams.end(number, Instant::now());
            reading
        })
        .collect();
    for reading in &readings {
        assert_eq!(data(reading).len(), 2);
    }
    assert!(streams.lock().size.bytes < 3 * MAX_BYTES);
    assert_eq!(
        streams.all.0.load(Ordering::Relaxed),
        streams.lock().size.bytes
    );
}

#[test]
fn all_sessions_together_have_a_limit() {
    let all = Arc::<Budget>::default();
    let few = MAX_BYTES_OF_ALL / MAX_BYTES + 2;
    let message = vec![b'x'; MAX_BYTES / 8];
    let sessions: Vec<_> = (0..few).map(|_| Arc::new(Streams::within(&all))).collect();
    let kept = || all.0.load(Ordering::Relaxed);
    for streams in &sessions {
        let number = streams.begin(false);
        drop(streams.read(number, false));
        for _ in 0..10 {
            streams.send(number, &message, true);
        }
        let bytes: usize = sessions.iter().map(|s| s.lock().size.bytes).sum();
        assert_eq!(kept(), bytes);
    }
    assert!(kept() <= MAX_BYTES_OF_ALL + MAX_BYTES, "{}", kept());
    // Those that say nothing give their share, too.
    for streams in &sessions {
        streams.sweep(Instant::now());
    }
    assert!(kept() <= MAX_BYTES_OF_ALL, "{}", kept());
    sessions[0].close();
    let before = kept();
    assert_eq!(sessions[0].lock().counted, 0);
    drop(sessions);
    assert_eq!(kept(), 0, "{before}");
}

#[test]
fn a_connection_may_end_with_its_waker() {
    ends(|| {
        let streams = streams();
        let reading = streams.read(UNRELATED, false);
        let last_of_a_call = || {
            let streams = Arc::clone(&streams);
            last_of(AtEnd(move || streams.send(UNRELATED, b"{}", true)))
        };
        let poll = |waker: &Waker| reading.poll(&mut Task::from_waker(waker));
        assert!(poll(&last_of_a_call()).is_pending());
        assert!(poll(Waker::noop()).is_pending());
        assert!(poll(Waker::noop()).is_ready());
        assert!(poll(&last_of_a_call()).is_pending());
        drop(reading);
        assert_eq!(streams.lock().size.events, 2);
    });
}
