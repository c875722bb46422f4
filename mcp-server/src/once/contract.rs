//! What any guard must do, as a test suite: run it against your own.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::{ClaimKey, ClaimRefused, Claimed, Finished, OnceGuard};

const CONCURRENT: usize = 64;

/// How long the claims live that must expire. Shared stores keep time in milliseconds.
const SHORT: Duration = Duration::from_millis(50);

/// How long the suite waits for one to expire before it says that it never does.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 5_000 });

/// Runs the whole contract. `make` gives an empty guard, or another handle on a shared one: each check has keys of its own.
///
/// Run it on a multi-threaded runtime with the real clock (not paused), which gives races a chance.
///
/// ```
/// # #[tokio::main] async fn main() {
/// mcp_server::once::contract::verify_guard(mcp_server::once::MemoryGuard::new).await;
/// # }
/// ```
///
/// # Panics
/// On the first breach, with what was expected.
pub async fn verify_guard<G: OnceGuard + 'static>(make: impl Fn() -> G) {
    one_of_many_wins(make()).await;
    a_claim_in_flight_is_told(&make()).await;
    a_done_claim_is_told(&make()).await;
    a_failed_claim_is_told(&make()).await;
    keys_are_independent(&make()).await;
    expiry_frees(&make()).await;
    finishing_nothing_is_harmless(&make()).await;
    a_late_finish_is_harmless(&make()).await;
}

async fn one_of_many_wins<G: OnceGuard + 'static>(guard: G) {
    let guard = Arc::new(guard);
    let key = key("race");
    let start = Arc::new(Barrier::new(CONCURRENT));
    let mut tasks = JoinSet::new();
    for _ in 0..CONCURRENT {
        let (guard, key, start) = (guard.clone(), key.clone(), start.clone());
        tasks.spawn(async move {
            start.wait().await;
            guard.claim(&key, later()).await
        });
    }
    let results = tasks.join_all().await;
    let winners = results.iter().filter(|result| result.is_ok()).count();
    assert!(
        winners == 1,
        "of {CONCURRENT} concurrent claims on one key exactly one must win, but {winners} did"
    );
    for refused in results.into_iter().filter_map(Result::err) {
        assert!(
            refused == ClaimRefused::StillRunning,
            "a claim that lost the race must be refused as still running, but was refused as: {refused}"
        );
    }
}

async fn a_claim_in_flight_is_told(guard: &impl OnceGuard) {
    let key = key("in-flight");
    let _claimed = win(guard, &key, later()).await;
    refuses(guard, &key, &ClaimRefused::StillRunning, "in flight").await;
    refuses(
        guard,
        &key,
        &ClaimRefused::StillRunning,
        "in flight, asked again",
    )
    .await;
}

async fn a_done_claim_is_told(guard: &impl OnceGuard) {
    let key = key("done");
    let claimed = win(guard, &key, later()).await;
    finish(guard, &key, claimed, Finished::Done).await;
    refuses(guard, &key, &ClaimRefused::AlreadyDone, "done").await;
}

async fn a_failed_claim_is_told(guard: &impl OnceGuard) {
    let key = key("failed");
    let claimed = win(guard, &key, later()).await;
    finish(guard, &key, claimed, Finished::Failed).await;
    refuses(guard, &key, &ClaimRefused::Failed, "failed").await;
    refuses(guard, &key, &ClaimRefused::Failed, "failed, asked again").await;
}

async fn keys_are_independent(guard: &impl OnceGuard) {
    let (one, two) = (key("one"), key("two"));
    let first = win(guard, &one, later()).await;
    let _second = win(guard, &two, later()).await;
    finish(guard, &one, first, Finished::Done).await;
    refuses(
        guard,
        &two,
        &ClaimRefused::StillRunning,
        "in flight while another key was finished",
    )
    .await;
    refuses(
        guard,
        &one,
        &ClaimRefused::AlreadyDone,
        "done while another key is in flight",
    )
    .await;
}

async fn expiry_frees(guard: &impl OnceGuard) {
    for end in [None, Some(Finished::Done), Some(Finished::Failed)] {
        let key = key(&format!("expiry-{end:?}"));
        let claimed = win(guard, &key, SystemTime::now() + SHORT).await;
        if let Some(how) = end {
            finish(guard, &key, claimed, how).await;
        }
        let _again = win_after_expiry(guard, &key).await;
    }
}

async fn finishing_nothing_is_harmless(guard: &impl OnceGuard) {
    let key = key("unknown");
    finish(guard, &key, Claimed::new(1), Finished::Done).await;
    let _claimed = win(guard, &key, later()).await;
}

async fn a_late_finish_is_harmless(guard: &impl OnceGuard) {
    let key = key("late");
    let late = win(guard, &key, SystemTime::now() + SHORT).await;
    let next = win_after_expiry(guard, &key).await;
    assert!(
        next != late,
        "two claims on one key must have different numbers, but both have {}",
        next.number()
    );
    finish(guard, &key, late, Finished::Done).await;
    refuses(
        guard,
        &key,
        &ClaimRefused::StillRunning,
        "claimed anew after an earlier claim on it expired",
    )
    .await;
    finish(guard, &key, next, Finished::Done).await;
    refuses(guard, &key, &ClaimRefused::AlreadyDone, "done").await;
}

async fn win(guard: &impl OnceGuard, key: &ClaimKey, until: SystemTime) -> Claimed {
    match guard.claim(key, until).await {
        Ok(claimed) => claimed,
        Err(refused) => panic!("a free key must be claimed, but {key} was refused as: {refused}"),
    }
}

async fn win_after_expiry(guard: &impl OnceGuard, key: &ClaimKey) -> Claimed {
    tokio::time::sleep(SHORT).await;
    let started = SystemTime::now();
    loop {
        match guard.claim(key, later()).await {
            Ok(claimed) => return claimed,
            Err(refused) => assert!(
                started.elapsed().is_ok_and(|elapsed| elapsed < PATIENCE),
                "an expired key must be free, but {key} is still refused {PATIENCE:?} later as: {refused}"
            ),
        }
        tokio::time::sleep(SHORT / 5).await;
    }
}

async fn refuses(guard: &impl OnceGuard, key: &ClaimKey, expected: &ClaimRefused, what: &str) {
    match guard.claim(key, later()).await {
        Ok(_) => panic!("a key that is {what} must be refused, but {key} was claimed"),
        Err(refused) => assert!(
            refused == *expected,
            "a key that is {what} must be refused as `{expected}`, but {key} was refused as `{refused}`"
        ),
    }
}

async fn finish(guard: &impl OnceGuard, key: &ClaimKey, claimed: Claimed, how: Finished) {
    if let Err(error) = guard.finish(key, claimed, how).await {
        panic!("finishing {key} must be harmless, but gave: {error}");
    }
}

/// Keys of this run alone, for a store that other runs share.
fn key(name: &str) -> ClaimKey {
    let run = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    ClaimKey::new(
        "once_contract",
        format!("{name}-{}-{run}", std::process::id()),
    )
}

fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(60)
}

#[cfg(test)]
mod tests;
