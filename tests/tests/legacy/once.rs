//! What runs once, on a call whose questions are asked while it is open.

use std::{sync::Arc, time::Duration};

use mcp_server::{prelude::*, testing::BodyCount};
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

use crate::support::{ASKING, Confirm, connect};

/// Lets a test look into a body and hold it.
#[derive(Debug)]
struct Gate {
    begun: Semaphore,
    go_on: Notify,
    finished: Semaphore,
}

/// Refunds once an exchange.
#[tool(once)]
async fn refund(order: String, #[elicit("Refund {order}?")] answer: Resolve<Confirm>) -> String {
    format!("{order} refunded: {}", answer.confirm)
}

/// Takes its time, once.
#[tool(once)]
async fn slow(gate: State<Gate>, #[elicit("Go on?")] answer: Resolve<Confirm>) -> String {
    gate.begun.add_permits(1);
    gate.go_on.notified().await;
    gate.finished.add_permits(1);
    format!("done: {}", answer.confirm)
}

/// Ships an order once, after asking.
#[tool(once = order)]
async fn ship(order: String, #[elicit("Ship {order}?")] answer: Resolve<Confirm>) -> String {
    format!("{order} shipped: {}", answer.confirm)
}

/// Claims by hand, and asks when it has.
#[tool]
async fn by_hand(order: String, ctx: Context) -> Result<Outcome<String>, ToolError> {
    ctx.claim(format!("{order}/{}", ctx.round())).await?;
    match ctx.input_responses().form::<Confirm>("confirm")? {
        Some(answer) => Ok(Outcome::Complete(format!("{order} {answer:?}"))),
        None => Ok(Outcome::InputRequired(
            InputRequired::new().form::<Confirm>("confirm", "Well?"),
        )),
    }
}

fn bank() -> (Server, Arc<Gate>, BodyCount) {
    let gate = Arc::new(Gate {
        begun: Semaphore::new(0),
        go_on: Notify::new(),
        finished: Semaphore::new(0),
    });
    let bodies = BodyCount::new();
    let server = Server::builder("bank", "1.0.0")
        .shared_state(gate.clone())
        .tools(tools![refund, slow, ship, by_hand])
        .layer(bodies.clone())
        .drain_grace(Duration::from_millis(20))
        .build()
        .unwrap();
    (server, gate, bodies)
}

/// Calls a tool and answers its question.
async fn call(wire: &mut Wire, tool: &str, arguments: Value, answer: Value) -> Value {
    wire.begin("tools/call", json!({"name": tool, "arguments": arguments}))
        .await;
    let asked = wire.expect_request("elicitation/create").await;
    wire.answer(&asked, answer).await;
    wire.receive().await
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

/// Each call asks anew, so each consent is one of its own.
#[tokio::test]
async fn each_call_is_an_exchange_of_its_own() {
    let (server, _, bodies) = bank();
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        let order = json!({"order": "O-1"});
        for _ in 0..2 {
            let answer = call(&mut wire, "refund", order.clone(), yes()).await;
            assert_eq!(text(&answer), "O-1 refunded: true");
        }
        let answer = call(&mut wire, "refund", order, json!({"action": "decline"})).await;
        assert_eq!(tool_error(&answer), "the user declined; do not ask again");
    }
    bodies.assert_ran("refund", 4);
}

#[tokio::test]
async fn a_key_is_claimed_for_all_clients_and_revisions() {
    let (server, _, bodies) = bank();
    let order = json!({"order": "O-1"});
    let mut wire = connect(&server, "2025-06-18").await;
    let answer = call(&mut wire, "ship", order.clone(), yes()).await;
    assert_eq!(text(&answer), "O-1 shipped: true");
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        let answer = call(&mut wire, "ship", order.clone(), yes()).await;
        assert!(tool_error(&answer).contains("already done"), "{answer}");
    }
    bodies.assert_ran("ship", 1);
}

/// What a round has claimed ends with the round, as it does where rounds are requests: the call can be given up again.
#[tokio::test]
async fn a_question_after_a_claim_can_be_given_up() {
    let (server, _, _) = bank();
    let mut wire = connect(&server, "2025-11-25").await;
    let order = json!({"order": "O-1"});
    let answer = call(&mut wire, "by_hand", order, yes()).await;
    assert_eq!(text(&answer), "O-1 Accept(Confirm { confirm: true })");
    let params = json!({"name": "by_hand", "arguments": {"order": "O-2"}});
    let id = wire.begin("tools/call", params).await;
    let asked = wire.expect_request("elicitation/create").await;
    wire.cancel(id).await;
    let taken_back = wire.receive().await;
    assert_eq!(taken_back["params"]["requestId"], asked["id"]);
    wire.assert_silent(Duration::from_millis(30)).await;
}

/// The effect may be under way, so the body goes on; nobody waits for what it says.
#[tokio::test]
async fn a_claimed_body_is_never_dropped() {
    let (server, gate, bodies) = bank();
    let mut wire = connect(&server, "2025-11-25").await;
    for ends in [false, true] {
        let id = wire.begin("tools/call", json!({"name": "slow"})).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(&asked, yes()).await;
        gate.begun.acquire().await.unwrap().forget();
        if ends {
            wire.close_input().await;
        } else {
            wire.cancel(id).await;
            wire.assert_silent(Duration::from_millis(50)).await;
        }
        assert_eq!(gate.finished.available_permits(), 0);
        gate.go_on.notify_one();
        gate.finished.acquire().await.unwrap().forget();
    }
    bodies.assert_ran("slow", 2);
    wire.served().await.unwrap();
}
