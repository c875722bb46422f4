#![allow(clippy::unwrap_used)]

use std::{
    sync::atomic::AtomicUsize,
    task::{Context as Task, Poll, Wake, Waker},
    time::Instant,
};

use super::{
    super::subscriber::{Change, End},
    *,
};
use crate::waking::testing::{AtEnd, ends, last_of};

/// Counts how often it was woken.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Bell {
    fn rung(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn wait(&self, times: usize) {
        let begin = Instant::now();
        while self.rung() < times {
            assert!(begin.elapsed() < Duration::from_secs(10), "nobody was told");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

fn filter(lists: Lists, uris: &[&str]) -> Filter {
    Filter {
        lists,
        uris: uris.iter().map(|&uri| uri.into()).collect(),
    }
}

fn poll(subscriber: &Subscriber, bell: &Arc<Bell>, room: Poll<()>) -> (Poll<End>, Vec<String>) {
    let waker = Waker::from(Arc::clone(bell));
    let mut told = Vec::new();
    let end = subscriber.poll(&mut Task::from_waker(&waker), room, &mut |change| {
        told.push(match change {
            Change::List(method) => method.to_owned(),
            Change::Resource(uri) => uri.to_owned(),
        });
    });
    (end, told)
}

const READY: Poll<()> = Poll::Ready(());

#[test]
fn changes_that_follow_each_other_are_told_once_and_the_last_is_told() {
    let hub = Arc::new(Hub::new(10));
    let bell = Arc::default();
    let subscriber = hub.join(1, filter(Lists::TOOLS, &["a:1", "a:2"])).unwrap();
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, vec![]));
    for _ in 0..200 {
        hub.change(|changes| {
            changes.lists = Lists::TOOLS.with(Lists::PROMPTS, true);
            changes.uris.insert("a:2".into());
            changes.uris.insert("b:1".into());
        });
    }
    bell.wait(1);
    let told = vec!["notifications/tools/list_changed".into(), "a:2".into()];
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, told));
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, vec![]));
    // One that comes after they were told is told as well.
    let before = bell.rung();
    hub.change(|changes| changes.lists = Lists::TOOLS);
    bell.wait(before + 1);
    let told = vec!["notifications/tools/list_changed".to_owned()];
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, told));
}

#[test]
fn changes_wait_for_a_client_that_does_not_read() {
    let hub = Arc::new(Hub::new(10));
    let bell = Arc::default();
    let subscriber = hub.join(1, filter(Lists::TOOLS, &["a:1"])).unwrap();
    assert_eq!(poll(&subscriber, &bell, Poll::Pending).1, [""; 0]);
    for round in 1..4 {
        hub.change(|changes| {
            changes.lists = Lists::TOOLS;
            changes.uris.insert("a:1".into());
        });
        bell.wait(round);
        assert_eq!(poll(&subscriber, &bell, Poll::Pending).1, [""; 0]);
    }
    let told = ["notifications/tools/list_changed", "a:1"];
    assert_eq!(poll(&subscriber, &bell, READY).1, told);
}

#[test]
fn whoever_has_given_up_hears_of_nothing_and_its_place_is_taken_again() {
    let hub = Arc::new(Hub::new(2));
    let bell = Arc::default();
    let first = hub.join(1, filter(Lists::TOOLS, &[])).unwrap();
    let second = hub.join(2, filter(Lists::TOOLS, &[])).unwrap();
    let refused = hub.join(3, filter(Lists::TOOLS, &[])).unwrap_err();
    assert_eq!(refused, Refused::Full(2));
    assert!(poll(&first, &bell, READY).0.is_pending());
    hub.change(|changes| changes.lists = Lists::TOOLS);
    bell.wait(1);
    first.give_up();
    // Twice is once.
    first.give_up();
    assert_eq!(
        poll(&first, &bell, READY),
        (Poll::Ready(End::GivenUp), vec![])
    );
    assert_eq!(hub.listening(), 1);
    let third = hub.join(3, filter(Lists::TOOLS, &[])).unwrap();
    assert_eq!(hub.listening(), 2);
    first.give_up();
    assert_eq!(hub.listening(), 2, "a place that is somebody else's by now");
    second.give_up();
    third.give_up();
    assert_eq!(hub.listening(), 0);
    assert!(hub.places().taken.is_empty());
}

