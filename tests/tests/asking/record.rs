//! A person is asked each question once, and an answer counts for the very question that was shown.

use std::sync::Arc;

use mcp_server::prelude::*;
use mcp_server::state::{Key, KeyRing, Sealing};
use mcp_server::testing::{BodyCount, Direction, TestHost};
use mcp_tests::{
    official::call,
    wire::{Wire, asked, code, message, retry_params, text, tool_error},
};
use serde_json::{Value, json};

use crate::support::{Amount, Confirm, Counter, Known, server};

/// Orders something: asks whether, and then how many.
#[tool]
async fn order(
    sku: String,
    #[elicit("Order {sku}?")] confirm: Resolve<Confirm>,
    #[resolve(how_many(&sku, confirm.confirm))] amount: Resolve<Amount>,
) -> String {
    format!("{} of {sku}, confirmed: {}", amount.amount, confirm.confirm)
}

fn how_many(sku: &str, confirmed: bool) -> Ask<Amount> {
    Ask::form(format!("How many of {sku}? (confirmed: {confirmed})"))
}

const YES: &str = r#"{"action":"accept","content":{"confirm":true}}"#;

fn yes() -> Value {
    serde_json::from_str(YES).unwrap()
}

#[tokio::test]
async fn each_question_is_asked_once_and_the_body_runs_once() {
    let (server, bodies) = server(tools![order]);
    let host = TestHost::new(&server)
        .answer("confirm", json!({"confirm": true}))
        .answer("amount", json!({"amount": 3}));
    let call = call(&host, "order", json!({"sku": "KG-1043"})).await;
    call.assert_text("3 of KG-1043, confirmed: true");
    call.assert_asked(["confirm", "amount"]);
    assert_eq!(call.rounds, 3);
    assert_eq!(call.question("confirm").message, "Order KG-1043?");
    assert_eq!(
        call.question("amount").message,
        "How many of KG-1043? (confirmed: true)"
    );
    bodies.assert_ran("order", 1);
    // Each round is a request of its own: no id is used twice.
    let ids: Vec<String> = host
        .wire()
        .iter()
        .filter(|entry| entry.direction == Direction::Sent)
        .filter_map(|entry| serde_json::from_str::<Value>(entry.message.as_ref()?.get()).ok())
        .filter(|message| message["method"] == "tools/call")
        .map(|message| message["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids.iter()
            .all(|id| ids.iter().filter(|other| *other == id).count() == 1)
    );
}

#[tokio::test]
async fn a_recorded_answer_beats_a_fresh_one() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"sku": "a"});
    let first = wire.call("order", arguments.clone()).await;
    assert_eq!(asked(&first), ["confirm"]);
    let second = wire
        .retry(
            "order",
            arguments.clone(),
            &first,
            json!({"confirm": yes()}),
        )
        .await;
    assert_eq!(asked(&second), ["amount"]);
    let responses = json!({
        "confirm": {"action": "decline"},
        "amount": {"action": "accept", "content": {"amount": 2}},
    });
    let last = wire.retry("order", arguments, &second, responses).await;
    assert_eq!(text(&last), "2 of a, confirmed: true");
    bodies.assert_ran("order", 1);
}

#[tokio::test]
async fn answers_without_a_state_change_nothing() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let params = json!({
        "name": "order",
        "arguments": {"sku": "a"},
        "inputResponses": {"confirm": yes(), "amount": {"action": "accept", "content": {"amount": 2}}},
    });
    let answer = wire.request("tools/call", params).await;
    assert_eq!(asked(&answer), ["confirm"]);
    bodies.assert_ran("order", 0);
}

#[tokio::test]
async fn an_answer_to_a_question_that_was_not_asked_yet_does_not_count() {
    let (server, bodies) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"sku": "a"});
    let first = wire.call("order", arguments.clone()).await;
    let early = json!({
        "confirm": yes(),
        "amount": {"action": "accept", "content": {"amount": 2}},
    });
    let second = wire.retry("order", arguments, &first, early).await;
    assert_eq!(asked(&second), ["amount"]);
    bodies.assert_ran("order", 0);
}

