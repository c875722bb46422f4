//! Accept, decline and cancel: `Elicit` shows all three to the body, `Resolve` the value alone.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::{
    official::call,
    wire::{Wire, text},
};
use serde_json::{Value, json};

use crate::support::{Amount, Confirm, server};

/// Tells the outcomes apart.
#[tool]
async fn outcome(#[elicit("Go on?")] answer: Elicit<Confirm>) -> String {
    match answer {
        Elicit::Accept(Confirm { confirm }) => format!("accepted with {confirm}"),
        Elicit::Decline => "declined".to_owned(),
        Elicit::Cancel => "closed".to_owned(),
    }
}

/// Takes the value alone.
#[tool]
async fn value(#[elicit("Go on?")] answer: Resolve<Confirm>) -> String {
    format!("accepted with {}", answer.confirm)
}

#[tokio::test]
async fn elicit_shows_the_body_all_three_outcomes() {
    let (server, bodies) = server(tools![outcome]);
    let host = || TestHost::new(&server);
    let accepted = host().answer("answer", json!({"confirm": false}));
    let call_of = async |host: TestHost| call(&host, "outcome", json!({})).await;
    call_of(accepted).await.assert_text("accepted with false");
    call_of(host().decline("answer"))
        .await
        .assert_text("declined");
    call_of(host().cancel("answer")).await.assert_text("closed");
    bodies.assert_ran("outcome", 3);
}

#[tokio::test]
async fn resolve_never_runs_the_body_after_a_refusal_and_has_a_text_for_each() {
    let (server, bodies) = server(tools![value]);
    let declined = call(
        &TestHost::new(&server).decline("answer"),
        "value",
        json!({}),
    )
    .await;
    assert!(declined.is_tool_error());
    assert_eq!(declined.text(), "the user declined; do not ask again");
    let closed = call(&TestHost::new(&server).cancel("answer"), "value", json!({})).await;
    assert!(closed.is_tool_error());
    assert_eq!(closed.text(), "the user closed the form; ask again later");
    bodies.assert_ran("value", 0);
    let host = TestHost::new(&server).answer("answer", json!({"confirm": true}));
    call(&host, "value", json!({}))
        .await
        .assert_text("accepted with true");
    bodies.assert_ran("value", 1);
}

/// A refusal needs no content, and what it has says nothing.
#[tokio::test]
async fn the_content_of_a_refusal_is_ignored() {
    let (server, _) = server(tools![outcome]);
    let mut wire = Wire::open(&server);
    for (response, expected) in [
        (json!({"action": "decline"}), "declined"),
        (json!({"action": "decline", "content": {}}), "declined"),
        (
            json!({"action": "decline", "content": {"confirm": true}}),
            "declined",
        ),
        (
            json!({"action": "decline", "content": {"x": 1}}),
            "declined",
        ),
        (json!({"action": "cancel", "content": null}), "closed"),
        (json!({"action": "cancel", "content": 7}), "closed"),
    ] {
        let first = wire.call("outcome", json!({})).await;
        let last = wire
            .retry("outcome", json!({}), &first, json!({"answer": response}))
            .await;
        assert_eq!(text(&last), expected, "{response}");
    }
}

/// Pays a refund; a large one must be released first.
#[tool]
async fn refund(
    cents: u64,
    #[resolve((cents > 15_000).then(|| Ask::form("It is above the limit. Release it?")))]
    release: Elicit<Option<Confirm>>,
) -> String {
    match release {
        Elicit::Accept(None) => "paid unasked".to_owned(),
        Elicit::Accept(Some(Confirm { confirm: true })) => "released".to_owned(),
        Elicit::Accept(Some(_)) | Elicit::Decline => "held".to_owned(),
        Elicit::Cancel => "held for now".to_owned(),
    }
}

#[tokio::test]
async fn a_conditional_question_is_none_when_nothing_had_to_be_asked() {
    let (server, _) = server(tools![refund]);
    let host = TestHost::new(&server).answer("release", json!({"confirm": true}));
    let small = call(&host, "refund", json!({"cents": 100})).await;
    small.assert_text("paid unasked");
    small.assert_asked([]);
    assert_eq!(small.rounds, 1);
    let large = call(&host, "refund", json!({"cents": 20_000})).await;
    large.assert_text("released");
    large.assert_asked(["release"]);
    let declined = call(
        &TestHost::new(&server).decline("release"),
        "refund",
        json!({"cents": 20_000}),
    )
    .await;
    declined.assert_text("held");
    let closed = call(
        &TestHost::new(&server).cancel("release"),
        "refund",
        json!({"cents": 20_000}),
    )
    .await;
    closed.assert_text("held for now");
}

/// A client that cannot show forms can still be served where nothing has to be asked.
#[tokio::test]
async fn a_conditional_question_needs_its_capability_only_when_it_is_asked() {
    let (server, _) = server(tools![refund]);
    let host = TestHost::new(&server).can_ask([]);
    call(&host, "refund", json!({"cents": 100}))
        .await
        .assert_text("paid unasked");
    call(&host, "refund", json!({"cents": 20_000}))
        .await
        .assert_rpc_error(-32021);
}

/// A resolver that has the value, has none, or fails.
#[tool]
async fn look_up(
    sku: String,
    #[resolve(find(&sku))] amount: Resolve<Option<Amount>>,
) -> Result<String, ToolError> {
    Ok(format!(
        "{:?}",
        amount.into_inner().map(|found| found.amount)
    ))
}

fn find(sku: &str) -> Result<Ask<Option<Amount>>, ToolError> {
    match sku {
        "known" => Ok(Ask::ready(Some(Amount { amount: 5 }))),
        "none" => Ok(Ask::ready(None)),
        "ask" => Ok(Ask::form("How many?").map(Some)),
        _ => Err(ToolError::new(format!("there is no article {sku}"))),
    }
}

#[tokio::test]
async fn a_resolver_gives_a_value_a_question_or_an_error() {
    let (server, bodies) = server(tools![look_up]);
    let host = TestHost::new(&server).answer("amount", json!({"amount": 8}));
    let run = async |sku: &str| call(&host, "look_up", json!({"sku": sku})).await;
    run("known").await.assert_text("Some(5)");
    run("none").await.assert_text("None");
    run("ask").await.assert_text("Some(8)");
    bodies.assert_ran("look_up", 3);
    let failed = run("bogus").await;
    failed.assert_tool_error("there is no article bogus");
    failed.assert_asked([]);
    bodies.assert_ran("look_up", 3);
}

/// `resultType` stands on every result.
#[tokio::test]
async fn the_result_type_is_always_written() {
    let (server, _) = server(tools![outcome]);
    let mut wire = Wire::open(&server);
    let first = wire.call("outcome", json!({})).await;
    assert_eq!(first["result"]["resultType"], "input_required");
    let last = wire
        .retry(
            "outcome",
            json!({}),
            &first,
            json!({"answer": {"action": "cancel"}}),
        )
        .await;
    assert_eq!(last["result"]["resultType"], "complete");
    // Nobody may keep a question, so it carries no hint of how long.
    assert_eq!(first["result"].get("ttlMs"), None);
    assert_eq!(first["result"].get("cacheScope"), None::<&Value>);
}
