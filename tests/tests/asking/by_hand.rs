//! Tools that ask by hand: `Outcome::InputRequired`, with and without a state.

use mcp_server::core::schema::FormSchema;
use mcp_server::prelude::*;
use mcp_server::testing::TestHost;
use mcp_tests::{
    official::call,
    wire::{Wire, asked, code, message, retry_params, text, tool_error},
};
use serde_json::json;

use crate::support::{Amount, Confirm, server};

/// Issues a refund after a lead has confirmed it.
#[tool]
async fn issue_refund(refund_id: String, ctx: Context) -> Result<Outcome<String>, ToolError> {
    let Some(state) = ctx.request_state() else {
        ctx.require(Kind::Form)?;
        return Ok(Outcome::InputRequired(
            InputRequired::new()
                .form::<Confirm>("confirm", format!("Refund {refund_id}?"))
                .state(format!("id {refund_id}")),
        ));
    };
    Ok(Outcome::Complete(
        match ctx.input_responses().form("confirm")? {
            Some(Elicit::Accept(Confirm { confirm: true })) => format!("{state} refunded"),
            Some(Elicit::Accept(_) | Elicit::Decline) => format!("{state} kept"),
            Some(Elicit::Cancel) => format!("{state} closed"),
            None => format!("{state} unanswered"),
        },
    ))
}

#[tokio::test]
async fn a_state_made_by_hand_is_sealed_and_comes_back() {
    let (server, bodies) = server(tools![issue_refund]);
    let host = || TestHost::new(&server);
    let arguments = json!({"refund_id": "R-1"});
    let accepted = host().answer("confirm", json!({"confirm": true}));
    let done = call(&accepted, "issue_refund", arguments.clone()).await;
    done.assert_text("id R-1 refunded");
    done.assert_asked(["confirm"]);
    assert_eq!(done.question("confirm").message, "Refund R-1?");
    let declined = call(
        &host().decline("confirm"),
        "issue_refund",
        arguments.clone(),
    )
    .await;
    declined.assert_text("id R-1 kept");
    let closed = call(&host().cancel("confirm"), "issue_refund", arguments.clone()).await;
    closed.assert_text("id R-1 closed");
    // A body that asks by hand runs in each round.
    bodies.assert_ran("issue_refund", 6);

    let mut wire = Wire::open(&server);
    let first = wire.call("issue_refund", arguments.clone()).await;
    let state = first["result"]["requestState"].as_str().unwrap();
    assert!(
        state.starts_with("v1.") && !state.contains("R-1"),
        "{state}"
    );
    // Without a state the answers are nobody's, and the call begins anew.
    let params = json!({
        "name": "issue_refund", "arguments": arguments,
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
    });
    let answer = wire.request("tools/call", params).await;
    assert_eq!(asked(&answer), ["confirm"]);
    let last = wire
        .retry("issue_refund", arguments, &first, json!({}))
        .await;
    assert_eq!(text(&last), "id R-1 unanswered");
}

#[tokio::test]
async fn by_hand_an_answer_that_does_not_fit_is_an_error_that_names_the_field() {
    let (server, _) = server(tools![issue_refund]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"refund_id": "R-1"});
    let first = wire.call("issue_refund", arguments.clone()).await;
    let content = json!({"confirm": {"action": "accept", "content": {"confirm": "sure thing"}}});
    let last = wire
        .retry("issue_refund", arguments.clone(), &first, content)
        .await;
    let error = tool_error(&last);
    assert!(
        error.contains("confirm") && !error.contains("sure thing"),
        "{error}"
    );
    let unknown = json!({"confirm": {"action": "perhaps"}});
    let last = wire.retry("issue_refund", arguments, &first, unknown).await;
    assert_eq!(code(&last), -32602);
}

