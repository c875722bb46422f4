//! Who keeps the claims of tools that run once, and what is wrong with a server that cannot keep them.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use mcp_server::once::{
    ClaimKey, ClaimRefused, Claimed, Finished, GuardError, MemoryGuard, OnceGuard,
};
use mcp_server::prelude::*;
use mcp_server::state::{BoxFuture, Key, KeyRing, Sealing};
use mcp_server::{ToolSet, testing::BodyCount};
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::json;

use crate::support::Confirm;

/// Refunds once an exchange.
#[tool(once)]
async fn refund(order: String, #[elicit("Refund {order}?")] answer: Resolve<Confirm>) -> String {
    format!("{order} refunded: {}", answer.confirm)
}

/// Ships an order once.
#[tool(once = order)]
async fn ship(order: String) -> String {
    format!("{order} shipped")
}

fn builder(bodies: &BodyCount) -> mcp_server::Builder {
    Server::builder("bank", "1.0.0")
        .tools(tools![refund, ship])
        .layer(bodies.clone())
}

#[tokio::test]
async fn a_guard_that_is_full_refuses_and_never_drops_a_live_claim() {
    let bodies = BodyCount::new();
    let server = builder(&bodies)
        .once_guard(MemoryGuard::with_capacity(1))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let (one, two) = (json!({"order": "O-1"}), json!({"order": "O-2"}));
    wire.call("ship", one.clone()).await;
    let full = wire.call("ship", two).await;
    assert!(
        tool_error(&full).contains("cannot take more calls"),
        "{full}"
    );
    let again = wire.call("ship", one).await;
    assert!(tool_error(&again).contains("already done"), "{again}");
    bodies.assert_ran("ship", 1);
}

/// A guard whose store is down.
struct Unreachable;

impl OnceGuard for Unreachable {
    fn claim<'a>(
        &'a self,
        _: &'a ClaimKey,
        _: std::time::SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>> {
        Box::pin(async {
            Err(ClaimRefused::Unavailable(GuardError::new(
                "redis at 10.0.0.7",
            )))
        })
    }

    fn finish<'a>(
        &'a self,
        _: &'a ClaimKey,
        _: Claimed,
        _: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>> {
        Box::pin(async { Ok(()) })
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_guard_that_cannot_tell_refuses() {
    let bodies = BodyCount::new();
    let server = builder(&bodies).once_guard(Unreachable).build().unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.call("ship", json!({"order": "O-1"})).await;
    let error = tool_error(&answer);
    assert!(
        error.starts_with("not done:") && !error.contains("10.0.0.7"),
        "{error}"
    );
    bodies.assert_ran("ship", 0);
}

/// Has nothing to claim.
#[tool(once)]
async fn nothing(order: String) -> String {
    order
}

/// Asks by hand, so no claim can stand before its body.
#[tool(once)]
async fn hand_built(ctx: Context) -> Outcome<String> {
    Outcome::Complete(ctx.name().to_owned())
}

fn faults(tools: ToolSet) -> String {
    let error = Server::builder("bank", "1.0.0").tools(tools).build();
    error.unwrap_err().to_string()
}

#[test]
fn once_without_a_question_or_a_key_is_a_build_fault() {
    let text = faults(tools![nothing]);
    assert!(
        text.contains("tool `nothing`") && text.contains("`once = "),
        "{text}"
    );
    let text = faults(tools![hand_built]);
    assert!(
        text.contains("tool `hand_built`") && text.contains("ctx.claim"),
        "{text}"
    );
}

/// Replicas that open each other's states would each run the body once.
#[test]
fn shared_keys_need_a_shared_guard_or_a_word_that_there_is_one_process() {
    let keys = || Sealing::encrypted(KeyRing::new([Key::generate().unwrap()]).unwrap());
    let bank = || {
        Server::builder("bank", "1.0.0")
            .tools(tools![refund])
            .request_state(keys())
    };
    let text = bank().build().unwrap_err().to_string();
    assert!(
        text.contains("once_guard") && text.contains("single_instance"),
        "{text}"
    );
    bank().single_instance().build().unwrap();
    bank().once_guard(Unreachable).build().unwrap();
    // A key of the tool's own is claimed in one process only, too.
    let ship = || {
        Server::builder("bank", "1.0.0")
            .tools(tools![ship])
            .request_state(keys())
    };
    let text = ship().build().unwrap_err().to_string();
    assert!(text.contains("once_guard"), "{text}");
    ship().single_instance().build().unwrap();
    ship().once_guard(Unreachable).build().unwrap();
    // A key made at start-up is nobody else's.
    Server::builder("bank", "1.0.0")
        .tools(tools![refund])
        .build()
        .unwrap();
}

/// A guard that takes a while over each claim, and writes down how long it is to keep it.
#[derive(Clone, Default)]
struct Slow(Arc<MemoryGuard>, Arc<Mutex<Vec<(ClaimKey, SystemTime)>>>);

impl OnceGuard for Slow {
    fn claim<'a>(
        &'a self,
        key: &'a ClaimKey,
        keep_until: SystemTime,
    ) -> BoxFuture<'a, Result<Claimed, ClaimRefused>> {
        Box::pin(async move {
            self.1.lock().unwrap().push((key.clone(), keep_until));
            let longer = u64::from(key.as_str().ends_with(":taken"));
            tokio::time::sleep(Duration::from_millis(20 + 40 * longer)).await;
            self.0.claim(key, keep_until).await
        })
    }

