//! Questions on the open call: each is a request of the server's, and the tool cannot tell.

use std::time::Duration;

use mcp_server::{MessageLimit, prelude::*};
use mcp_tests::wire::{Wire, code, text, tool_error};
use serde_json::{Value, json};

use crate::support::{
    ASKING, Amount, Confirm, REVISIONS, confirm, connect, echo, list_roots, server, write_line,
};

/// Asks two things at once, and a third that depends on them.
#[tool]
async fn order(
    #[elicit("How many?")] amount: Resolve<Amount>,
    #[elicit("Sure?")] sure: Resolve<Confirm>,
    #[elicit("Really {}, {}?", amount.amount, sure.confirm)] really: Elicit<Confirm>,
) -> String {
    format!("{} {} {really:?}", amount.amount, sure.confirm)
}

/// Issues a refund after a lead has confirmed it.
#[tool]
async fn refund(id: String, ctx: Context) -> Result<Outcome<String>, ToolError> {
    let Some(state) = ctx.request_state() else {
        ctx.require(Kind::Form)?;
        return Ok(Outcome::InputRequired(
            InputRequired::new()
                .form::<Confirm>("confirm", format!("Refund {id}?"))
                .state(format!("round {}", ctx.round())),
        ));
    };
    let answer = ctx.input_responses().form::<Confirm>("confirm")?;
    Ok(Outcome::Complete(format!(
        "{state}, then {}: {answer:?}",
        ctx.round()
    )))
}

/// Asks by hand without a state.
#[tool]
async fn stateless(ctx: Context) -> Result<Outcome<String>, ToolError> {
    Ok(
        match ctx
            .unverified_input_responses()
            .form::<Confirm>("confirm")?
        {
            None => {
                Outcome::InputRequired(InputRequired::new().form::<Confirm>("confirm", "Well?"))
            }
            Some(answer) => Outcome::Complete(format!("{answer:?}")),
        },
    )
}

/// Goes round with a state alone.
#[tool]
async fn count(to: u32, ctx: Context) -> Result<Outcome<String>, ToolError> {
    let counted: u32 = ctx.request_state().unwrap_or_default().len().try_into()?;
    if counted == to {
        return Ok(Outcome::Complete(format!(
            "{counted} in round {}",
            ctx.round()
        )));
    }
    let state = "x".repeat(counted as usize + 1);
    Ok(Outcome::InputRequired(InputRequired::new().state(state)))
}

/// Panics before it asks.
#[tool]
async fn careless(#[resolve(panics())] answer: Resolve<Confirm>) -> String {
    format!("{answer:?}")
}

fn panics() -> Ask<Confirm> {
    panic!("at /srv/secret")
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn a_question_is_asked_on_the_open_call() {
    let server = server(tools![confirm]);
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        for (answer, expected) in [
            (
                accept(json!({"confirm": true})),
                "it: Accept(Confirm { confirm: true })",
            ),
            (json!({"action": "decline"}), "it: Decline"),
            (json!({"action": "cancel"}), "it: Cancel"),
        ] {
            let id = wire.begin("tools/call", call.clone()).await;
            let asked = wire.expect_request("elicitation/create").await;
            assert_eq!(asked["params"]["message"], "Go on with it?");
            let properties = &asked["params"]["requestedSchema"]["properties"];
            assert_eq!(properties["confirm"]["type"], "boolean");
            let has_modes = revision == "2025-11-25";
            assert_eq!(asked["params"].get("mode").is_some(), has_modes);
            wire.answer(&asked, answer).await;
            let answer = wire.receive().await;
            assert_eq!(answer["id"], id);
            assert_eq!(text(&answer), expected, "{revision}");
        }
    }
}

/// What the user filled in and does not fit is asked again, with the reason.
#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_again() {
    let server = server(tools![confirm]);
    let mut wire = connect(&server, "2025-06-18").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    let first = wire.expect_request("elicitation/create").await;
    wire.answer(&first, accept(json!({"confirm": "perhaps"})))
        .await;
    let second = wire.expect_request("elicitation/create").await;
    assert_ne!(first["id"], second["id"]);
    let message = second["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("Go on with it?\n\n"), "{message}");
    wire.answer(&second, accept(json!({"confirm": false})))
        .await;
    assert_eq!(
        text(&wire.receive().await),
        "it: Accept(Confirm { confirm: false })"
    );
}

