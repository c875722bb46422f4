//! One consent, one execution: `once`, `once = key` and `ctx.claim`, with their texts.

use std::{sync::Arc, time::Duration};

use mcp_server::TimeLimit;
use mcp_server::prelude::*;
use mcp_server::testing::BodyCount;
use mcp_tests::wire::{Wire, asked, retry_params, text, tool_error};
use serde_json::{Value, json};

use crate::support::{Confirm, Gate};

/// Refunds once an exchange.
#[tool(once)]
async fn refund(order: String, #[elicit("Refund {order}?")] answer: Resolve<Confirm>) -> String {
    format!("{order} refunded: {}", answer.confirm)
}

/// Refunds once an exchange, whatever the answer is.
#[tool(once)]
async fn settle(order: String, #[elicit("Settle {order}?")] answer: Elicit<Confirm>) -> String {
    format!("{order} {answer:?}")
}

/// Fails in its own way.
#[tool(once)]
async fn fail(
    how: String,
    #[elicit("Go on?")] answer: Resolve<Confirm>,
) -> Result<String, ToolError> {
    assert!(answer.confirm);
    match how.as_str() {
        "panic" => panic!("on purpose, at /srv/secret"),
        _ => Err(ToolError::new("the bank is closed")),
    }
}

/// Takes its time.
#[tool(once)]
async fn slow(gate: State<Gate>, #[elicit("Go on?")] answer: Resolve<Confirm>) -> String {
    gate.pass().await;
    format!("done: {}", answer.confirm)
}

/// Ships an order once.
#[tool(once = order)]
async fn ship(order: String) -> String {
    format!("{order} shipped")
}

/// Ships an order once, after asking.
#[tool(once = format!("{order}/{part}"))]
async fn ship_part(
    order: String,
    part: u32,
    #[elicit("Ship part {part} of {order}?")] answer: Resolve<Confirm>,
) -> String {
    format!("{order}/{part} shipped: {}", answer.confirm)
}

/// Claims by hand.
#[tool]
async fn by_hand(order: String, ctx: Context) -> Result<String, ToolError> {
    ctx.claim(&order).await?;
    if order == "bad" {
        return Err(ToolError::new("the bank is closed"));
    }
    Ok(format!("{order} paid"))
}

fn builder(gate: &Arc<Gate>, bodies: &BodyCount) -> mcp_server::Builder {
    Server::builder("bank", "1.0.0")
        .shared_state(gate.clone())
        .tools(tools![refund, settle, fail, slow, ship, ship_part, by_hand])
        .layer(bodies.clone())
}

fn bank() -> (Server, Arc<Gate>, BodyCount) {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = builder(&gate, &bodies).build().unwrap();
    (server, gate, bodies)
}

fn yes() -> Value {
    json!({"answer": {"action": "accept", "content": {"confirm": true}}})
}

fn no() -> Value {
    json!({"answer": {"action": "decline"}})
}

const STILL_RUNNING: &str = "still running";
const ALREADY_DONE: &str = "already done";
const FAILED: &str = "failed: call again and the person is asked anew";
const KEY_FAILED: &str = "failed before: it may have had its effect; check before trying again";

#[tokio::test]
async fn the_same_answers_do_not_run_the_body_again() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    let first = wire.call("refund", order.clone()).await;
    let done = wire.retry("refund", order.clone(), &first, yes()).await;
    assert_eq!(text(&done), "O-1 refunded: true");
    let again = wire.retry("refund", order.clone(), &first, yes()).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    bodies.assert_ran("refund", 1);
    // Another exchange about the same thing is another consent.
    let first = wire.call("refund", order.clone()).await;
    let done = wire.retry("refund", order, &first, yes()).await;
    assert_eq!(text(&done), "O-1 refunded: true");
    bodies.assert_ran("refund", 2);
}