#[test]
fn a_hub_that_closes_ends_all_after_what_they_have_not_heard() {
    let hub = Arc::new(Hub::new(10));
    let bell = Arc::default();
    let subscriber = hub.join(1, filter(Lists::PROMPTS, &[])).unwrap();
    assert!(poll(&subscriber, &bell, READY).0.is_pending());
    hub.change(|changes| changes.lists = Lists::PROMPTS);
    bell.wait(1);
    hub.close();
    let told = vec!["notifications/prompts/list_changed".to_owned()];
    assert_eq!(
        poll(&subscriber, &bell, Poll::Pending),
        (Poll::Ready(End::Closed), told)
    );
    let refused = hub.join(2, filter(Lists::PROMPTS, &[])).unwrap_err();
    assert_eq!(refused, Refused::Closed);
}

#[test]
fn where_nobody_listens_nothing_is_kept() {
    let hub = Arc::new(Hub::new(10));
    hub.change(|_| panic!("nobody wants to know"));
    let subscriber = hub.join(1, filter(Lists::TOOLS, &[])).unwrap();
    subscriber.give_up();
    hub.change(|_| panic!("nobody wants to know any more"));
}

#[test]
fn a_listener_may_end_with_its_waker() {
    ends(|| {
        let hub = Arc::new(Hub::new(10));
        let subscriber = hub.join(1, filter(Lists::TOOLS, &[])).unwrap();
        let listening = Arc::clone(&subscriber);
        let waker = last_of(AtEnd(move || listening.give_up()));
        let poll = |waker: &Waker| {
            let mut cx = Task::from_waker(waker);
            subscriber.poll(&mut cx, READY, &mut |_| {})
        };
        assert!(poll(&waker).is_pending());
        drop(waker);
        assert!(poll(Waker::noop()).is_pending());
        assert_eq!(poll(Waker::noop()), Poll::Ready(End::GivenUp));
    });
}

#[test]
fn changes_from_many_threads_reach_everyone_once_at_least() {
    let hub = Arc::new(Hub::new(1000));
    let bell: Arc<Bell> = Arc::default();
    let uris: Vec<String> = (0..8).map(|n| format!("a:{n}")).collect();
    let names: Vec<&str> = uris.iter().map(String::as_str).collect();
    let everyone: Vec<_> = (0..100)
        .map(|n| hub.join(n, filter(Lists::TOOLS, &names)).unwrap())
        .collect();
    for subscriber in &everyone {
        assert!(poll(subscriber, &bell, READY).0.is_pending());
    }
    thread::scope(|scope| {
        for uri in &uris {
            scope.spawn(|| {
                for _ in 0..100 {
                    hub.change(|changes| {
                        changes.uris.insert(uri.as_str().into());
                    });
                }
            });
        }
    });
    bell.wait(everyone.len());
    // The last moment may still be under way.
    while hub.changes().scheduled {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(PAUSE);
    for subscriber in &everyone {
        assert_eq!(poll(subscriber, &bell, READY).1, names);
    }
}

#[cfg(feature = "legacy")]
#[test]
fn resources_come_and_go_while_others_have_changed() {
    let hub = Arc::new(Hub::new(10));
    let bell = Arc::default();
    let subscriber = hub.join(1, filter(Lists::TOOLS, &[])).unwrap();
    let many: Vec<String> = (0..130).map(|n| format!("a:{n}")).collect();
    for uri in &many {
        assert!(subscriber.add(uri) && subscriber.add(uri));
    }
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, vec![]));
    let change = |uris: &[&str]| {
        let before = bell.rung();
        hub.change(|changes| changes.uris.extend(uris.iter().map(|&uri| uri.into())));
        bell.wait(before + 1);
    };
    change(&["a:1", "a:70", "a:129", "b:1"]);
    // Those that have changed are told under their own names, wherever the others went.
    subscriber.remove("a:0");
    subscriber.remove("%61:70");
    assert!(subscriber.add("b:1"));
    let told = vec!["a:1".into(), "a:129".into()];
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, told));
    change(&["a:0", "a:70", "b:1"]);
    let told = vec!["b:1".into()];
    assert_eq!(poll(&subscriber, &bell, READY), (Poll::Pending, told));
}

