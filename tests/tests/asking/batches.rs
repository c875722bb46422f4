//! Questions that do not depend on each other go out together; one that mentions another waits for it.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::official::call;
use serde_json::json;

use crate::support::{Amount, Confirm, Note, server};

/// Packs a parcel.
#[tool]
async fn pack(
    #[elicit("How many?")] amount: Resolve<Amount>,
    #[elicit("A note for the parcel?")] note: Elicit<Note>,
    #[elicit("Really {}?", amount.amount)] confirm: Elicit<Confirm>,
) -> String {
    let note = match note {
        Elicit::Accept(Note { note }) => note,
        Elicit::Decline => Some("declined".to_owned()),
        Elicit::Cancel => Some("closed".to_owned()),
    };
    format!("{} {note:?} {confirm:?}", amount.amount)
}

#[tokio::test]
async fn independent_questions_share_a_round_and_dependent_ones_wait() {
    let (server, bodies) = server(tools![pack]);
    let host = TestHost::new(&server)
        .answer("amount", json!({"amount": 2}))
        .decline("note")
        .answer("confirm", json!({"confirm": true}));
    let call = call(&host, "pack", json!({})).await;
    call.assert_asked(["amount", "note", "confirm"]);
    let rounds: Vec<u32> = call.questions.iter().map(|asked| asked.round).collect();
    assert_eq!(rounds, [1, 1, 2]);
    assert_eq!(call.question("confirm").message, "Really 2?");
    call.assert_text(r#"2 Some("declined") Accept(Confirm { confirm: true })"#);
    bodies.assert_ran("pack", 1);
}

#[tokio::test]
async fn one_unfit_answer_of_a_batch_does_not_cost_the_others() {
    let (server, _) = server(tools![pack]);
    let unfit = json!({"action": "accept", "content": {"amount": 99}});
    let host = TestHost::new(&server)
        .respond("amount", unfit)
        .answer("amount", json!({"amount": 3}))
        .answer("note", json!({"note": "hi"}))
        .answer("confirm", json!({"confirm": false}));
    let call = call(&host, "pack", json!({})).await;
    call.assert_asked(["amount", "note", "amount", "confirm"]);
    call.assert_text(r#"3 Some("hi") Accept(Confirm { confirm: false })"#);
}

/// A refusal of one question ends the call before the others are answered.
#[tokio::test]
async fn a_refusal_that_ends_the_call_does_so_at_once() {
    let (server, bodies) = server(tools![pack]);
    let host = TestHost::new(&server)
        .decline("amount")
        .answer("note", json!({}));
    let call = call(&host, "pack", json!({})).await;
    call.assert_tool_error("the user declined; do not ask again");
    call.assert_asked(["amount", "note"]);
    bodies.assert_ran("pack", 0);
}
