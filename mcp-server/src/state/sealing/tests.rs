//! States through the whole way: sealed for one request, opened for another, at another time, under other keys.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::super::principal::Principal;
use super::super::testing::{Fixture, START, alice, arguments, begun, binding, key, logged, ring};
use super::*;

fn encrypted() -> Fixture {
    Fixture::new(Sealing::encrypted(ring(&[1])))
}

#[test]
fn a_state_comes_back() {
    for sealing in [
        Sealing::encrypted(ring(&[1])),
        Sealing::signed(ring(&[1])),
        Sealing::generated(),
    ] {
        let fixture = Fixture::new(sealing);
        let alice = alice();
        let mut payload = Payload::default();
        payload.flows.insert("signin".into(), "flow-1".into());
        let first = begun(&binding(&alice));
        let seal = |stamp, payload| fixture.states.seal(stamp, payload, &binding(&alice));
        let sealed = seal(first, &payload).unwrap();
        let second = fixture
            .at(START + 599)
            .open(&sealed, &binding(&alice))
            .unwrap();
        assert!(second.payload == payload);
        let stamp = second.stamp;
        assert_eq!(
            (stamp.round, stamp.issued_at, stamp.expires_at),
            (1, START, START + 600)
        );

        // The next round is the same exchange, with a lifetime of its own.
        let sealed = seal(stamp, &second.payload).unwrap();
        let third = fixture
            .at(START + 1_198)
            .open(&sealed, &binding(&alice))
            .unwrap();
        let stamp = third.stamp;
        assert_eq!(
            (stamp.round, stamp.issued_at, stamp.expires_at),
            (2, START + 599, START + 1_199)
        );
        assert_eq!(stamp.exchange, first.exchange);
        assert_eq!(fixture.states.failures().total(), 0);
    }
}