#[tokio::test]
async fn unknown_response_keys_are_ignored() {
    let (server, _) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"sku": "a"});
    let first = wire.call("order", arguments.clone()).await;
    let responses = json!({"confirm": yes(), "nonsense": {"action": "maybe"}, "": {}});
    let second = wire.retry("order", arguments, &first, responses).await;
    assert_eq!(asked(&second), ["amount"]);
}

/// Sells at today's price.
#[tool]
async fn sell(
    price: State<Known>,
    #[elicit("Sell at {}?", price.get())] confirm: Resolve<Confirm>,
) -> String {
    format!("sold at {}: {}", price.get(), confirm.confirm)
}

#[tokio::test]
async fn a_changed_question_is_asked_again() {
    let price = Arc::new(Known::default());
    price.set("10.00");
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .shared_state(price.clone())
        .tools(tools![sell])
        .layer(bodies.clone())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let first = wire.call("sell", json!({})).await;
    assert_eq!(message(&first, "confirm"), "Sell at 10.00?");
    price.set("12.00");
    let second = wire
        .retry("sell", json!({}), &first, json!({"confirm": yes()}))
        .await;
    assert_eq!(message(&second, "confirm"), "Sell at 12.00?");
    bodies.assert_ran("sell", 0);
    // The answer to the old wording does not count for the new one, with whichever state.
    let stale = wire
        .retry("sell", json!({}), &first, json!({"confirm": yes()}))
        .await;
    assert_eq!(message(&stale, "confirm"), "Sell at 12.00?");
    let last = wire
        .retry("sell", json!({}), &second, json!({"confirm": yes()}))
        .await;
    assert_eq!(text(&last), "sold at 12.00: true");
    bodies.assert_ran("sell", 1);
}

/// Sells as many as asked for at today's price.
#[tool]
async fn sell_many(
    price: State<Known>,
    #[elicit("How many at {}?", price.get())] amount: Resolve<Amount>,
    #[resolve(sure(amount))] confirm: Resolve<Confirm>,
) -> String {
    format!("sold {}: {}", amount.amount, confirm.confirm)
}

/// The same words whatever the amount is.
fn sure(_: &Amount) -> Ask<Confirm> {
    Ask::form("Are you sure?")
}

#[tokio::test]
async fn a_question_is_another_one_when_an_answer_that_led_to_it_is() {
    let price = Arc::new(Known::default());
    price.set("10.00");
    let server = Server::builder("shop", "1.0.0")
        .shared_state(price.clone())
        .tools(tools![sell_many])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let amount = |n: u8| json!({"action": "accept", "content": {"amount": n}});
    let first = wire.call("sell_many", json!({})).await;
    let second = wire
        .retry("sell_many", json!({}), &first, json!({"amount": amount(2)}))
        .await;
    assert_eq!(asked(&second), ["confirm"]);
    price.set("12.00");
    // What the first question says has changed: it is asked again, and the second one waits for it.
    let third = wire
        .retry("sell_many", json!({}), &second, json!({"confirm": yes()}))
        .await;
    assert_eq!(asked(&third), ["amount"]);
    let responses = json!({"amount": amount(7), "confirm": yes()});
    let fourth = wire.retry("sell_many", json!({}), &third, responses).await;
    assert_eq!(asked(&fourth), ["confirm"]);
    let last = wire
        .retry("sell_many", json!({}), &fourth, json!({"confirm": yes()}))
        .await;
    assert_eq!(text(&last), "sold 7: true");
}

/// Its question never says the same twice.
#[tool]
async fn unsteady(
    asked: State<Counter>,
    #[elicit("Attempt {}: go on?", asked.add())] confirm: Resolve<Confirm>,
) -> String {
    format!("{}", confirm.confirm)
}

#[tokio::test]
async fn a_question_that_changes_in_two_rounds_in_a_row_ends_the_call_by_its_name() {
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .state(Counter::default())
        .tools(tools![unsteady])
        .layer(bodies.clone())
        .build()
        .unwrap();
    let host = TestHost::new(&server).answer("confirm", json!({"confirm": true}));
    let call = call(&host, "unsteady", json!({})).await;
    call.assert_tool_error("`confirm`");
    call.assert_asked(["confirm", "confirm"]);
    assert_eq!(call.rounds, 3);
    bodies.assert_ran("unsteady", 0);
}

