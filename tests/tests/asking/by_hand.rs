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

/// Has the user sign in, and then confirm.
#[tool]
async fn sign_in_and_confirm(ctx: Context) -> Result<Outcome<String>, ToolError> {
    let keys: Vec<_> = ctx.input_responses().keys().collect();
    if let Some(Elicit::Accept(Confirm { confirm: true })) =
        ctx.input_responses().form("confirm")?
    {
        return Ok(Outcome::Complete(format!("released by {}", keys.join(" "))));
    }
    Ok(Outcome::InputRequired(match ctx.request_state() {
        None => InputRequired::new()
            .url("login", "Sign in.", "https://shop.example/in")
            .state("1"),
        Some(_) => InputRequired::new()
            .form::<Confirm>("confirm", "Release?")
            .state("2"),
    }))
}

/// A verified state says that this server asked something, not that it asked what is answered.
#[tokio::test]
async fn an_answer_counts_only_for_what_was_asked_in_the_round_before() {
    let (server, _) = server(tools![sign_in_and_confirm]);
    let mut wire = Wire::open(&server);
    let tool = "sign_in_and_confirm";
    let yes = || json!({"action": "accept", "content": {"confirm": true}});
    let first = wire.call(tool, json!({})).await;
    assert_eq!(asked(&first), ["login"]);
    let early = json!({"confirm": yes(), "login": {"action": "accept"}});
    let second = wire.retry(tool, json!({}), &first, early.clone()).await;
    assert_eq!(asked(&second), ["confirm"]);
    // Now that it was asked it counts, and the sign-in no longer does.
    let last = wire.retry(tool, json!({}), &second, early).await;
    assert_eq!(text(&last), "released by confirm");
}

/// Begins a flow and remembers a price, without a state of its own.
#[tool]
async fn begin_payment(ctx: Context) -> Result<Outcome<String>, ToolError> {
    let flow = ctx.flow("pay")?;
    let round = ctx.round();
    let first: u32 = ctx
        .memo("first round", async { Ok::<_, ToolError>(round) })
        .await?;
    if let Some(Elicit::Accept(())) = ctx.input_responses().url("pay")? {
        return Ok(Outcome::Complete(format!("{} {first}", flow.id())));
    }
    let url = format!("https://pay.example/{}", flow.id());
    Ok(Outcome::InputRequired(
        InputRequired::new().url("pay", "Pay.", url),
    ))
}

#[tokio::test]
async fn flows_and_memos_are_sealed_without_a_state_of_the_tools_own() {
    let (server, _) = server(tools![begin_payment]);
    let mut wire = Wire::open(&server);
    let first = wire.call("begin_payment", json!({})).await;
    let url = first["result"]["inputRequests"]["pay"]["params"]["url"]
        .as_str()
        .unwrap();
    let flow = url.strip_prefix("https://pay.example/").unwrap();
    let agreed = json!({"pay": {"action": "accept"}});
    let last = wire.retry("begin_payment", json!({}), &first, agreed).await;
    assert_eq!(text(&last), format!("{flow} 1"));
}

fn colours(values: &[&str]) -> FormSchema {
    FormSchema::new()
        .choice("colour", values.iter().copied(), |field| field)
        .integer("count", |field| field.minimum(1).optional())
}

/// Asks with a form that is made at run time.
#[tool]
async fn paint(values: Vec<String>, ctx: Context) -> Result<Outcome<String>, ToolError> {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let form = colours(&values);
    Ok(match ctx.input_responses().form_schema("colour", &form)? {
        Some(answer) => Outcome::Complete(format!(
            "{:?}",
            answer.map(|fields| json!(fields).to_string())
        )),
        None => Outcome::InputRequired(
            InputRequired::new()
                .form_schema("colour", "Which one?", form)
                .state("asked"),
        ),
    })
}

#[tokio::test]
async fn a_form_of_run_time_has_a_reader_that_validates() {
    let (server, _) = server(tools![paint]);
    let mut wire = Wire::open(&server);
    let arguments = json!({"values": ["red", "green"]});
    let first = wire.call("paint", arguments.clone()).await;
    assert_eq!(asked(&first), ["colour"]);
    for (answer, expected) in [
        (
            json!({"action": "accept", "content": {"colour": "red", "count": 2.0, "other": 1}}),
            r#"Accept("{\"colour\":\"red\",\"count\":2}")"#,
        ),
        (json!({"action": "decline"}), "Decline"),
        (json!({"action": "cancel"}), "Cancel"),
    ] {
        let last = wire
            .retry(
                "paint",
                arguments.clone(),
                &first,
                json!({"colour": answer}),
            )
            .await;
        assert_eq!(text(&last), expected);
    }
    for content in [
        json!({"colour": "mauve"}),
        json!({"colour": "red", "count": 0}),
        json!({}),
    ] {
        let answer = json!({"colour": {"action": "accept", "content": content}});
        let last = wire.retry("paint", arguments.clone(), &first, answer).await;
        let error = tool_error(&last);
        assert!(
            error.starts_with("the answer to `colour` does not fit: ") && !error.contains("mauve"),
            "{error}"
        );
    }
    let wrong = json!({"colour": {"roots": []}});
    let last = wire.retry("paint", arguments, &first, wrong).await;
    assert_eq!(code(&last), -32602);
}

#[tokio::test]
async fn a_form_of_run_time_with_faults_is_not_sent() {
    let (server, _) = server(tools![paint]);
    let mut wire = Wire::open(&server);
    for values in [json!([]), json!(["red", "red"])] {
        let answer = wire.call("paint", json!({"values": values})).await;
        assert_eq!(code(&answer), -32603, "{values}");
    }
}

/// Asks something about each of its items.
#[tool]
async fn about_each(items: u32) -> Outcome<String> {
    let asks = (1..items).fold(InputRequired::new(), |asks, at| {
        asks.url(format!("{at:06}"), "Pay.", "https://pay.example")
    });
    // Two of them under one key, so that nothing of it goes out.
    Outcome::InputRequired(asks.url("000001", "Pay.", "https://pay.example"))
}

/// How long it takes to look them through does not grow with the square of their number.
#[tokio::test]
async fn many_questions_are_looked_through_soon() {
    let (server, _) = server(tools![about_each]);
    let mut wire = Wire::open(&server);
    let begun = std::time::Instant::now();
    let answer = wire.call("about_each", json!({"items": 100_000})).await;
    assert_eq!(code(&answer), -32603);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}