/// Questions that do not depend on each other go out together, in order, and may be answered in any.
#[tokio::test]
async fn the_questions_of_a_round_are_asked_at_once() {
    let server = server(tools![order]);
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        wire.begin("tools/call", json!({"name": "order"})).await;
        let amount = wire.expect_request("elicitation/create").await;
        let sure = wire.expect_request("elicitation/create").await;
        assert_eq!(amount["params"]["message"], "How many?");
        assert_eq!(sure["params"]["message"], "Sure?");
        wire.answer(&sure, accept(json!({"confirm": true}))).await;
        wire.assert_silent(Duration::from_millis(20)).await;
        wire.answer(&amount, accept(json!({"amount": 7}))).await;
        let really = wire.expect_request("elicitation/create").await;
        assert_eq!(really["params"]["message"], "Really 7, true?");
        wire.answer(&really, json!({"action": "decline"})).await;
        assert_eq!(text(&wire.receive().await), "7 true Decline");
    }
}

#[tokio::test]
async fn completions_and_roots_are_asked_for_in_all_revisions() {
    let server = server(tools![write_line, list_roots]);
    for revision in REVISIONS {
        let mut wire = connect(&server, revision).await;
        wire.begin("tools/call", json!({"name": "write_line"}))
            .await;
        let asked = wire.expect_request("sampling/createMessage").await;
        assert_eq!(asked["params"]["maxTokens"], 50);
        assert_eq!(
            asked["params"]["messages"][0]["content"]["text"],
            "A line on eggs"
        );
        let completion = json!({
            "role": "assistant", "content": {"type": "text", "text": "Round."}, "model": "m-1",
        });
        wire.answer(&asked, completion).await;
        assert_eq!(text(&wire.receive().await), "\"Round.\" by m-1");
        wire.begin("tools/call", json!({"name": "list_roots"}))
            .await;
        let asked = wire.expect_request("roots/list").await;
        wire.answer(
            &asked,
            json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]}),
        )
        .await;
        assert_eq!(
            text(&wire.receive().await),
            "file:///a file:///b",
            "{revision}"
        );
    }
}

/// The round that an input request made by hand begins is run here, whatever it remembers.
#[tokio::test]
async fn tools_that_ask_by_hand_are_called_again() {
    let server = server(tools![refund, stateless, count]);
    for revision in ASKING {
        let mut wire = connect(&server, revision).await;
        let call = json!({"name": "refund", "arguments": {"id": "R-1"}});
        wire.begin("tools/call", call).await;
        let asked = wire.expect_request("elicitation/create").await;
        assert_eq!(asked["params"]["message"], "Refund R-1?");
        wire.answer(&asked, accept(json!({"confirm": true}))).await;
        assert_eq!(
            text(&wire.receive().await),
            "round 1, then 2: Some(Accept(Confirm { confirm: true }))"
        );
        wire.begin("tools/call", json!({"name": "stateless"})).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(&asked, json!({"action": "decline"})).await;
        assert_eq!(text(&wire.receive().await), "Decline");
        let answer = wire.call("count", json!({"to": 3})).await;
        assert_eq!(text(&answer), "3 in round 4");
    }
    // As many rounds as a client of today would be answered with.
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![count])
        .max_rounds(2)
        .build()
        .unwrap();
    let mut wire = connect(&server, "2024-11-05").await;
    let answer = wire.call("count", json!({"to": 3})).await;
    assert!(tool_error(&answer).contains("2 times"), "{answer}");
}

#[tokio::test]
async fn an_answer_comes_once_and_only_to_what_was_asked() {
    let server = server(tools![confirm, echo]);
    let mut wire = connect(&server, "2025-11-25").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    let asked = wire.expect_request("elicitation/create").await;
    let id = asked["id"].as_i64().unwrap();
    for other in [json!(id + 1), json!(id.to_string()), json!(-1), json!(0)] {
        wire.answer(&json!({"id": other}), accept(json!({"confirm": false})))
            .await;
    }
    wire.assert_silent(Duration::from_millis(20)).await;
    wire.answer(&asked, accept(json!({"confirm": true}))).await;
    assert_eq!(
        text(&wire.receive().await),
        "it: Accept(Confirm { confirm: true })"
    );
    // Late.
    wire.answer(&asked, accept(json!({"confirm": false}))).await;
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
}

