//! Who keeps the claims of tools that run once, and what is wrong with a server that cannot keep them.

use mcp_server::once::{
    ClaimKey, ClaimRefused, Claimed, Finished, GuardError, MemoryGuard, OnceGuard,
};
use mcp_server::prelude::*;
use mcp_server::state::{BoxFuture, Key, KeyRing, Sealing};
use mcp_server::{ToolSet, testing::BodyCount};
use mcp_tests::wire::{Wire, tool_error};
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
    Outcome::Complete(ctx.tool_name().to_owned())
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
    // A key made at start-up is nobody else's.
    Server::builder("bank", "1.0.0")
        .tools(tools![refund])
        .build()
        .unwrap();
}
