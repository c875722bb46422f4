//! Keys that change while the server runs.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use super::super::error::StateError;
use super::super::key::Key;
use super::super::principal::Principal;
use super::super::sealing::Sealing;
use super::super::source::{BoxFuture, Keys};
use super::super::testing::{Fixture, START, alice, binding, key, logged, ring};
use super::super::verify::Binding;
use super::*;

fn encrypted() -> Fixture {
    Fixture::new(Sealing::encrypted(ring(&[1])))
}

fn sealed_at_start(fixture: &Fixture, binding: &Binding<'_>) -> String {
    fixture.at(START);
    fixture.sealed_for(binding)
}

/// A file of this test's own, removed at its end.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(content: &str) -> Self {
        let name = super::super::random_id().unwrap();
        let file = Self(std::env::temp_dir().join(format!("mcp-server-keys-{name}")));
        file.write(content, 0);
        file
    }

    /// Writes the file; each `version` is a second later than the one before, for file systems that count in seconds.
    fn write(&self, content: &str, version: u64) {
        std::fs::write(&self.0, content).unwrap();
        let changed = UNIX_EPOCH + Duration::from_secs(START + version);
        std::fs::File::options()
            .append(true)
            .open(&self.0)
            .unwrap()
            .set_modified(changed)
            .unwrap();
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn a_key_file_is_read_again() {
    let (old, new) = (key(1).to_base64(), key(2).to_base64());
    let file = TemporaryFile::new(&format!("# state keys\n{old}\n"));
    let fixture = Fixture::new(Sealing::encrypted(Keys::file(&file.0).unwrap()));
    let alice = alice();
    let own = binding(&alice);
    let first = fixture.sealed_for(&own);
    assert!(encrypted().states.open(&first, &own).is_ok());

    // Within the same second nobody looks.
    file.write(&format!("{new}\n{old}\n"), 1);
    block_on(fixture.states.refresh());
    assert!(
        encrypted()
            .states
            .open(&fixture.sealed_for(&own), &own)
            .is_ok()
    );

    let events = logged(|| block_on(fixture.at(START + 1).refresh()));
    assert!(
        events.len() == 1 && events[0].contains("INFO"),
        "{events:?}"
    );
    let second = fixture.sealed_for(&own);
    encrypted().refuses(&second, &own, StateError::UnknownKey);
    assert!(fixture.states.open(&second, &own).is_ok());
    assert!(
        fixture.states.open(&first, &own).is_ok(),
        "the old key still opens"
    );

    file.write(&new, 2);
    block_on(fixture.at(START + 2).refresh());
    fixture.refuses(&first, &own, StateError::UnknownKey);
    assert!(fixture.states.open(&second, &own).is_ok());
}

#[test]
fn a_bad_key_file_keeps_the_last_good_ring() {
    let good = key(1).to_base64();
    let file = TemporaryFile::new(&good);
    let fixture = Fixture::new(Sealing::encrypted(Keys::file(&file.0).unwrap()));
    let alice = alice();
    let own = binding(&alice);
    let sealed = fixture.sealed_for(&own);
    let twice = format!("{good},{good}");
    for (version, content) in ["", "short", &twice, "0000"].into_iter().enumerate() {
        let second = version as u64 + 1;
        file.write(content, second);
        let events = logged(|| {
            block_on(fixture.at(START + second).refresh());
            // Told once a change, not once a look.
            block_on(fixture.at(START + second + 1).refresh());
        });
        assert!(
            events.len() == 1 && events[0].contains("ERROR"),
            "{content}: {events:?}"
        );
        assert!(fixture.states.open(&sealed, &own).is_ok(), "{content}");
        fixture.at(START + second);
    }
    std::fs::remove_file(&file.0).unwrap();
    let events = logged(|| block_on(fixture.at(START + 20).refresh()));
    assert!(
        events.len() == 1 && events[0].contains("cannot be read"),
        "{events:?}"
    );
    assert!(fixture.states.open(&sealed, &own).is_ok());

    file.write(&key(2).to_base64(), 30);
    block_on(fixture.at(START + 30).refresh());
    fixture.refuses(&sealed, &own, StateError::UnknownKey);
}

#[test]
fn key_files_and_variables_fail_early() {
    let error = Keys::file("/nowhere/state-keys").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the key file /nowhere/state-keys cannot be read: "),
        "{error}"
    );
    let file = TemporaryFile::new("# no key yet\n");
    assert_eq!(Keys::file(&file.0).unwrap_err(), KeyError::Empty);
    let error = Keys::env("MCP_SERVER_TEST_NOT_SET").unwrap_err();
    assert_eq!(
        error,
        KeyError::Variable {
            name: "MCP_SERVER_TEST_NOT_SET".into()
        }
    );
    // `cargo` sets this one, and it is no key.
    assert!(matches!(
        Keys::env("CARGO_PKG_NAME").unwrap_err(),
        KeyError::At { position: 1, .. }
    ));
}

/// An asynchronous source: pending at first, then with one key more each time; it fails the third time.
struct Remote(AtomicU64);

impl KeySource for Remote {
    fn load(&self) -> BoxFuture<'_, Result<Vec<Key>, KeyError>> {
        Box::pin(async {
            tokio::task::yield_now().await;
            match self.0.fetch_add(1, Ordering::Relaxed) {
                2 => Err(KeyError::Source("the vault is sealed".into())),
                time => Ok((0..=time).rev().map(key).collect()),
            }
        })
    }

    fn refresh_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }
}

#[test]
fn asynchronous_sources_are_refreshed() {
    let fixture = Fixture::new(Sealing::encrypted(
        block_on(Keys::load(Remote(AtomicU64::new(0)))).unwrap(),
    ));
    let opener = Fixture::new(Sealing::encrypted(ring(&[0])));
    let local = Principal::Local;
    let own = binding(&local);
    block_on(fixture.at(START + 59).refresh());
    assert!(
        opener
            .states
            .open(&sealed_at_start(&fixture, &own), &own)
            .is_ok()
    );
    // A refresh that was dropped half way does not block the next.
    {
        let states = fixture.at(START + 60);
        let mut refresh = Box::pin(states.refresh());
        let waker = std::task::Waker::noop();
        assert!(
            refresh
                .as_mut()
                .poll(&mut std::task::Context::from_waker(waker))
                .is_pending()
        );
    }
    block_on(fixture.at(START + 120).refresh());
    let two = Fixture::new(Sealing::encrypted(ring(&[1])));
    assert!(
        two.states
            .open(&sealed_at_start(&fixture, &own), &own)
            .is_ok()
    );
    let events = logged(|| block_on(fixture.at(START + 180).refresh()));
    assert!(
        events.len() == 1 && events[0].contains("the vault is sealed"),
        "{events:?}"
    );
    assert!(
        two.states
            .open(&sealed_at_start(&fixture, &own), &own)
            .is_ok()
    );
}
