//! Marker parameters: what questions see, when they are asked, and what the body gets.

use std::collections::BTreeMap;

use mcp_server::prelude::*;
use serde_json::json;

use crate::host::{host, none, serving};

#[derive(Deserialize, JsonSchema, Form, Debug, Clone, PartialEq)]
struct Confirm {
    /// Check to go on.
    confirm: bool,
}

struct Notes(BTreeMap<String, String>);

impl Notes {
    fn title(&self, id: &str) -> Result<&str, ToolError> {
        let title = self.0.get(id).map(String::as_str);
        title.ok_or_else(|| ToolError::new(format!("there is no note {id}")))
    }
}

fn notes() -> Notes {
    Notes(BTreeMap::from([(
        "n1".to_owned(),
        "Ham\u{202e}\u{7}let".to_owned(),
    )]))
}

/// Deletes a note.
#[tool(destructive)]
async fn delete(
    id: &str,
    notes: State<Notes>,
    #[elicit("Delete {id} ('{}', {0:>width$}, {:.*})?", notes.title(id)?, 1, 2.55, width = 8)]
    answer: Elicit<Confirm>,
) -> Result<String, ToolError> {
    Ok(format!("{} {answer:?}", notes.title(id)?))
}

fn with_notes(tools: mcp_server::ToolSet) -> Server {
    Server::builder("tests", "1.0.0")
        .state(notes())
        .tools(tools)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_message_shows_arguments_without_control_characters() {
    let host = serving(
        with_notes(tools![delete]),
        json!({"answer": {"confirm": true}}),
    )
    .await;
    let text = host.text("delete", json!({"id": "n1"})).await;
    assert!(
        text.ends_with("Accept(Confirm { confirm: true })"),
        "{text}"
    );
    let messages = host.messages();
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].starts_with("Delete n1 ('Hamlet'"),
        "{messages:?}"
    );
    assert!(
        messages[0].ends_with("2.5)?") || messages[0].ends_with("2.6)?"),
        "{messages:?}"
    );
    assert!(!messages[0].contains(['\u{202e}', '\u{7}']));
}

/// Pays an amount.
#[tool]
async fn pay(
    amount: u32,
    width: usize,
    #[elicit("Pay {amount:>width$}?")] answer: Elicit<Confirm>,
) -> bool {
    matches!(answer, Elicit::Accept(_))
}

#[tokio::test]
async fn a_width_may_be_an_argument_that_nothing_else_mentions() {
    let host = serving(
        with_notes(tools![pay]),
        json!({"answer": {"confirm": true}}),
    )
    .await;
    let text = host.text("pay", json!({"amount": 7, "width": 4})).await;
    assert_eq!(text, "true");
    // `Shown` keeps the width and leaves the alignment to the value: numbers stand right by themselves.
    assert_eq!(host.messages(), ["Pay    7?"]);
}

#[tokio::test]
async fn an_error_in_a_question_ends_the_call_before_anyone_is_asked() {
    let host = serving(with_notes(tools![delete]), none()).await;
    assert_eq!(
        host.error("delete", json!({"id": "n2"})).await,
        "there is no note n2"
    );
    assert_eq!(host.asked(), []);
}

async fn first(text: &str, ctx: &Context) -> Result<Ask<Confirm>, ToolError> {
    std::future::ready(()).await;
    Ok(Ask::form(format!("first {text} {}", ctx.name())))
}

fn third(second: &Elicit<Option<Confirm>>) -> Ask<Confirm> {
    Ask::form(format!("third {}", matches!(second, Elicit::Accept(None))))
}

/// Asks in an order.
#[tool]
async fn ordered(
    text: &str,
    ctx: Context,
    #[resolve(first(text, &ctx).await?)] first: Resolve<Confirm>,
    #[elicit("beside {text}")] beside: Elicit<Confirm>,
    #[resolve(first.confirm.then(|| Ask::form("second")))] second: Elicit<Option<Confirm>>,
    #[resolve(third(second))] third: Elicit<Confirm>,
) -> String {
    let _ = (text, ctx);
    format!("{} {beside:?} {second:?} {third:?}", first.confirm)
}

