//! Pages that a user opens: a client of 2025-11-25 waits, or is told to call again.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use mcp_server::{prelude::*, testing::BodyCount};
use mcp_tests::wire::{Wire, asked, code, text, tool_error};
use serde_json::{Value, json};

use crate::support::{Confirm, connect, everything};

/// What is known of the user's account, and the flows that lead there.
#[derive(Debug, Default)]
struct Bank {
    account: Mutex<String>,
    flows: Mutex<Vec<String>>,
}

impl Bank {
    fn connect(&self, account: &str) {
        account.clone_into(&mut self.account.lock().unwrap());
    }

    fn flow(&self) -> String {
        self.flows.lock().unwrap().last().unwrap().clone()
    }
}

fn account(ctx: &Context, bank: &Bank) -> Result<Ask<String>, ToolError> {
    let known = bank.account.lock().unwrap().clone();
    if !known.is_empty() {
        return Ok(Ask::ready(known));
    }
    let flow = ctx.flow("connect")?;
    bank.flows.lock().unwrap().push(flow.id().to_owned());
    let url = format!("https://pay.example/{}?round={}", flow.id(), ctx.round());
    Ok(Ask::url("Connect your account.", url).at_most(2))
}

/// Pays a refund to the account that the user connects.
#[tool]
async fn pay(
    amount: u32,
    ctx: Context,
    bank: State<Bank>,
    #[resolve(account(&ctx, &bank))] account: Resolve<String>,
    #[elicit("Pay {amount} to {}?", account.0)] sure: Elicit<Confirm>,
) -> String {
    format!("{amount} to {}: {sure:?}", *account)
}

/// Asks for the page by hand, and tells refusals apart.
#[tool]
async fn by_hand(ctx: Context, bank: State<Bank>) -> Result<Outcome<String>, ToolError> {
    let known = bank.account.lock().unwrap().clone();
    if let Some(Elicit::Decline) = ctx.input_responses().url("page")? {
        return Ok(Outcome::Complete("declined".to_owned()));
    }
    if !known.is_empty() {
        return Ok(Outcome::Complete(format!(
            "{known} in round {}",
            ctx.round()
        )));
    }
    Ok(Outcome::InputRequired(InputRequired::new().url(
        "page",
        "Connect it.",
        "https://pay.example/by-hand",
    )))
}

/// Has the user open one page, and then another.
#[tool]
async fn two_pages(ctx: Context, bank: State<Bank>) -> Result<Outcome<String>, ToolError> {
    let known = bank.account.lock().unwrap().clone();
    let (message, path) = match known.as_str() {
        "" => ("Log in.", "log-in"),
        "in" => ("Pay.", "pay"),
        _ => return Ok(Outcome::Complete("paid".to_owned())),
    };
    let url = format!("https://pay.example/{path}?round={}", ctx.round());
    Ok(Outcome::InputRequired(
        InputRequired::new().url("page", message, url),
    ))
}

fn bank(patience: Duration) -> (Server, Arc<Bank>, BodyCount) {
    let (bank, bodies) = (Arc::<Bank>::default(), BodyCount::new());
    let server = Server::builder("bank", "1.0.0")
        .shared_state(bank.clone())
        .tools(tools![pay, by_hand, two_pages])
        .layer(bodies.clone())
        .page_patience(patience)
        .build()
        .unwrap();
    (server, bank, bodies)
}

const LONG: Duration = Duration::from_secs(45);

fn call(amount: u32) -> Value {
    json!({"name": "pay", "arguments": {"amount": amount}})
}

/// Opens the page of a call that was begun, and gives its id.
async fn agree(wire: &mut Wire) -> Value {
    let asked = wire.expect_request("elicitation/create").await;
    let params = &asked["params"];
    assert_eq!(params["mode"], "url");
    assert_eq!(params["message"], "Connect your account.");
    assert!(
        params["url"]
            .as_str()
            .unwrap()
            .starts_with("https://pay.example/")
    );
    wire.answer(&asked, json!({"action": "accept"})).await;
    params["elicitationId"].clone()
}

/// Expects the notification that the user is done.
async fn expect_done(wire: &mut Wire, id: &Value) {
    let done = wire.receive().await;
    assert_eq!(
        done["method"], "notifications/elicitation/complete",
        "{done}"
    );
    assert_eq!(done["params"]["elicitationId"], *id);
}