/// Asks under a raw identifier, and counts its resolver.
#[tool]
async fn file(
    runs: State<Counter>,
    #[resolve(kind(&runs))] r#type: Resolve<Amount>,
    #[elicit("Type {}?", r#type.amount)] confirm: Resolve<Confirm>,
) -> String {
    format!(
        "{} {} after {} runs",
        r#type.amount,
        confirm.confirm,
        runs.get()
    )
}

fn kind(runs: &Counter) -> Ask<Amount> {
    runs.add();
    Ask::form("Which type?")
}

/// Work before a question is done again in each round; an answered question is restored, not asked again.
#[tokio::test]
async fn resolvers_run_in_each_round_and_a_raw_identifier_is_its_plain_name() {
    let server = Server::builder("shop", "1.0.0")
        .state(Counter::default())
        .tools(tools![file])
        .build()
        .unwrap();
    let host = TestHost::new(&server)
        .answer("type", json!({"amount": 4}))
        .answer("confirm", json!({"confirm": true}));
    let call = call(&host, "file", json!({})).await;
    call.assert_asked(["type", "confirm"]);
    call.assert_text("4 true after 3 runs");
}

/// Nothing is held on the server between the rounds: clients that never come back cost nothing, and a call begun on
/// one instance ends on another that has the same key.
#[tokio::test]
async fn calls_that_are_given_up_leave_nothing_and_rounds_may_change_servers() {
    let key = Key::generate().unwrap();
    let ring = || KeyRing::new([key.clone()]).unwrap();
    let replica = || {
        Server::builder("shop", "1.0.0")
            .request_state(Sealing::encrypted(ring()))
            .tools(tools![order])
            .build()
            .unwrap()
    };
    let (one, two) = (replica(), replica());
    let mut wire = Wire::open(&one);
    let arguments = json!({"sku": "a"});
    for _ in 0..1000 {
        wire.call("order", arguments.clone()).await;
    }
    let first = wire.call("order", arguments.clone()).await;
    let mut wire = Wire::open(&two);
    let second = wire
        .retry(
            "order",
            arguments.clone(),
            &first,
            json!({"confirm": yes()}),
        )
        .await;
    let mut wire = Wire::open(&one);
    let responses = json!({"amount": {"action": "accept", "content": {"amount": 1}}});
    let last = wire.retry("order", arguments, &second, responses).await;
    assert_eq!(text(&last), "1 of a, confirmed: true");
}

#[tokio::test]
async fn a_state_that_is_no_string_is_refused() {
    let (server, _) = server(tools![order]);
    let mut wire = Wire::open(&server);
    let first = wire.call("order", json!({"sku": "a"})).await;
    let mut params = retry_params("order", json!({"sku": "a"}), &first, json!({}));
    params["requestState"] = json!(7);
    assert_eq!(code(&wire.request("tools/call", params).await), -32602);
    let declined = wire
        .retry(
            "order",
            json!({"sku": "a"}),
            &first,
            json!({"confirm": {"action": "decline"}}),
        )
        .await;
    assert_eq!(tool_error(&declined), "the user declined; do not ask again");
}

/// Its type is stricter than its form.
#[derive(Debug, JsonSchema, Form)]
struct Narrow {
    /// How many?
    count: i64,
}

impl<'de> Deserialize<'de> for Narrow {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            count: i64,
        }
        match Fields::deserialize(deserializer)?.count {
            500 => Err(serde::de::Error::custom("500 is too many")),
            count => Ok(Self { count }),
        }
    }
}

/// Takes few.
#[tool]
async fn take_few(
    #[elicit("How many?")] few: Resolve<Narrow>,
    #[elicit("Sure?")] confirm: Resolve<Confirm>,
) -> String {
    format!("{} {}", few.count, confirm.confirm)
}

/// What fits the form and cannot be read is asked again, and is not kept as if it were an answer.
#[tokio::test]
async fn an_answer_that_does_not_decode_is_asked_again() {
    let (server, bodies) = server(tools![take_few]);
    let host = TestHost::new(&server)
        .answer("few", json!({"count": 500}))
        .answer("few", json!({"count": 5}))
        .answer("confirm", json!({"confirm": true}));
    let call = call(&host, "take_few", json!({})).await;
    call.assert_asked(["few", "confirm", "few"]);
    let again = &call.questions[2].message;
    assert!(
        again.starts_with("How many?\n\n") && !again.contains("500"),
        "{again}"
    );
    call.assert_text("5 true");
    bodies.assert_ran("take_few", 1);
}