/// A person who said no must not find that the host asked on with the same state.
#[tokio::test]
async fn a_refusal_uses_the_exchange_up_whether_the_body_sees_it_or_not() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    let first = wire.call("refund", order.clone()).await;
    let declined = wire.retry("refund", order.clone(), &first, no()).await;
    assert_eq!(tool_error(&declined), "the user declined; do not ask again");
    let turned = wire.retry("refund", order.clone(), &first, yes()).await;
    assert!(tool_error(&turned).contains(ALREADY_DONE), "{turned}");
    bodies.assert_ran("refund", 0);

    let first = wire.call("settle", order.clone()).await;
    let declined = wire.retry("settle", order.clone(), &first, no()).await;
    assert_eq!(text(&declined), "O-1 Decline");
    let turned = wire.retry("settle", order, &first, yes()).await;
    assert!(tool_error(&turned).contains(ALREADY_DONE), "{turned}");
    bodies.assert_ran("settle", 1);
}

#[tokio::test]
async fn while_it_runs_a_second_one_is_told_so() {
    let (server, gate, bodies) = bank();
    let mut wire = Wire::open(&server);
    let first = wire.call("slow", json!({})).await;
    let params = retry_params("slow", json!({}), &first, yes());
    let running = wire.begin("tools/call", params.clone()).await;
    gate.begun().await;
    let second = wire.request("tools/call", params.clone()).await;
    assert!(tool_error(&second).contains(STILL_RUNNING), "{second}");
    gate.go_on.notify_one();
    let done = wire.receive().await;
    assert_eq!(done["id"], running);
    assert_eq!(text(&done), "done: true");
    let third = wire.request("tools/call", params).await;
    assert!(tool_error(&third).contains(ALREADY_DONE), "{third}");
    bodies.assert_ran("slow", 1);
}

#[tokio::test]
async fn a_body_that_failed_or_panicked_is_not_run_again_with_the_same_answers() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    for (ran, how) in [(1, "error"), (3, "panic")] {
        let arguments = json!({"how": how});
        let first = wire.call("fail", arguments.clone()).await;
        let failed = wire.retry("fail", arguments.clone(), &first, yes()).await;
        let error = tool_error(&failed);
        assert!(
            !error.contains("purpose") && !error.contains("/srv"),
            "{error}"
        );
        let again = wire.retry("fail", arguments.clone(), &first, yes()).await;
        assert_eq!(tool_error(&again), FAILED);
        bodies.assert_ran("fail", ran);
        // As the text says: a new call asks anew, and runs.
        let anew = wire.call("fail", arguments.clone()).await;
        assert_eq!(asked(&anew), ["answer"]);
        wire.retry("fail", arguments, &anew, yes()).await;
        bodies.assert_ran("fail", ran + 1);
    }
}

/// The claim would otherwise be in flight for ever, and nobody could tell whether the effect happened.
#[tokio::test]
async fn a_claimed_body_survives_a_cancel_and_sends_nothing() {
    let (server, gate, _) = bank();
    let mut wire = Wire::open(&server);
    let first = wire.call("slow", json!({})).await;
    let params = retry_params("slow", json!({}), &first, yes());
    let id = wire.begin("tools/call", params.clone()).await;
    gate.begun().await;
    wire.cancel(id).await;
    wire.assert_silent(Duration::from_millis(100)).await;
    assert_eq!(gate.finished.get(), 0);
    gate.go_on.notify_one();
    gate.finished(1).await;
    wire.assert_silent(Duration::from_millis(100)).await;
    let again = wire.request("tools/call", params).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
}

#[tokio::test]
async fn a_claimed_body_survives_a_disconnect() {
    let (server, gate, _) = bank();
    let mut wire = Wire::open(&server);
    let first = wire.call("slow", json!({})).await;
    let params = retry_params("slow", json!({}), &first, yes());
    wire.begin("tools/call", params.clone()).await;
    gate.begun().await;
    drop(wire);
    tokio::time::sleep(Duration::from_millis(100)).await;
    gate.go_on.notify_one();
    gate.finished(1).await;
    let mut wire = Wire::open(&server);
    let again = wire.request("tools/call", params).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
}

