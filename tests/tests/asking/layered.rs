//! What asks by hand after a tool's parameters have asked: each question is asked once.

use mcp_client::Revision;
use mcp_server::prelude::*;
use mcp_server::testing::{BodyCount, TestHost};
use mcp_server::{CallLayer, CallResult, IntoToolResult, LayerFuture, Next};
use mcp_tests::official::call;
use serde_json::json;

use crate::support::{Confirm, Counter};

/// Asks whether to try again where a call fails.
struct Again {
    state: Option<&'static str>,
}

impl CallLayer for Again {
    fn call<'a>(&'a self, ctx: Context, next: Next<'a>) -> LayerFuture<'a> {
        Box::pin(async move {
            let result = next.run(ctx).await;
            if result.is_ok() {
                return result;
            }
            let again = InputRequired::new().form::<Confirm>("again", "Try again?");
            Ok(Outcome::InputRequired(match self.state {
                Some(state) => again.state(state),
                None => again,
            }))
        })
    }
}

/// Fails the first time.
#[tool]
async fn pay(
    tries: State<Counter>,
    #[elicit("Pay?")] first: Elicit<Confirm>,
    #[elicit("Really?")] last: Elicit<Confirm>,
) -> Result<String, ToolError> {
    match tries.add() {
        1 => Err(ToolError::new("the bank is busy")),
        _ => Ok(format!("{first:?}, {last:?}")),
    }
}

#[tokio::test]
async fn an_answer_outlives_the_question_of_a_layer() {
    for state in [Some("x"), None] {
        for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
            let server = Server::builder("bank", "1.0.0")
                .state(Counter::default())
                .tools(tools![pay])
                .layer(Again { state })
                .build()
                .unwrap();
            let host = TestHost::new(&server)
                .revision(revision)
                .decline("first")
                .answer("last", json!({"confirm": true}))
                .answer("again", json!({"confirm": true}));
            let paid = host.call("pay", json!({})).await;
            paid.assert_asked(["first", "last", "again"]);
            paid.assert_text("Decline, Accept(Confirm { confirm: true })");
        }
    }
}

/// A layer that could ask is no reason to refuse an answer that is too long for a state.
#[tokio::test]
async fn the_last_answer_may_be_long_whatever_is_around() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![tell])
        .layer(Again { state: None })
        .build()
        .unwrap();
    let story = "x".repeat(40_000);
    let host = TestHost::new(&server).answer("story", json!({"story": story}));
    let told = call(&host, "tell", json!({})).await;
    told.assert_asked(["story"]);
    told.assert_text("40000");
}

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Story {
    /// As long as anybody likes.
    story: String,
}

/// Says how long a story is.
#[tool]
async fn tell(#[elicit("What happened?")] story: Resolve<Story>) -> String {
    story.story.len().to_string()
}

/// A result that asks, and does not say so.
struct Asks(Outcome<String>);

impl IntoToolResult for Asks {
    fn into_tool_result(self) -> CallResult {
        self.0.into_tool_result()
    }
}

/// Asks by a parameter, and then by hand.
#[tool]
async fn both(ctx: Context, #[elicit("Pay?")] sure: Elicit<Confirm>) -> Result<Asks, ToolError> {
    let by_hand: Option<Elicit<Confirm>> = ctx.input_responses().form("by hand")?;
    Ok(Asks(match by_hand {
        Some(by_hand) => Outcome::Complete(format!("{sure:?}, {by_hand:?}")),
        None => Outcome::InputRequired(InputRequired::new().form::<Confirm>("by hand", "Really?")),
    }))
}

/// Nothing in the types says that it asks by hand as well: it shows where it does.
#[tokio::test]
async fn a_result_that_asks_unforeseen_ends_the_call() {
    let server = Server::builder("bank", "1.0.0")
        .tools(tools![both])
        .build()
        .unwrap();
    let host = TestHost::new(&server).decline("sure").decline("sure");
    let ended = call(&host, "both", json!({})).await;
    ended.assert_asked(["sure"]);
    ended.assert_rpc_error(-32603);
    // With a layer around, what the parameters have learned is kept for whatever follows.
    let layered = Server::builder("bank", "1.0.0")
        .tools(tools![both])
        .layer(BodyCount::new())
        .build()
        .unwrap();
    let host = TestHost::new(&layered).decline("sure").cancel("by hand");
    let done = call(&host, "both", json!({})).await;
    done.assert_asked(["sure", "by hand"]);
    done.assert_text("Decline, Cancel");
}
