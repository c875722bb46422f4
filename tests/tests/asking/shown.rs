//! What stands in a question may come from a model or a stranger: it cannot hide what follows.

use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::official::call;
use serde_json::json;

use crate::support::{Confirm, server};

/// Asks about whatever it was given.
#[tool]
async fn about(
    what: String,
    #[elicit("Delete {what}?\nThis cannot be undone.")] answer: Elicit<Confirm>,
) -> String {
    drop(answer);
    what
}

async fn asked_about(what: &str) -> String {
    let (server, _) = server(tools![about]);
    let host = TestHost::new(&server).decline("answer");
    let call = call(&host, "about", json!({"what": what})).await;
    // The tool itself gets what was sent.
    call.assert_text(what);
    call.question("answer").message.clone()
}

#[tokio::test]
async fn control_and_bidirectional_characters_are_stripped_from_values() {
    for (what, shown) in [
        ("a\nb\r\n\tc", "abc"),
        ("\u{1b}[2Jx\u{7}\0", "[2Jx"),
        ("a\u{202e}b\u{2066}c\u{2069}\u{200f}", "abc"),
        ("zero\u{200b}width\u{feff}", "zerowidth"),
        ("é🎉 and {braces} \"quotes\"", "é🎉 and {braces} \"quotes\""),
    ] {
        assert_eq!(
            asked_about(what).await,
            format!("Delete {shown}?\nThis cannot be undone."),
        );
    }
}

#[tokio::test]
async fn long_values_are_cut() {
    let message = asked_about(&"x".repeat(100_000)).await;
    assert!(message.chars().count() < 1000, "{}", message.len());
    assert!(message.ends_with("…?\nThis cannot be undone."), "{message}");
}

/// Asks in a resolver's own words.
#[tool]
async fn own_words(
    what: String,
    #[resolve(Ask::form(what.clone()))] answer: Elicit<Confirm>,
) -> String {
    drop(answer);
    "done".to_owned()
}

#[tokio::test]
async fn whole_messages_are_cleaned_and_cut_as_well() {
    let (server, _) = server(tools![own_words]);
    let host = TestHost::new(&server).decline("answer");
    let what = format!("a\u{202e}\u{1b}b\nc{}", "x".repeat(100_000));
    let call = call(&host, "own_words", json!({"what": what})).await;
    let message = &call.question("answer").message;
    assert!(message.starts_with("ab\ncx"), "{message}");
    assert!(message.chars().count() <= 4000);
}