/// An unclaimed body is dropped where it waits.
#[tokio::test]
async fn a_time_limit_waits_for_a_claimed_body() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = builder(&gate, &bodies)
        .layer(TimeLimit::new(Duration::from_millis(50)))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let first = wire.call("slow", json!({})).await;
    let params = retry_params("slow", json!({}), &first, yes());
    wire.begin("tools/call", params).await;
    gate.begun().await;
    wire.assert_silent(Duration::from_millis(200)).await;
    gate.go_on.notify_one();
    assert_eq!(text(&wire.receive().await), "done: true");
    bodies.assert_ran("slow", 1);
}

#[tokio::test]
async fn a_key_is_claimed_whether_or_not_anything_was_asked() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    assert_eq!(text(&wire.call("ship", order.clone()).await), "O-1 shipped");
    let again = wire.call("ship", order).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    assert_eq!(
        text(&wire.call("ship", json!({"order": "O-2"})).await),
        "O-2 shipped"
    );
    bodies.assert_ran("ship", 2);

    let part = json!({"order": "O-1", "part": 1});
    let first = wire.call("ship_part", part.clone()).await;
    let done = wire.retry("ship_part", part.clone(), &first, yes()).await;
    assert_eq!(text(&done), "O-1/1 shipped: true");
    // A new exchange with a new consent: the key is spent all the same.
    let first = wire.call("ship_part", part.clone()).await;
    assert_eq!(asked(&first), ["answer"]);
    let again = wire.retry("ship_part", part, &first, yes()).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    bodies.assert_ran("ship_part", 1);
}

/// Whoever declines has shipped nothing: the key stays free.
#[tokio::test]
async fn a_refusal_does_not_spend_the_key() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    let part = json!({"order": "O-7", "part": 1});
    let first = wire.call("ship_part", part.clone()).await;
    let declined = wire.retry("ship_part", part.clone(), &first, no()).await;
    assert_eq!(tool_error(&declined), "the user declined; do not ask again");
    let first = wire.call("ship_part", part.clone()).await;
    let done = wire.retry("ship_part", part, &first, yes()).await;
    assert_eq!(text(&done), "O-7/1 shipped: true");
    bodies.assert_ran("ship_part", 1);
}

#[tokio::test]
async fn a_key_is_free_again_after_the_set_period() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = builder(&gate, &bodies)
        .once_period(Duration::from_millis(1500))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    wire.call("ship", order.clone()).await;
    let again = wire.call("ship", order.clone()).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    tokio::time::sleep(Duration::from_millis(1600)).await;
    assert_eq!(text(&wire.call("ship", order).await), "O-1 shipped");
    bodies.assert_ran("ship", 2);
}

#[tokio::test]
async fn by_hand_a_claim_stands_just_before_the_effect() {
    let (server, _, _) = bank();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    assert_eq!(text(&wire.call("by_hand", order.clone()).await), "O-1 paid");
    let again = wire.call("by_hand", order).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    let bad = json!({"order": "bad"});
    let failed = wire.call("by_hand", bad.clone()).await;
    assert_eq!(tool_error(&failed), "the bank is closed");
    // Nobody is asked anew about a key, so nobody is told so.
    let again = wire.call("by_hand", bad).await;
    assert!(tool_error(&again).starts_with(KEY_FAILED), "{again}");
    // The keys of different tools never meet.
    assert_eq!(
        text(&wire.call("ship", json!({"order": "O-1"})).await),
        "O-1 shipped"
    );
}

/// Needs two answers.
#[tool(once)]
async fn refund_twice_confirmed(
    order: String,
    #[elicit("Refund {order}?")] answer: Resolve<Confirm>,
    #[elicit("Really, after {answer:?}?")] again: Resolve<Confirm>,
) -> String {
    format!("{order} refunded: {} {}", answer.confirm, again.confirm)
}