#[tokio::test]
async fn an_error_in_place_of_an_answer_ends_the_call_and_says_so() {
    let server = server(tools![confirm, order, echo]);
    let mut wire = connect(&server, "2025-11-25").await;
    for (error, said) in [
        (
            json!({"code": -1, "message": "User rejected the request"}),
            "User rejected the request",
        ),
        (
            json!({"code": -32601, "message": "Method not found"}),
            "Method not found",
        ),
        (
            json!({"code": -32602, "message": "no such mode", "data": {"a": 1}}),
            "-32602",
        ),
        (json!("what"), "answer"),
    ] {
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        wire.begin("tools/call", call).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}))
            .await;
        let answer = wire.receive().await;
        let text = tool_error(&answer);
        assert!(text.contains(said) && text.contains("`answer`"), "{text}");
    }
    // The other question of the round is taken back.
    wire.begin("tools/call", json!({"name": "order"})).await;
    let amount = wire.expect_request("elicitation/create").await;
    let sure = wire.expect_request("elicitation/create").await;
    let error = json!({"code": -1, "message": "no"});
    wire.send(&json!({"jsonrpc": "2.0", "id": amount["id"], "error": error}))
        .await;
    let taken_back = wire.receive().await;
    assert_eq!(taken_back["method"], "notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], sure["id"]);
    assert!(tool_error(&wire.receive().await).contains("`amount`"));
    for answer in [json!([]), json!("accept"), json!(null)] {
        let call = json!({"name": "confirm", "arguments": {"what": "it"}});
        wire.begin("tools/call", call).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(&asked, answer).await;
        assert!(tool_error(&wire.receive().await).contains("cannot be read"));
    }
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
}

#[tokio::test]
async fn whoever_takes_too_long_is_not_waited_for() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![confirm])
        .request_state_lifetime(Duration::from_secs(1))
        .build()
        .unwrap();
    let mut wire = connect(&server, "2025-06-18").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    let asked = wire.expect_request("elicitation/create").await;
    let taken_back = wire.receive().await;
    assert_eq!(taken_back["method"], "notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], asked["id"]);
    assert!(tool_error(&wire.receive().await).contains("within 1 s"));
}

#[tokio::test]
async fn a_resolver_that_panics_is_a_failed_call() {
    let server = server(tools![careless, echo]);
    let mut wire = connect(&server, "2025-11-25").await;
    let answer = wire.call("careless", json!({})).await;
    assert!(!tool_error(&answer).contains("secret"), "{answer}");
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
    assert_eq!(code(&wire.call("nothing", json!({})).await), -32602);
}

/// A layer's limit counts what the client has sent for a call, and not what it said of itself when it connected.
#[tokio::test]
async fn a_limit_of_messages_counts_what_was_sent_for_the_call() {
    let tools = tools![confirm, echo].layer(MessageLimit::new(4096));
    let server = server(tools);
    let mut wire = Wire::open(&server);
    wire.meta = Value::Null;
    wire.revision = "2025-11-25";
    let icon = format!("data:image/png;base64,{}", "A".repeat(20_000));
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "wire", "version": "1", "icons": [{"src": icon}]},
    });
    wire.request("initialize", params).await;
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
    let long = wire.call("echo", json!({"text": "x".repeat(5000)})).await;
    assert!(tool_error(&long).contains("4096 bytes"), "{long}");
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    let asked = wire.expect_request("elicitation/create").await;
    wire.answer(
        &asked,
        accept(json!({"confirm": true, "note": "x".repeat(5000)})),
    )
    .await;
    assert!(tool_error(&wire.receive().await).contains("4096 bytes"));
}

/// What a client has answered stays for as long as its call is open, so there is an end to it.
#[tokio::test]
async fn the_answers_to_one_call_have_a_limit() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![confirm, echo])
        .max_message_bytes(4096)
        .build()
        .unwrap();
    let mut wire = connect(&server, "2025-11-25").await;
    let call = json!({"name": "confirm", "arguments": {"what": "it"}});
    wire.begin("tools/call", call).await;
    for length in [1500, 1501, 1502] {
        let asked = wire.expect_request("elicitation/create").await;
        let unfit = accept(json!({"confirm": "x".repeat(length)}));
        wire.answer(&asked, unfit).await;
    }
    let answer = wire.receive().await;
    assert!(tool_error(&answer).contains("4096 bytes"), "{answer}");
    assert_eq!(text(&wire.call("echo", json!({"text": "x"})).await), "x");
}
