//! Flows and memos: made once a call, and the same in all its rounds.

use std::sync::Arc;

use mcp_server::prelude::*;
use mcp_server::state::Principal;
use mcp_server::testing::TestHost;
use mcp_tests::official::call;
use serde_json::json;

use crate::support::{Confirm, Counter};

/// Connects an account on a page, and asks before and after.
#[tool]
async fn connect(
    ctx: Context,
    runs: State<Counter>,
    #[elicit("Connect?")] first: Elicit<Confirm>,
    #[resolve(code(&ctx, &runs, first).await?)] code: Elicit<Confirm>,
) -> Result<String, ToolError> {
    drop((first, code));
    let flow = ctx.flow("account")?;
    assert_eq!(flow.principal(), &Principal::Local);
    let price: u64 = ctx.memo("price", price(&runs)).await?;
    Ok(format!("{} {price}", flow.id()))
}

async fn price(runs: &Counter) -> Result<u64, ToolError> {
    Ok(9_007_199_254_740_993 + u64::from(runs.add()) - 1)
}

async fn code(
    ctx: &Context,
    runs: &Counter,
    _: &Elicit<Confirm>,
) -> Result<Ask<Confirm>, ToolError> {
    let price = ctx.memo("price", price(runs)).await?;
    let flow = ctx.flow("account")?;
    let other = ctx.flow("other")?;
    assert_ne!(flow.id(), other.id());
    Ok(Ask::form(format!("{} {price}", flow.id())))
}

#[tokio::test]
async fn flows_and_memos_are_stable_across_rounds_and_differ_between_calls() {
    let runs = Arc::new(Counter::default());
    let server = Server::builder("shop", "1.0.0")
        .shared_state(runs.clone())
        .tools(tools![connect])
        .build()
        .unwrap();
    let unfit = json!({"action": "accept", "content": {"confirm": "yes"}});
    let host = TestHost::new(&server)
        .decline("first")
        .respond("code", unfit)
        .cancel("code");
    let one = call(&host, "connect", json!({})).await;
    one.assert_asked(["first", "code", "code"]);
    // The id and the price in the question are those in the result, two rounds later.
    assert_eq!(one.questions[1].message, one.text());
    assert!(one.text().ends_with(" 9007199254740993"), "{}", one.text());
    assert_eq!(runs.get(), 1);
    let two = call(&host, "connect", json!({})).await;
    assert!(two.text().ends_with(" 9007199254740994"), "{}", two.text());
    assert_ne!(one.text().split(' ').next(), two.text().split(' ').next());
    assert_eq!(runs.get(), 2);
}

/// Its work fails at first.
#[tool]
async fn flaky(ctx: Context, runs: State<Counter>) -> Result<String, ToolError> {
    let work = async || match runs.add() {
        1 => Err(ToolError::new("not yet")),
        run => Ok(run),
    };
    let failed = ctx.memo::<u32, ToolError>("run", work()).await.is_err();
    let run = ctx.memo::<u32, ToolError>("run", work()).await?;
    let again = ctx.memo::<u32, ToolError>("run", work()).await?;
    Ok(format!("{failed} {run} {again}"))
}

#[tokio::test]
async fn a_failure_is_not_remembered() {
    let server = Server::builder("shop", "1.0.0")
        .state(Counter::default())
        .tools(tools![flaky])
        .build()
        .unwrap();
    call(&TestHost::new(&server), "flaky", json!({}))
        .await
        .assert_text("true 2 2");
}

/// Remembers more than a state may hold.
#[tool]
async fn hoard(
    ctx: Context,
    bytes: usize,
    #[resolve(keep(&ctx, bytes).await?)] answer: Elicit<Confirm>,
) -> String {
    format!("{answer:?}")
}

async fn keep(ctx: &Context, bytes: usize) -> Result<Ask<Confirm>, ToolError> {
    let kept: String = ctx
        .memo("kept", async { Ok::<_, ToolError>("x".repeat(bytes)) })
        .await?;
    Ok(Ask::form(format!("Go on with {}?", kept.len())))
}

/// The client's requests would grow with it, so there is an end to what travels; the fault is the server's.
#[tokio::test]
async fn a_state_that_is_too_large_is_an_error_of_the_server() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![hoard])
        .build()
        .unwrap();
    let host = TestHost::new(&server).decline("answer");
    let fits = call(&host, "hoard", json!({"bytes": 20_000})).await;
    fits.assert_text("Decline");
    let too_large = call(&host, "hoard", json!({"bytes": 40_000})).await;
    too_large.assert_rpc_error(-32603);
    too_large.assert_asked([]);
}