/// All states of an exchange are of that exchange: an earlier one does not buy a second run.
#[tokio::test]
async fn an_earlier_state_of_the_same_exchange_is_spent_with_it() {
    let bodies = BodyCount::new();
    let server = Server::builder("bank", "1.0.0")
        .tools(tools![refund_twice_confirmed])
        .layer(bodies.clone())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let tool = "refund_twice_confirmed";
    let order = json!({"order": "O-1"});
    let really = || json!({"again": {"action": "accept", "content": {"confirm": true}}});
    let first = wire.call(tool, order.clone()).await;
    let second = wire.retry(tool, order.clone(), &first, yes()).await;
    let done = wire.retry(tool, order.clone(), &second, really()).await;
    assert_eq!(text(&done), "O-1 refunded: true true");
    let from_first = wire.retry(tool, order.clone(), &first, yes()).await;
    let again = wire.retry(tool, order.clone(), &from_first, really()).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    let declined = wire.retry(tool, order, &first, no()).await;
    assert!(tool_error(&declined).contains(ALREADY_DONE), "{declined}");
    bodies.assert_ran(tool, 1);
}

/// A double click, or a client that retries too eagerly: of many at once, on many connections and threads, one runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_at_once_one_runs() {
    let (server, _, bodies) = bank();
    let mut wire = Wire::open(&server);
    for round in 1..=10 {
        let order = json!({"order": format!("O-{round}")});
        let first = wire.call("refund", order.clone()).await;
        let params = retry_params("refund", order, &first, yes());
        let calls: Vec<_> = (0..16)
            .map(|_| {
                let (server, params) = (server.clone(), params.clone());
                tokio::spawn(async move { Wire::open(&server).request("tools/call", params).await })
            })
            .collect();
        let mut done = 0;
        for call in calls {
            let answer = call.await.unwrap();
            if answer["result"].get("isError").is_none() {
                done += 1;
            } else {
                let error = tool_error(&answer);
                assert!(
                    error.contains(ALREADY_DONE) || error.contains(STILL_RUNNING),
                    "{error}"
                );
            }
        }
        assert_eq!(done, 1);
        bodies.assert_ran("refund", round);
    }
}

/// Fails after it has claimed its key.
#[tool(once = order)]
async fn fail_to_ship(order: String) -> Result<String, ToolError> {
    Err(ToolError::new(format!("no carrier takes {order}")))
}

#[tokio::test]
async fn a_key_that_failed_says_so_in_words_of_its_own() {
    let server = Server::builder("bank", "1.0.0")
        .tools(tools![fail_to_ship])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    let failed = wire.call("fail_to_ship", order.clone()).await;
    assert_eq!(tool_error(&failed), "no carrier takes O-1");
    for _ in 0..2 {
        let again = wire.call("fail_to_ship", order.clone()).await;
        assert!(tool_error(&again).starts_with(KEY_FAILED), "{again}");
    }
}

/// What is meant to be kept for ever is kept as long as the clock can count.
#[tokio::test]
async fn a_period_may_be_for_ever() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let server = builder(&gate, &bodies)
        .once_period(Duration::MAX)
        .request_state_lifetime(Duration::MAX)
        .drain_grace(Duration::MAX)
        .claimed_grace(Duration::MAX)
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let order = json!({"order": "O-1"});
    for (tool, done) in [("ship", "O-1 shipped"), ("by_hand", "O-1 paid")] {
        assert_eq!(text(&wire.call(tool, order.clone()).await), done);
        let again = wire.call(tool, order.clone()).await;
        assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    }
    let first = wire.call("refund", order.clone()).await;
    let done = wire.retry("refund", order.clone(), &first, yes()).await;
    assert_eq!(text(&done), "O-1 refunded: true");
    let again = wire.retry("refund", order, &first, yes()).await;
    assert!(tool_error(&again).contains(ALREADY_DONE), "{again}");
    // The end of the connection computes with the grace periods.
    wire.close_input().await;
    wire.served().await.unwrap();
}

#[test]
fn periods_too_short_to_mean_anything_are_build_faults() {
    let (gate, bodies) = (Gate::new(), BodyCount::new());
    let error = builder(&gate, &bodies)
        .once_period(Duration::ZERO)
        .request_state_lifetime(Duration::from_millis(900))
        .build()
        .unwrap_err();
    let texts: Vec<&str> = error.faults().iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("request_state_lifetime"), "{texts:?}");
    assert!(texts[1].contains("once_period"), "{texts:?}");
}
