//! A call does not ask for ever: the server's own limit, and a question's.

use mcp_server::prelude::*;
use mcp_server::testing::{BodyCount, TestHost};
use mcp_tests::official::call;
use serde_json::json;

use crate::support::{Confirm, server};

/// Waits for a page that nobody finishes.
#[tool]
async fn endless(
    #[resolve(Ask::url("Sign in.", "https://shop.example/in"))] done: Resolve<Confirm>,
) -> String {
    format!("{}", done.confirm)
}

/// Waits for it a few times only.
#[tool]
async fn patient(
    #[resolve(Ask::url("Sign in.", "https://shop.example/in").at_most(3))] done: Elicit<Confirm>,
) -> String {
    format!("{done:?}")
}

#[tokio::test]
async fn the_rounds_of_a_call_are_counted_up_to_the_servers_limit() {
    let (server, bodies) = server(tools![endless]);
    let host = TestHost::new(&server).agree("done");
    let ended = call(&host, "endless", json!({})).await;
    ended.assert_tool_error("16 times, which is the server's limit");
    assert_eq!(ended.questions.len(), 16);
    assert_eq!(ended.rounds, 17);
    bodies.assert_ran("endless", 0);

    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![endless])
        .max_rounds(2)
        .layer(bodies.clone())
        .build()
        .unwrap();
    let host = TestHost::new(&server).agree("done");
    let ended = call(&host, "endless", json!({})).await;
    ended.assert_tool_error("2 times, which is the server's limit");
    assert_eq!(ended.rounds, 3);
    bodies.assert_ran("endless", 0);
}

/// An abandoned flow ends with words of its own: it is neither a decline nor a cancel, also where the body would see
/// those.
#[tokio::test]
async fn a_question_that_was_shown_often_enough_ends_the_call_in_its_own_words() {
    let (server, bodies) = server(tools![patient]);
    let host = TestHost::new(&server).agree("done");
    let ended = call(&host, "patient", json!({})).await;
    ended.assert_tool_error("`done` was shown 3 times");
    ended.assert_asked(["done", "done", "done"]);
    assert_eq!(ended.rounds, 4);
    let text = ended.text();
    assert!(
        !text.contains("declined") && !text.contains("closed"),
        "{text}"
    );
    // A flow belongs to one call, so finishing this one now leads nowhere.
    assert!(
        text.contains("call again to begin anew") && !text.contains("finish"),
        "{text}"
    );
    bodies.assert_ran("patient", 0);
}

/// Asks a form that the client keeps on getting wrong.
#[tool]
async fn strict(#[resolve(Ask::form("Go on?").at_most(2))] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

#[tokio::test]
async fn asking_again_for_an_unfit_answer_counts_too() {
    let (server, _) = server(tools![strict]);
    let host = TestHost::new(&server).respond("answer", json!({"action": "accept"}));
    let ended = call(&host, "strict", json!({})).await;
    ended.assert_tool_error("`answer` was shown 2 times");
    ended.assert_asked(["answer", "answer"]);
}

/// Says which round it is.
#[tool]
async fn count(
    ctx: Context,
    #[elicit("Go on?")] first: Elicit<Confirm>,
    #[elicit("And on, after {first:?}?")] second: Elicit<Confirm>,
) -> String {
    drop((first, second));
    format!("round {}", ctx.round())
}

#[tokio::test]
async fn a_call_knows_its_round() {
    let (server, _) = server(tools![count]);
    let host = TestHost::new(&server).decline("first").cancel("second");
    call(&host, "count", json!({})).await.assert_text("round 3");
}

/// A type that never reads what its form takes.
#[derive(Debug, JsonSchema, Form)]
struct Unreadable {
    /// How many?
    count: i64,
}

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Err(serde::de::Error::custom("never"))
    }
}

/// Asks for it, but not for ever.
#[tool]
async fn unreadable(
    #[resolve(Ask::form("How many?").at_most(3))] answer: Elicit<Unreadable>,
) -> String {
    format!("{answer:?}")
}

#[tokio::test]
async fn asking_again_for_an_answer_that_does_not_decode_counts_too() {
    let (server, _) = server(tools![unreadable]);
    let host = TestHost::new(&server).answer("answer", json!({"count": 1}));
    let ended = call(&host, "unreadable", json!({})).await;
    ended.assert_tool_error("`answer` was shown 3 times");
    ended.assert_asked(["answer", "answer", "answer"]);
}
