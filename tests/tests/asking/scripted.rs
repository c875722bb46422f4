//! The scripted host itself: it fails a test in words that say what to do.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use serde_json::json;

use crate::support::{Amount, Confirm, server};

/// Asks for an amount.
#[tool]
async fn ask(#[elicit("How many?")] amount: Resolve<Amount>) -> String {
    format!("{}", amount.amount)
}

/// Asks to open a page.
#[tool]
async fn go(
    #[resolve(Ask::url("Go there.", "https://shop.example/"))] done: Elicit<Confirm>,
) -> String {
    format!("{done:?}")
}

async fn called(
    tool: &str,
    script: impl FnOnce(TestHost) -> TestHost,
) -> mcp_server::testing::TestCall {
    let (server, _) = server(tools![ask, go]);
    script(TestHost::new(&server)).call(tool, json!({})).await
}

#[tokio::test]
#[should_panic(
    expected = "the script has no answer under \"amount\", where the server asks \"How many?\""
)]
async fn a_question_without_an_answer() {
    called("ask", |host| host).await;
}

#[tokio::test]
#[should_panic(expected = "the answer scripted under \"amount\" does not fit its form")]
async fn an_answer_that_does_not_fit() {
    called("ask", |host| host.answer("amount", json!({"amount": 99}))).await;
}

#[tokio::test]
#[should_panic(expected = "\"amount\" is a form; script it with `.answer(\"amount\", ..)`")]
async fn consent_to_a_form() {
    called("ask", |host| host.agree("amount")).await;
}

#[tokio::test]
#[should_panic(expected = "\"done\" is a page to open; script it with `.agree(\"done\")`")]
async fn an_answer_to_a_page() {
    called("go", |host| host.answer("done", json!({"confirm": true}))).await;
}

#[tokio::test]
#[should_panic(expected = "the questions were [\"amount\"], expected [\"other\"]")]
async fn other_questions_than_expected() {
    let call = called("ask", |host| host.answer("amount", json!({"amount": 1}))).await;
    call.assert_asked(["other"]);
}

#[tokio::test]
#[should_panic(expected = "the tool failed: the user declined; do not ask again")]
async fn an_error_where_a_text_was_expected() {
    let call = called("ask", |host| host.decline("amount")).await;
    call.assert_text("1");
}

#[tokio::test]
#[should_panic(expected = "the call was answered with -32021")]
async fn another_error_than_expected() {
    let call = called("ask", |host| host.can_ask([])).await;
    call.assert_rpc_error(-32602);
}

#[tokio::test]
async fn each_call_begins_the_script_anew_and_the_last_answer_is_given_again() {
    let (server, bodies) = server(tools![ask]);
    let unfit = json!({"action": "accept", "content": {"amount": 99}});
    let host = TestHost::new(&server)
        .respond("amount", unfit.clone())
        .respond("amount", unfit)
        .answer("amount", json!({"amount": 2}));
    for ran in [1, 2] {
        let call = host.call("ask", json!({})).await;
        call.assert_text("2");
        call.assert_asked(["amount", "amount", "amount"]);
        let rounds: Vec<u32> = call.questions.iter().map(|asked| asked.round).collect();
        assert_eq!(rounds, [1, 2, 3]);
        assert_eq!(call.rounds, 4);
        bodies.assert_ran("ask", ran);
    }
    let host = TestHost::new(&server).decline("amount").decline("amount");
    let call = host.call("ask", json!({})).await;
    call.assert_tool_error("declined");
    let schema = call.question("amount").schema.as_ref().unwrap();
    assert!(schema.is_required("amount"));
    // The recording has both directions, as they were.
    let wire = host.wire();
    let sent = wire
        .iter()
        .filter(|entry| entry.direction == mcp_server::testing::Direction::Sent)
        .count();
    // The client's own look at the server comes first.
    assert_eq!((sent, wire.len()), (3, 6));
}

#[tokio::test]
async fn all_answers_are_used_where_the_questions_are_asked() {
    let call = called("ask", |host| host.answer("amount", json!({"amount": 1}))).await;
    call.assert_all_used();
}

#[tokio::test]
#[should_panic(
    expected = "the script has more than was asked for: 1 of 2 answers under \"amount\" were given, 0 of 1 answers under \"other\" were given"
)]
async fn answers_that_nobody_asked_for() {
    let call = called("ask", |host| {
        host.answer("amount", json!({"amount": 1}))
            .decline("amount")
            .decline("other")
    })
    .await;
    call.assert_all_used();
}

#[tokio::test]
async fn a_failing_script_names_the_place_of_its_call() {
    let (server, _) = server(tools![ask]);
    let failed = tokio::spawn(async move {
        let host = TestHost::new(&server);
        host.call("ask", json!({})).await
    });
    let panic = failed.await.unwrap_err().into_panic();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("the call at tests/asking/scripted.rs:")
            || text.contains("the call at tests/tests/asking/scripted.rs:"),
        "{text}"
    );
}