    fn finish<'a>(
        &'a self,
        key: &'a ClaimKey,
        claimed: Claimed,
        how: Finished,
    ) -> BoxFuture<'a, Result<(), GuardError>> {
        self.0.finish(key, claimed, how)
    }

    fn is_shared(&self) -> bool {
        true
    }
}

/// Claims two keys at once.
#[tool]
async fn claim_two(other: String, ctx: Context) -> String {
    let (taken, other) = tokio::join!(ctx.claim("taken"), ctx.claim(&other));
    format!(
        "{:?} {:?}",
        taken.is_ok(),
        other.err().map(|error| error.to_string())
    )
}

/// The refusal of one claim must not forget another that was won meanwhile: it would never be finished.
#[tokio::test]
async fn claims_at_once_are_each_finished() {
    let server = Server::builder("bank", "1.0.0")
        .tools(tools![claim_two])
        .once_guard(Slow::default())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let first = wire.call("claim_two", json!({"other": "a"})).await;
    assert_eq!(text(&first), "true None");
    let second = wire.call("claim_two", json!({"other": "b"})).await;
    assert_eq!(text(&second), "false None");
    let third = wire.call("claim_two", json!({"other": "b"})).await;
    assert!(text(&third).contains("already done"), "{third}");
}

/// Claims a key that later calls may come with as well.
#[tool]
async fn claim_order(order: String, ctx: Context) -> Result<Outcome<String>, ToolError> {
    if ctx.round() == 1 && order == "asked" {
        return Ok(Outcome::InputRequired(InputRequired::new().state("x")));
    }
    ctx.claim(&order).await?;
    Ok(Outcome::Complete(order))
}

/// An exchange's state ends it, a key of the tool's outlives it: any later call may have it.
#[tokio::test]
async fn a_key_by_hand_is_kept_for_a_lifetime_from_its_claim() {
    let guard = Slow::default();
    let server = Server::builder("bank", "1.0.0")
        .tools(tools![claim_order])
        .once_guard(guard.clone())
        .request_state_lifetime(Duration::from_secs(100))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let asked = json!({"order": "asked"});
    let first = wire.call("claim_order", asked.clone()).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let begin = SystemTime::now();
    let done = wire.retry("claim_order", asked, &first, json!({})).await;
    assert_eq!(text(&done), "asked");
    wire.call("claim_order", json!({"order": "at once"})).await;
    let kept = guard.1.lock().unwrap().clone();
    assert_eq!(kept.len(), 2);
    for (_, until) in kept {
        // The lifetime, and the minute that the clocks of replicas may differ.
        assert!(until >= begin + Duration::from_secs(160), "{until:?}");
    }
}

/// One tool's many calls are no reason to refuse another's.
#[tokio::test]
async fn a_tool_that_has_filled_its_room_leaves_others_theirs() {
    let bodies = BodyCount::new();
    let server = builder(&bodies)
        .once_guard(MemoryGuard::with_capacity(1))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    wire.call("ship", json!({"order": "O-1"})).await;
    let full = wire.call("ship", json!({"order": "O-2"})).await;
    assert!(tool_error(&full).contains("cannot take more"), "{full}");
    let order = json!({"order": "O-1"});
    let first = wire.call("refund", order.clone()).await;
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    let done = wire.retry("refund", order, &first, yes).await;
    assert_eq!(text(&done), "O-1 refunded: true");
}

/// A clone of the process goes on with the same random id and number, so where it sees the same claims, no exchange has its id
/// from them: it would be refused what another one has done.
#[tokio::test]
async fn exchanges_whose_claims_others_see_have_ids_of_their_own() {
    let guard = Slow::default();
    let server = builder(&BodyCount::new())
        .once_guard(guard.clone())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    for order in ["O-1", "O-2"] {
        let order = json!({"order": order});
        let first = wire.call("refund", order.clone()).await;
        wire.retry("refund", order, &first, yes.clone()).await;
    }
    let claimed = guard.1.lock().unwrap();
    let id = |at: usize| claimed[at].0.as_str().rsplit(':').next().unwrap();
    // 16 bytes in base64url. Where they are counted, the second half is that of the process.
    assert_eq!((id(0).len(), id(1).len()), (22, 22));
    assert_ne!(id(0)[11..], id(1)[11..]);
}