#[cfg(feature = "legacy")]
#[test]
fn a_subscription_has_an_end() {
    let hub = Arc::new(Hub::new(10));
    let subscriber = hub.join(1, filter(Lists::TOOLS, &[])).unwrap();
    assert!((0..1024).all(|n| subscriber.add(&format!("a:{n}"))));
    assert!(!subscriber.add("a:1024"));
    subscriber.remove("a:7");
    assert!(subscriber.add("a:1024"));
    subscriber.remove("a:8");
    assert!(!subscriber.add(&"x".repeat(256 * 1024)));
}

#[cfg(feature = "legacy")]
#[test]
fn a_client_may_let_go_of_resources_and_ask_again_before_it_reads() {
    let hub = Arc::new(Hub::new(10));
    let change = |subscriber: &Subscriber, uri: &str| {
        let mut changes = Changes::default();
        changes.uris.insert(uri.into());
        subscriber.changed(&changes);
    };
    // 65 resources need a word of bits more than 64.
    let subscriber = hub.join(1, filter(Lists::default(), &[])).unwrap();
    assert!((0..65).all(|n| subscriber.add(&format!("a:{n}"))));
    change(&subscriber, "a:64");
    subscriber.remove("a:0");
    assert!(subscriber.add("a:64"));
    assert_eq!(poll(&subscriber, &Arc::default(), READY).1, ["a:64"]);
    // And none needs none.
    let subscriber = hub.join(2, filter(Lists::default(), &["a:1"])).unwrap();
    change(&subscriber, "a:1");
    subscriber.remove("a:1");
    assert!(!subscriber.add(&"x".repeat(256 * 1024 + 1)));
    assert_eq!(poll(&subscriber, &Arc::default(), READY).1, [""; 0]);
}

#[cfg(feature = "legacy")]
mod model {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Act {
        /// So many resources from there on.
        Add(u16, u16),
        Remove(u16, u16),
        Change(Vec<u16>),
        Read,
    }

    /// Around where a word of bits is full.
    fn count() -> impl Strategy<Value = u16> {
        prop_oneof![0..4u16, 62..67u16, 126..131u16]
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            (0..4u16, count()).prop_map(|(first, count)| Act::Add(first, count)),
            (count(), count()).prop_map(|(first, count)| Act::Remove(first, count)),
            prop::collection::vec(0..140u16, 0..8).prop_map(Act::Change),
            Just(Act::Read),
        ]
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_a_plain_list_says(acts in prop::collection::vec(act(), 0..24)) {
            let hub = Arc::new(Hub::new(1));
            let subscriber = hub.join(1, filter(Lists::default(), &[])).unwrap();
            let mut list: Vec<(String, bool)> = Vec::new();
            let name = |n: u16| format!("a:{n}");
            for act in acts.into_iter().chain([Act::Read]) {
                match act {
                    Act::Add(first, count) => for uri in (first..first + count).map(name) {
                        prop_assert!(subscriber.add(&uri));
                        if !list.iter().any(|(known, _)| *known == uri) {
                            list.push((uri, false));
                        }
                    },
                    Act::Remove(first, count) => for uri in (first..first + count).map(name) {
                        subscriber.remove(&uri);
                        list.retain(|(known, _)| *known != uri);
                    },
                    Act::Change(of) => {
                        let mut changes = Changes::default();
                        changes.uris.extend(of.into_iter().map(|n| name(n).into()));
                        subscriber.changed(&changes);
                        for (uri, has_changed) in &mut list {
                            *has_changed |= changes.uris.contains(uri.as_str());
                        }
                    }
                    Act::Read => {
                        let (_, told) = poll(&subscriber, &Arc::default(), READY);
                        let mut expected = Vec::new();
                        for (uri, has_changed) in &mut list {
                            if std::mem::take(has_changed) {
                                expected.push(uri.clone());
                            }
                        }
                        prop_assert_eq!(told, expected);
                    }
                }
            }
        }
    }
}