#[tokio::test]
async fn accepting_is_not_completion_and_the_call_waits_for_it() {
    let (server, bank, bodies) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    let id = wire.begin("tools/call", call(5)).await;
    let page = agree(&mut wire).await;
    assert!(!page.as_str().unwrap().is_empty());
    // Longer than the question may be shown in rounds: it is shown once.
    wire.assert_silent(Duration::from_millis(500)).await;
    bodies.assert_ran("pay", 0);
    bank.connect("A-1");
    expect_done(&mut wire, &page).await;
    let sure = wire.expect_request("elicitation/create").await;
    assert_eq!(sure["params"]["message"], "Pay 5 to A-1?");
    wire.answer(&sure, json!({"action": "decline"})).await;
    let answer = wire.receive().await;
    assert_eq!(answer["id"], id);
    assert_eq!(text(&answer), "5 to A-1: Decline");
    bodies.assert_ran("pay", 1);
}

/// The same tool asks a client of today in its result, without an id, and never with the code that is not of today.
#[tokio::test]
async fn a_client_of_today_gets_the_page_as_today() {
    let (server, bank, _) = bank(Duration::ZERO);
    let mut wire = Wire::open(&server);
    let first = wire.call("pay", json!({"amount": 5})).await;
    assert_eq!(asked(&first), ["account"]);
    let params = &first["result"]["inputRequests"]["account"]["params"];
    assert_eq!(params["mode"], "url");
    assert_eq!(params.get("elicitationId"), None);
    let agreed = json!({"account": {"action": "accept"}});
    let again = wire
        .retry("pay", json!({"amount": 5}), &first, agreed)
        .await;
    assert_eq!(asked(&again), ["account"]);
    // Nobody waits, so nobody hears of it.
    server.notify().elicitation_completed(&bank.flow());
    wire.assert_silent(Duration::from_millis(30)).await;
}

/// The server says when the flow is done, so that nobody has to look.
#[tokio::test]
async fn whoever_knows_that_the_user_is_done_wakes_the_call() {
    let (server, bank, _) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", call(5)).await;
    let page = agree(&mut wire).await;
    // By now it looks once a second.
    wire.assert_silent(Duration::from_millis(1700)).await;
    let begin = Instant::now();
    bank.connect("A-1");
    server.notify().elicitation_completed("another");
    server.notify().elicitation_completed(&bank.flow());
    expect_done(&mut wire, &page).await;
    assert!(
        begin.elapsed() < Duration::from_millis(300),
        "{:?}",
        begin.elapsed()
    );
    wire.expect_request("elicitation/create").await;
}

#[tokio::test]
async fn a_page_that_is_refused_is_a_refusal() {
    let (server, _, bodies) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    for (action, said) in [("decline", "declined"), ("cancel", "closed")] {
        wire.begin("tools/call", call(5)).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(&asked, json!({"action": action})).await;
        let answer = wire.receive().await;
        assert!(tool_error(&answer).contains(said), "{answer}");
    }
    bodies.assert_ran("pay", 0);
    wire.begin("tools/call", json!({"name": "by_hand"})).await;
    let asked = wire.expect_request("elicitation/create").await;
    wire.answer(&asked, json!({"action": "decline"})).await;
    assert_eq!(text(&wire.receive().await), "declined");
}

#[tokio::test]
async fn pages_that_are_asked_for_by_hand_are_waited_for_too() {
    let (server, bank, _) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", json!({"name": "by_hand"})).await;
    let asked = wire.expect_request("elicitation/create").await;
    wire.answer(&asked, json!({"action": "accept"})).await;
    wire.assert_silent(Duration::from_millis(400)).await;
    bank.connect("A-2");
    expect_done(&mut wire, &asked["params"]["elicitationId"]).await;
    assert_eq!(text(&wire.receive().await), "A-2 in round 2");
}

#[tokio::test]
async fn another_page_under_the_same_key_is_shown() {
    let (server, bank, _) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", json!({"name": "two_pages"})).await;
    let mut pages = Vec::new();
    for (message, next) in [("Log in.", "in"), ("Pay.", "paid")] {
        let asked = wire.expect_request("elicitation/create").await;
        assert_eq!(asked["params"]["message"], message);
        let page = asked["params"]["elicitationId"].clone();
        wire.answer(&asked, json!({"action": "accept"})).await;
        wire.assert_silent(Duration::from_millis(200)).await;
        bank.connect(next);
        expect_done(&mut wire, &page).await;
        pages.push(page);
    }
    assert_ne!(pages[0], pages[1]);
    assert_eq!(text(&wire.receive().await), "paid");
}