#[tokio::test]
async fn independent_questions_go_together_and_dependent_ones_wait() {
    let answers = json!({
        "first": {"confirm": false}, "beside": "decline", "second": {"confirm": true}, "third": "cancel",
    });
    let host = host(tools![ordered], answers).await;
    let text = host.text("ordered", json!({"text": "a"})).await;
    assert_eq!(text, "false Decline Accept(None) Cancel");
    let rounds: Vec<_> = host
        .asked()
        .into_iter()
        .map(|(key, _, round)| (key, round))
        .collect();
    assert_eq!(
        rounds,
        [
            ("first".to_owned(), 1),
            ("beside".to_owned(), 1),
            ("third".to_owned(), 2)
        ]
    );
    assert_eq!(host.messages()[2], "third true");
}

#[tokio::test]
async fn a_resolved_value_is_needed_by_the_body() {
    let answers = json!({"first": "decline", "beside": {"confirm": true}, "third": "cancel"});
    let host = host(tools![ordered], answers).await;
    let error = host.error("ordered", json!({"text": "a"})).await;
    assert_eq!(error, "the user declined; do not ask again");
}

fn login(ctx: &Context) -> Ask<Confirm> {
    Ask::form(format!("log in to {}", ctx.name()))
}

/// A resolver may have the name of its parameter, and so may the function.
#[tool]
fn session(session: &str, ctx: &Context, #[resolve(login(ctx))] login: Resolve<Confirm>) -> String {
    format!("{session} {} {}", ctx.name(), login.confirm)
}

/// Asks with its own name in the message.
#[tool]
async fn echo(echo: String, #[elicit("{echo}?")] answer: Elicit<Confirm>) -> String {
    format!("{echo} {answer:?}")
}

#[tokio::test]
async fn names_may_be_the_same() {
    let answers = json!({"login": {"confirm": true}, "answer": "decline"});
    let host = host(tools![session, echo], answers).await;
    assert_eq!(
        host.text("session", json!({"session": "s"})).await,
        "s session true"
    );
    assert_eq!(host.text("echo", json!({"echo": "e"})).await, "e Decline");
    assert_eq!(host.messages(), ["log in to session", "e?"]);
}

/// The parameter's name is the key, without `r#`.
#[tool]
async fn raw(r#type: &str, #[elicit("{type} and {}", r#type)] r#match: Elicit<Confirm>) -> String {
    format!("{type} {match:?}")
}

macro_rules! asks {
    ($name:ident, $parameter:ident: $type:ty, $question:literal) => {
        /// Made by a macro.
        #[tool]
        async fn $name(
            $parameter: $type,
            #[elicit($question, $parameter)] answer: Elicit<Confirm>,
        ) -> String {
            format!("{} {answer:?}", $parameter)
        }
    };
}

asks!(made, number: i64, "number {}?");
asks!(made_too, text: &str, "text {}?");

#[tokio::test]
async fn raw_names_and_functions_from_macros() {
    let answers = json!({"match": {"confirm": true}, "answer": "cancel"});
    let host = host(tools![raw, made, made_too], answers).await;
    assert_eq!(
        host.text("raw", json!({"type": "a"})).await,
        "a Accept(Confirm { confirm: true })"
    );
    assert_eq!(host.text("made", json!({"number": 3})).await, "3 Cancel");
    assert_eq!(
        host.text("made_too", json!({"text": "b"})).await,
        "b Cancel"
    );
    assert_eq!(host.messages(), ["a and a", "number 3?", "text b?"]);
}

#[tokio::test]
async fn a_tool_is_still_a_function() {
    assert_eq!(echo("e".to_owned(), Elicit::Decline).await, "e Decline");
}