/// Asks only if it is told to.
#[tool]
async fn take_if(
    ask: bool,
    #[resolve(ask.then(|| Ask::form("How many?")))] few: Resolve<Option<Narrow>>,
) -> String {
    format!("{few:?}")
}

/// Asking again is asking: the client of this very request must be able to.
#[tokio::test]
async fn an_answer_that_does_not_decode_is_not_asked_again_of_a_client_that_cannot_be() {
    let (server, _) = server(tools![take_if]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"ask": true});
    let first = wire.call("take_if", arguments.clone()).await;
    let answer = json!({"few": {"action": "accept", "content": {"count": 500}}});
    let again = wire
        .retry("take_if", arguments.clone(), &first, answer.clone())
        .await;
    assert_eq!(asked(&again), ["few"]);
    wire.declare(json!({}));
    let refused = wire.retry("take_if", arguments, &first, answer).await;
    assert_eq!(code(&refused), -32021);
}

/// As long as anybody likes.
#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Story {
    /// What happened?
    story: String,
}

/// Takes two stories.
#[tool]
async fn tell(
    #[elicit("Before?")] before: Resolve<Story>,
    #[elicit("After?")] after: Resolve<Story>,
) -> String {
    format!("{} {}", before.story.len(), after.story.len())
}

/// What has to be remembered travels with the client, and has a limit. Whoever passes it is told so, and can mend it.
#[tokio::test]
async fn an_answer_that_cannot_be_remembered_is_asked_again_with_the_limit() {
    let (server, bodies) = server(tools![tell]);
    let mut wire = Wire::open(&server);
    let story =
        |length: usize| json!({"action": "accept", "content": {"story": "x".repeat(length)}});
    let first = wire.call("tell", json!({})).await;
    assert_eq!(asked(&first), ["after", "before"]);
    let long = wire
        .retry("tell", json!({}), &first, json!({"before": story(40_000)}))
        .await;
    assert_eq!(asked(&long), ["after", "before"]);
    let reason = mcp_tests::wire::message(&long, "before");
    assert!(reason.contains("28672 bytes"), "{reason}");
    // What does fit is kept up to the limit, beside another that is too much.
    let fits = wire
        .retry("tell", json!({}), &long, json!({"before": story(28_000)}))
        .await;
    assert_eq!(asked(&fits), ["after"]);
    // The last answer goes straight to the body and is not remembered at all.
    let last = wire
        .retry("tell", json!({}), &fits, json!({"after": story(40_000)}))
        .await;
    assert_eq!(mcp_tests::wire::text(&last), "28000 40000");
    bodies.assert_ran("tell", 1);
}

/// One question is a constant, its neighbour is made in each round, of the same form.
#[tool]
async fn order_both(
    known: State<Known>,
    #[elicit("Go on?")] fixed: Elicit<Confirm>,
    #[elicit("Order {}?", known.get())] made: Elicit<Confirm>,
) -> String {
    format!("{fixed:?} {made:?}")
}

/// What is kept of a constant over calls is its own, and never that of a question that may change.
#[tokio::test]
async fn a_constant_question_and_one_that_is_made_stay_apart() {
    let known = Arc::new(Known::default());
    let server = Server::builder("shop", "1.0.0")
        .shared_state(known.clone())
        .tools(tools![order_both])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let no = || json!({"action": "decline"});
    let both = || json!({"fixed": no(), "made": no()});
    for (before, after) in [("a pen", "an ink"), ("Go on?", "a pen")] {
        known.set(before);
        let first = wire.call("order_both", json!({})).await;
        assert_eq!(asked(&first), ["fixed", "made"]);
        assert_eq!(message(&first, "fixed"), "Go on?");
        assert_eq!(message(&first, "made"), format!("Order {before}?"));
        known.set(after);
        let second = wire.retry("order_both", json!({}), &first, both()).await;
        assert_eq!(asked(&second), ["made"]);
        assert_eq!(message(&second, "made"), format!("Order {after}?"));
        let last = wire.retry("order_both", json!({}), &second, json!({"made": no()}));
        assert_eq!(text(&last.await), "Decline Decline");
    }
}
