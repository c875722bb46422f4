//! What a client can be asked for is what this very request declares, by mode; and it is looked at before any work.

use mcp_server::prelude::*;
use mcp_server::testing::BodyCount;
use mcp_tests::wire::{Wire, asked, code, text};
use serde_json::{Value, json};

use crate::support::{Confirm, Counter, server};

/// Needs a form whatever its arguments are.
#[tool]
async fn form(#[elicit("Go on?")] answer: Resolve<Confirm>) -> String {
    format!("{}", answer.confirm)
}

/// Needs a page.
#[tool]
async fn page(
    #[resolve(Ask::url("Sign in.", "https://shop.example/in"))] done: Resolve<Confirm>,
) -> String {
    format!("{}", done.confirm)
}

/// Needs a page first and then a form.
#[tool]
async fn both(
    runs: State<Counter>,
    #[resolve(sign_in(&runs))] signed_in: Elicit<Confirm>,
    #[elicit("Go on?")] answer: Elicit<Confirm>,
) -> String {
    format!("{signed_in:?} {answer:?}")
}

fn sign_in(runs: &Counter) -> Ask<Confirm> {
    runs.add();
    Ask::url("Sign in.", "https://shop.example/in")
}

fn missing(answer: &Value) -> &Value {
    assert_eq!(code(answer), -32021, "{answer}");
    &answer["error"]["data"]["requiredCapabilities"]
}

#[tokio::test]
async fn each_mode_must_be_declared_and_a_bare_elicitation_means_forms() {
    let (server, bodies) = server(tools![form, page]);
    let mut wire = Wire::open(&server);
    let form_needed = json!({"elicitation": {"form": {}}});
    let page_needed = json!({"elicitation": {"url": {}}});
    for (declared, has_form, has_page) in [
        (json!({}), false, false),
        (json!({"elicitation": {}}), true, false),
        (json!({"elicitation": {"form": {}}}), true, false),
        (json!({"elicitation": {"url": {}}}), false, true),
        (json!({"elicitation": {"form": {}, "url": {}}}), true, true),
        (json!({"sampling": {}, "roots": {}}), false, false),
        (json!({"elicitation": {"later": {}}}), true, false),
    ] {
        wire.declare(declared.clone());
        let answer = wire.call("form", json!({})).await;
        if has_form {
            assert_eq!(asked(&answer), ["answer"], "{declared}");
        } else {
            assert_eq!(missing(&answer), &form_needed, "{declared}");
        }
        let answer = wire.call("page", json!({})).await;
        if has_page {
            assert_eq!(asked(&answer), ["done"], "{declared}");
        } else {
            assert_eq!(missing(&answer), &page_needed, "{declared}");
        }
    }
    bodies.assert_ran("form", 0);
    bodies.assert_ran("page", 0);
}

/// A person who has answered half must not learn then that the rest cannot be asked.
#[tokio::test]
async fn unconditional_questions_are_checked_in_the_first_round_before_any_resolver_runs() {
    let runs = std::sync::Arc::new(Counter::default());
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .shared_state(runs.clone())
        .tools(tools![both])
        .layer(bodies.clone())
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    wire.declare(json!({"elicitation": {"url": {}}}));
    let answer = wire.call("both", json!({})).await;
    assert_eq!(missing(&answer), &json!({"elicitation": {"form": {}}}));
    assert_eq!(runs.get(), 0);
    bodies.assert_ran("both", 0);
}

/// What an earlier request declared does not count for a later one.
#[tokio::test]
async fn capabilities_are_those_of_this_request() {
    let (server, bodies) = server(tools![form]);
    let mut wire = Wire::open(&server);
    let first = wire.call("form", json!({})).await;
    assert_eq!(asked(&first), ["answer"]);
    wire.declare(json!({}));
    let responses = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    let answer = wire
        .retry("form", json!({}), &first, responses.clone())
        .await;
    assert_eq!(missing(&answer), &json!({"elicitation": {"form": {}}}));
    bodies.assert_ran("form", 0);
    wire.declare(json!({"elicitation": {}}));
    let last = wire.retry("form", json!({}), &first, responses).await;
    assert_eq!(text(&last), "true");
}

/// Has a value for clients that cannot be asked, and lets a resolver choose.
#[tool]
async fn lenient(
    ctx: Context,
    #[resolve(Ask::form("Go on?").or_if_unsupported(Confirm { confirm: false }))] answer: Elicit<
        Confirm,
    >,
    #[resolve(choose(&ctx))] chosen: Resolve<String>,
) -> String {
    format!("{answer:?} {}", *chosen)
}

fn choose(ctx: &Context) -> Ask<String> {
    Ask::ready(format!(
        "{} {} {} {}",
        ctx.can_ask(Kind::Form),
        ctx.can_ask(Kind::Url),
        ctx.can_ask(Kind::Sampling),
        ctx.can_ask(Kind::Roots)
    ))
}

#[tokio::test]
async fn a_fallback_stands_in_where_the_client_cannot_be_asked() {
    let (server, _) = server(tools![lenient]);
    let mut wire = Wire::open(&server);
    wire.declare(json!({"sampling": {}, "roots": {}}));
    let answer = wire.call("lenient", json!({})).await;
    assert_eq!(
        text(&answer),
        "Accept(Confirm { confirm: false }) false false true true"
    );
    wire.declare(json!({"elicitation": {}}));
    let first = wire.call("lenient", json!({})).await;
    assert_eq!(asked(&first), ["answer"]);
    let responses = json!({"answer": {"action": "decline"}});
    let last = wire.retry("lenient", json!({}), &first, responses).await;
    assert_eq!(text(&last), "Decline true false false false");
}