/// Before the client loses patience it is told what is missing, and the same call goes on when it comes again.
#[tokio::test]
async fn a_client_that_has_waited_long_enough_calls_again() {
    let (server, bank, bodies) = bank(Duration::from_millis(200));
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", call(5)).await;
    let page = agree(&mut wire).await;
    let answer = wire.receive().await;
    assert_eq!(code(&answer), -32042);
    let elicitations = answer["error"]["data"]["elicitations"].as_array().unwrap();
    assert_eq!(elicitations.len(), 1);
    assert_eq!(elicitations[0]["mode"], "url");
    assert_eq!(elicitations[0]["elicitationId"], page);
    assert_eq!(elicitations[0]["message"], "Connect your account.");
    let flow = bank.flow();
    assert_eq!(
        elicitations[0]["url"],
        format!("https://pay.example/{flow}?round=1")
    );
    // Not done yet: it is not asked anew.
    wire.begin("tools/call", call(5)).await;
    let again = wire.receive().await;
    assert_eq!(code(&again), -32042);
    assert_eq!(again["error"]["data"], answer["error"]["data"]);
    bodies.assert_ran("pay", 0);
    // Another call is another matter.
    wire.begin("tools/call", call(6)).await;
    assert_ne!(agree(&mut wire).await, page);
    assert_eq!(code(&wire.receive().await), -32042);
    assert_ne!(bank.flow(), flow);
    // The client hears of what is done, and the call that it made goes on.
    bank.connect("A-1");
    server.notify().elicitation_completed(&flow);
    expect_done(&mut wire, &page).await;
    wire.begin("tools/call", call(5)).await;
    let sure = wire.expect_request("elicitation/create").await;
    assert_eq!(sure["params"]["message"], "Pay 5 to A-1?");
    wire.answer(
        &sure,
        json!({"action": "accept", "content": {"confirm": true}}),
    )
    .await;
    let answer = wire.receive().await;
    assert_eq!(text(&answer), "5 to A-1: Accept(Confirm { confirm: true })");
    bodies.assert_ran("pay", 1);
}

/// What was kept is the session's: nobody else goes on with it.
#[tokio::test]
async fn a_kept_call_belongs_to_its_session() {
    let (server, _, _) = bank(Duration::from_millis(100));
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", call(5)).await;
    let page = agree(&mut wire).await;
    assert_eq!(code(&wire.receive().await), -32042);
    let mut other = connect(&server, "2025-11-25").await;
    other.begin("tools/call", call(5)).await;
    assert_ne!(agree(&mut other).await, page);
    // Neither does the same client after it has begun anew.
    wire.shake_hands("2025-11-25", everything("2025-11-25"))
        .await;
    wire.begin("tools/call", call(5)).await;
    assert_ne!(agree(&mut wire).await, page);
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let server = Server::builder("bank", "1.0.0")
        .state(Bank::default())
        .tools(tools![pay])
        .request_state_lifetime(Duration::from_secs(1))
        .build()
        .unwrap();
    let mut wire = connect(&server, "2025-11-25").await;
    wire.begin("tools/call", call(5)).await;
    agree(&mut wire).await;
    let answer = wire.receive().await;
    assert!(tool_error(&answer).contains("not done in time"), "{answer}");
}

#[tokio::test]
async fn who_goes_away_or_gives_up_is_not_waited_for() {
    let (server, _, bodies) = bank(LONG);
    let mut wire = connect(&server, "2025-11-25").await;
    let id = wire.begin("tools/call", call(5)).await;
    agree(&mut wire).await;
    wire.cancel(id).await;
    wire.assert_silent(Duration::from_millis(100)).await;
    wire.begin("tools/call", call(5)).await;
    agree(&mut wire).await;
    let begin = Instant::now();
    wire.close_input().await;
    assert!(tool_error(&wire.receive().await).contains("has gone"));
    wire.served().await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(4));
    bodies.assert_ran("pay", 0);
}