/// B52: whose, which call and which server; and that a completed state is not single use by itself.
#[test]
fn a_state_is_for_one_request() {
    let fixture = encrypted();
    let (alice, bob) = (
        alice(),
        Principal::caller("https://login.example", "bob", Some("desk")),
    );
    let own = binding(&alice);
    let sealed = fixture.sealed_for(&own);
    fixture.refuses(
        &sealed,
        &Binding {
            principal: &bob,
            ..own
        },
        StateError::Principal,
    );
    fixture.refuses(
        &sealed,
        &Binding {
            target: "delete_all",
            ..own
        },
        StateError::RequestBinding,
    );
    fixture.refuses(
        &sealed,
        &Binding {
            method: "prompts/get",
            ..own
        },
        StateError::RequestBinding,
    );
    let other = arguments(r#"{"note_id":"8"}"#);
    fixture.refuses(
        &sealed,
        &Binding {
            arguments: other,
            ..own
        },
        StateError::RequestBinding,
    );
    fixture.refuses(
        &sealed,
        &Binding {
            audience: "orders",
            ..own
        },
        StateError::Audience,
    );
    assert!(fixture.states.open(&sealed, &own).is_ok());
    assert!(fixture.states.open(&sealed, &own).is_ok());
    assert_eq!(fixture.states.failures().total(), 5);
}

#[test]
fn any_change_of_the_principal_is_refused() {
    let fixture = encrypted();
    let principals = [
        Principal::Local,
        Principal::Anonymous,
        alice(),
        Principal::caller("https://login.example", "bob", Some("desk")),
        Principal::caller("https://other.example", "alice", Some("desk")),
        Principal::caller("https://login.example", "alice", Some("phone")),
        Principal::caller("https://login.example", "alice", None),
        Principal::caller("", "", None),
    ];
    for sealer in &principals {
        let sealed = fixture.sealed_for(&binding(sealer));
        for opener in &principals {
            // The same user with a renewed token is an equal value.
            if opener == sealer {
                assert!(
                    fixture
                        .states
                        .open(&sealed, &binding(&opener.clone()))
                        .is_ok()
                );
            } else {
                fixture.refuses(&sealed, &binding(opener), StateError::Principal);
            }
        }
    }
}

#[test]
fn states_expire_to_the_second() {
    let fixture = encrypted();
    let alice = alice();
    let sealed = fixture.sealed_for(&binding(&alice));
    assert!(
        fixture
            .at(START + 599)
            .open(&sealed, &binding(&alice))
            .is_ok()
    );
    fixture.at(START + 600);
    fixture.refuses(&sealed, &binding(&alice), StateError::Expired);
    fixture.at(u64::from(u32::MAX) * 2);
    fixture.refuses(&sealed, &binding(&alice), StateError::Expired);
}

/// The sealing replica's clock may be a minute ahead of ours, not two (B52).
#[test]
fn states_from_the_future_are_refused() {
    let fixture = encrypted();
    let alice = alice();
    let sealed = fixture.sealed_for(&binding(&alice));
    assert!(
        fixture
            .at(START - 60)
            .open(&sealed, &binding(&alice))
            .is_ok()
    );
    for behind in [61, 120, START] {
        fixture.at(START - behind);
        fixture.refuses(&sealed, &binding(&alice), StateError::Future);
    }
}

/// So that an operator may take an expired state as a call that begins again, all else must hold.
#[test]
fn expiry_is_told_only_when_all_else_holds() {
    let fixture = encrypted();
    let alice = alice();
    let own = binding(&alice);
    let sealed = fixture.sealed_for(&own);
    fixture.at(START + 10_000);
    fixture.refuses(
        &sealed,
        &Binding {
            principal: &Principal::Anonymous,
            ..own
        },
        StateError::Principal,
    );
    fixture.refuses(
        &sealed,
        &Binding {
            audience: "orders",
            ..own
        },
        StateError::Audience,
    );
    fixture.refuses(
        &sealed,
        &Binding { target: "x", ..own },
        StateError::RequestBinding,
    );
    fixture.refuses(&sealed, &own, StateError::Expired);
}

#[test]
fn other_keys_and_codecs_are_refused() {
    let alice = alice();
    let own = binding(&alice);
    let sealed = encrypted().sealed_for(&own);
    Fixture::new(Sealing::encrypted(ring(&[2]))).refuses(&sealed, &own, StateError::UnknownKey);
    Fixture::new(Sealing::signed(ring(&[1]))).refuses(&sealed, &own, StateError::Malformed);
    // B53: restarted without a configured key.
    let before = Fixture::new(Sealing::generated()).sealed_for(&own);
    Fixture::new(Sealing::generated()).refuses(&before, &own, StateError::UnknownKey);
    // The same key on another server: told apart by the audience alone.
    encrypted().refuses(
        &sealed,
        &Binding {
            audience: "orders",
            ..own
        },
        StateError::Audience,
    );
}

#[test]
fn every_changed_character_is_refused() {
    let alice = alice();
    for sealing in [Sealing::encrypted(ring(&[1])), Sealing::signed(ring(&[1]))] {
        let fixture = Fixture::new(sealing);
        let sealed = fixture.sealed_for(&binding(&alice));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            let error = fixture.states.open(&changed, &binding(&alice)).unwrap_err();
            let expected = [
                StateError::Seal,
                StateError::UnknownKey,
                StateError::Malformed,
            ];
            assert!(expected.contains(&error), "{at}: {error:?}");
        }
    }
}

#[test]
fn large_states_are_refused_both_ways() {
    let fixture = encrypted();
    let alice = alice();
    let own = binding(&alice);
    let stamp = begun(&own);
    let by_hand = |length| Payload {
        by_hand: Some("x".repeat(length)),
        ..Payload::default()
    };
    let fits = by_hand(MAX_PAYLOAD - 1_000);
    let sealed = fixture.states.seal(stamp, &fits, &own).unwrap();
    assert!(fixture.states.open(&sealed, &own).is_ok());
    assert!(matches!(
        fixture.states.seal(stamp, &by_hand(MAX_PAYLOAD), &own),
        Err(SealError::TooLarge {
            limit: MAX_PAYLOAD,
            ..
        })
    ));
    fixture.refuses(&"v1.".repeat(MAX_SEALED), &own, StateError::Malformed);
}