#[tokio::test]
async fn by_hand_the_capability_is_required_too() {
    let (server, _) = server(tools![issue_refund]);
    let mut wire = Wire::open(&server);
    wire.declare(json!({"elicitation": {"url": {}}}));
    let answer = wire.call("issue_refund", json!({"refund_id": "R-1"})).await;
    assert_eq!(code(&answer), -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({"elicitation": {"form": {}}})
    );
}

/// Asks whatever it was told to, without looking at what the client can do.
#[tool]
async fn careless(what: String, ctx: Context) -> Outcome<String> {
    let asked = InputRequired::new();
    if !ctx.unverified_input_responses().is_empty() {
        let verified = ctx.input_responses().keys().count();
        let unverified: Vec<String> = ctx
            .unverified_input_responses()
            .keys()
            .map(|key| key.into_owned())
            .collect();
        return Outcome::Complete(format!(
            "{verified} verified, unverified: {}",
            unverified.join(" ")
        ));
    }
    Outcome::InputRequired(match what.as_str() {
        "form" => asked.form::<Amount>("amount", "How many?"),
        "page" => asked.url("page", "Go there.", "https://shop.example/"),
        "bad page" => asked.url("page", "Go there.", "http://shop.example/"),
        "run time" => asked.form_schema("colour", "Which one?", FormSchema::new()),
        "twice" => asked
            .form::<Amount>("amount", "How many?")
            .form::<Confirm>("amount", "Sure?"),
        "state only" => asked.state("x"),
        _ => asked,
    })
}

/// A result made by hand without a state gets none added, and what is answered to it is not verified.
#[tokio::test]
async fn without_a_state_none_is_added_and_the_answers_are_unverified() {
    let (server, _) = server(tools![careless]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"what": "form"});
    let first = wire.call("careless", arguments.clone()).await;
    assert_eq!(asked(&first), ["amount"]);
    assert_eq!(first["result"].get("requestState"), None);
    let responses = json!({"amount": {"action": "accept", "content": {"amount": 1}}});
    let params = retry_params("careless", arguments, &first, responses);
    assert_eq!(params.get("requestState"), None);
    let last = wire.request("tools/call", params).await;
    assert_eq!(text(&last), "0 verified, unverified: amount");
}

#[tokio::test]
async fn a_question_of_a_kind_that_was_not_declared_never_goes_out() {
    let (server, _) = server(tools![careless]);
    let mut wire = Wire::open(&server);
    wire.declare(json!({"elicitation": {}}));
    let answer = wire.call("careless", json!({"what": "page"})).await;
    assert_eq!(code(&answer), -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({"elicitation": {"url": {}}})
    );
}

#[tokio::test]
async fn an_input_request_must_be_one() {
    let (server, _) = server(tools![careless]);
    let mut wire = Wire::open(&server);
    for what in ["nothing at all", "twice", "bad page"] {
        let answer = wire.call("careless", json!({"what": what})).await;
        assert_eq!(code(&answer), -32603, "{what}");
    }
    let only_state = wire.call("careless", json!({"what": "state only"})).await;
    assert_eq!(only_state["result"]["resultType"], "input_required");
    assert_eq!(only_state["result"].get("inputRequests"), None);
    assert!(only_state["result"]["requestState"].is_string());
    let empty_form = wire.call("careless", json!({"what": "run time"})).await;
    assert_eq!(message(&empty_form, "colour"), "Which one?");
}

/// Its rounds count like any other's.
#[tokio::test]
async fn rounds_by_hand_are_limited() {
    let (server, _) = server(tools![careless]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"what": "state only"});
    let mut answer = wire.call("careless", arguments.clone()).await;
    for _ in 0..15 {
        assert_eq!(asked(&answer), Vec::<&str>::new());
        answer = wire
            .retry("careless", arguments.clone(), &answer, json!({}))
            .await;
    }
    assert_eq!(asked(&answer), Vec::<&str>::new());
    let last = wire.retry("careless", arguments, &answer, json!({})).await;
    assert!(tool_error(&last).contains("16 times"));
}