/// A codec of the application's own is held to the same limits, and trusted with the seal alone.
#[test]
fn custom_codecs_are_checked_around() {
    struct Plain;
    impl StateCodec for Plain {
        fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
            Ok(format!("plain:{}", String::from_utf8_lossy(payload)))
        }
        fn open(&self, sealed: &str) -> Result<Vec<u8>, StateError> {
            assert!(
                sealed.len() <= MAX_SEALED,
                "longer texts do not reach a codec"
            );
            Ok(sealed
                .strip_prefix("plain:")
                .ok_or(StateError::Malformed)?
                .as_bytes()
                .to_vec())
        }
        fn is_readable(&self) -> bool {
            true
        }
    }
    let fixture = Fixture::new(Sealing::codec(Plain));
    let alice = alice();
    let own = binding(&alice);
    let sealed = fixture.sealed_for(&own);
    assert!(fixture.states.open(&sealed, &own).is_ok());
    fixture.refuses(&sealed, &binding(&Principal::Local), StateError::Principal);
    fixture.refuses("plain:{}", &own, StateError::Malformed);
    fixture.refuses(
        &format!("plain:{}", "x".repeat(MAX_PAYLOAD + 1)),
        &own,
        StateError::Malformed,
    );
    fixture.refuses(
        &format!("plain:{}", "x".repeat(MAX_SEALED)),
        &own,
        StateError::Malformed,
    );
    assert!(Sealing::codec(Plain).is_shared());
}

#[test]
fn a_generated_key_is_announced_once() {
    let events = logged(|| {
        Fixture::new(Sealing::default());
    });
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        events[0].contains("restart") && events[0].contains("replica"),
        "{events:?}"
    );
    assert!(!Sealing::default().is_shared());
    let events = logged(|| {
        encrypted();
    });
    assert!(events.is_empty(), "{events:?}");
    assert!(Sealing::encrypted(ring(&[1])).is_shared());
}

#[test]
fn refusals_are_logged_without_the_state() {
    let fixture = encrypted();
    let alice = alice();
    let sealed = fixture.sealed_for(&binding(&alice));
    let events = logged(|| {
        for _ in 0..1_000 {
            let _ = fixture.states.open(&sealed, &binding(&Principal::Local));
        }
    });
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        events[0].contains("reason=\"principal\"") && events[0].contains("tools/call"),
        "{events:?}"
    );
    assert!(
        !events[0].contains(&sealed) && !events[0].contains("alice"),
        "{events:?}"
    );
    assert_eq!(
        fixture.states.failures().count(StateError::Principal),
        1_000
    );
}

#[test]
fn keys_do_not_show() {
    let secret = key(1).to_base64();
    let sealing = Sealing::encrypted(ring(&[1]));
    assert!(!format!("{sealing:?}").contains(&secret));
    assert!(format!("{sealing:?}").contains("redacted"));
}

proptest! {
    #[test]
    fn any_payload_comes_back(by_hand in proptest::option::of(".{0,200}"), name in ".{0,20}", flow in ".{0,20}") {
        let alice = alice();
        let stamp = begun(&binding(&alice));
        let mut payload = Payload { by_hand, ..Payload::default() };
        payload.flows.insert(name, flow);
        let first = Stamp { issued_at: START, expires_at: START + 600, round: 1, ..stamp };
        for fixture in [encrypted(), Fixture::new(Sealing::signed(ring(&[1])))] {
            let sealed = fixture.states.seal(stamp, &payload, &binding(&alice)).unwrap();
            let opened = fixture.states.open(&sealed, &binding(&alice)).unwrap();
            prop_assert!(opened.payload == payload);
            prop_assert!(opened.stamp == first);
        }
    }

    #[test]
    fn the_fuzz_targets_hold(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in ".{0,100}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            super::super::fuzz::open_state(bytes);
            super::super::fuzz::digest_of_arguments(bytes);
        }
    }
}
