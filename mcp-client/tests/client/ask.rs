//! Asking people: order, one at a time, validation, and what a handler's failure means.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::protocol::{CreateMessageResult, ListRootsResult, Root};
use mcp_client::{Answer, Builder, Client, Consent, Error, Kind};
use serde_json::{Map, Value, json};

use crate::support::{answering, asks, builder, call, confirm, connect, done};

/// The error of a call whose first answer from the server is `result`.
async fn failure(builder: Builder, result: Value) -> Error {
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, result).await;
    let error = calling.await.unwrap().unwrap_err();
    fake.hears_nothing().await;
    error
}

/// The answers that are sent for `requests`.
async fn answers(builder: Builder, requests: Value) -> Value {
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let first = fake.request("tools/call").await;
    fake.reply(&first, asks(requests, json!("s"))).await;
    let second = fake.request("tools/call").await;
    fake.reply(&second, done("ok")).await;
    calling.await.unwrap().unwrap();
    second.params()["inputResponses"].clone()
}

fn url(address: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": address}})
}

#[tokio::test(start_paused = true)]
async fn the_handler_learns_who_asks_what_in_which_call() {
    let builder = builder().on_form(|question| async move {
        assert_eq!(question.key, "answer");
        assert_eq!(question.message, "Sure?");
        assert!(question.schema.field("confirm").is_some());
        assert_eq!(question.asker.server.unwrap().name, "fake");
        assert_eq!(
            (&*question.asker.method, &*question.asker.target),
            ("tools/call", "t")
        );
        assert_eq!(question.asker.round, 1);
        Ok(Answer::Decline)
    });
    let sent = answers(builder, json!({"answer": confirm("Sure?")})).await;
    assert_eq!(sent, json!({"answer": {"action": "decline"}}));
}

#[tokio::test(start_paused = true)]
async fn a_form_without_a_mode_is_a_form() {
    let (builder, _) = answering(json!({"confirm": false}));
    let mut question = confirm("?");
    question["params"].as_object_mut().unwrap().remove("mode");
    let sent = answers(builder, json!({"a": question})).await;
    assert_eq!(
        sent,
        json!({"a": {"action": "accept", "content": {"confirm": false}}})
    );
}

#[tokio::test(start_paused = true)]
async fn decline_and_cancel_are_sent_and_not_raised() {
    for (answer, action) in [(Answer::Decline, "decline"), (Answer::Cancel, "cancel")] {
        let builder = builder().on_form(move |question| {
            let answer = answer.clone();
            async move {
                // In a round with several questions, only one is turned down.
                if question.key == "b" {
                    Ok(answer)
                } else {
                    Ok(Answer::accept(json!({"confirm": true}))?)
                }
            }
        });
        let sent = answers(builder, json!({"a": confirm("A?"), "b": confirm("B?")})).await;
        assert_eq!(sent["a"]["action"], "accept");
        assert_eq!(sent["b"], json!({"action": action}));
    }
}

#[tokio::test(start_paused = true)]
async fn consent_to_a_page_has_no_content() {
    for (consent, action) in [
        (Consent::Accept, "accept"),
        (Consent::Decline, "decline"),
        (Consent::Cancel, "cancel"),
    ] {
        let builder = builder().on_url(move |question| async move {
            assert_eq!(question.url, "https://pay.example/connect?x=1");
            assert_eq!(question.host(), "pay.example");
            Ok(consent)
        });
        let sent = answers(
            builder,
            json!({"a": url("https://pay.example/connect?x=1")}),
        )
        .await;
        assert_eq!(sent, json!({"a": {"action": action}}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_no_web_page_reaches_nobody() {
    for address in ["javascript:alert(1)", "file:///etc/passwd", "not a url", ""] {
        let builder = builder().on_url(|_| async { panic!("somebody was asked") });
        let error = failure(builder, asks(json!({"a": url(address)}), json!("s"))).await;
        assert!(
            matches!(&error, Error::InvalidQuestion { key, .. } if key == "a"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn sampling_and_roots_are_answered_too() {
    let builder = builder()
        .on_sampling(|question| async move {
            assert_eq!(question.params.max_tokens, 100);
            Ok(serde_json::from_value::<CreateMessageResult>(json!({
                "role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"
            }))?)
        })
        .on_roots(|_| async {
            Ok(ListRootsResult {
                roots: vec![Root::new("file:///home/me")],
            })
        });
    let sent = answers(
        builder,
        json!({
            "model": {"method": "sampling/createMessage", "params": {
                "messages": [{"role": "user", "content": {"type": "text", "text": "Capital of France?"}}],
                "maxTokens": 100
            }},
            "roots": {"method": "roots/list"}
        }),
    )
    .await;
    assert_eq!(sent["model"]["content"]["text"], "Paris");
    assert_eq!(
        sent["roots"],
        json!({"roots": [{"uri": "file:///home/me"}]})
    );
}

#[tokio::test(start_paused = true)]
async fn sampling_with_tools_must_be_declared() {
    let builder = builder().on_sampling(|_| async { panic!("the model was asked") });
    let request = json!({"method": "sampling/createMessage", "params": {
        "messages": [], "maxTokens": 1, "toolChoice": {"mode": "auto"}
    }});
    let error = failure(builder, asks(json!({"a": request}), json!("s"))).await;
    assert!(
        matches!(&error, Error::UndeclaredInput { kind, .. } if kind == "sampling.tools"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn people_are_asked_in_the_servers_order() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let _calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let (z, a, m) = (confirm("first"), confirm("second"), confirm("third"));
    let requests = format!(r#"{{"z":{z},"a":{a},"m":{m}}}"#);
    fake.reply_raw(
        &request,
        &format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#),
    )
    .await;
    fake.request("tools/call").await;
    assert_eq!(*shown.lock().unwrap(), ["first", "second", "third"]);
}

/// A form handler that takes a second, and the most that were ever open at once.
fn slow() -> (Builder, Arc<AtomicUsize>) {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let builder = builder().on_form(move |_| {
        let (open, seen) = (Arc::clone(&open), Arc::clone(&seen));
        async move {
            seen.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            open.fetch_sub(1, Ordering::SeqCst);
            Ok(Answer::accept(json!({"confirm": true}))?)
        }
    });
    (builder, most)
}

/// Two calls side by side, each with two questions in its round.
async fn two_calls(builder: Builder) {
    let (client, mut fake) = connect(builder).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        fake.reply(
            &request,
            asks(json!({"x": confirm("x"), "y": confirm("y")}), json!("s")),
        )
        .await;
    }
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        assert_eq!(
            request.params()["inputResponses"]
                .as_object()
                .unwrap()
                .len(),
            2
        );
        fake.reply(&request, done("ok")).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn people_are_asked_one_question_at_a_time() {
    let (builder, most) = slow();
    two_calls(builder).await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_host_may_want_all_questions_at_once() {
    let (builder, most) = slow();
    two_calls(builder.concurrent_questions()).await;
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_is_not_sent() {
    let form = |properties: Value, required: Value| {
        json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
            "type": "object", "properties": properties, "required": required
        }}})
    };
    let choice = json!({"type": "array", "items": {"type": "string", "enum": ["Red", "Green"]}});
    for (properties, content, field) in [
        (json!({"n": {"type": "integer"}}), json!({"n": "3"}), "n"),
        (json!({"b": {"type": "boolean"}}), json!({"b": "true"}), "b"),
        (
            json!({"s": {"type": "string", "minLength": 1}}),
            json!({"s": ""}),
            "s",
        ),
        (json!({"c": choice}), json!({"c": ["Red", "Mauve"]}), "c"),
        (json!({"n": {"type": "integer"}}), json!({}), "n"),
    ] {
        let (builder, _) = answering(content.clone());
        let question = form(properties, json!([field]));
        let error = failure(builder, asks(json!({"a": question}), json!("s"))).await;
        let Error::InvalidAnswer { key, reason } = &error else {
            panic!("{error}")
        };
        assert_eq!(key, "a");
        assert!(reason.contains(field), "{content}: {reason}");
        assert!(
            !reason.contains("Mauve"),
            "values are not repeated: {reason}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_can_check_an_answer_itself() {
    let builder = builder().on_form(|question| async move {
        assert!(question.validate(&Map::new()).is_err());
        let good = json!({"confirm": true}).as_object().unwrap().clone();
        assert_eq!(question.validate(&good), Ok(()));
        Ok(Answer::Accept(good))
    });
    answers(builder, json!({"a": confirm("?")})).await;
}

#[tokio::test(start_paused = true)]
async fn a_handlers_error_is_not_a_decline() {
    let builder = builder().on_form(|_| async { Err("the terminal is gone".into()) });
    let error = failure(builder, asks(json!({"a": confirm("?")}), json!("s"))).await;
    let Error::Handler {
        key,
        kind: Kind::Form,
        source,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (key.as_str(), source.to_string().as_str()),
        ("a", "the terminal is gone")
    );
}

#[tokio::test(start_paused = true)]
async fn with_all_questions_at_once_a_handlers_error_ends_the_call_as_well() {
    let builder = builder()
        .concurrent_questions()
        .on_form(|question| async move {
            if question.key == "b" {
                return Err("the terminal is gone".into());
            }
            std::future::pending().await
        });
    let requests = json!({"a": confirm("?"), "b": confirm("?")});
    let error = failure(builder, asks(requests, json!("s"))).await;
    assert!(
        matches!(&error, Error::Handler { key, .. } if key == "b"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_handler_nobody_is_asked_and_nothing_is_sent() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let requests = json!({"a": confirm("?"), "b": url("https://pay.example/")});
    let error = failure(builder.declare(Kind::Url), asks(requests, json!("s"))).await;
    assert!(
        matches!(&error, Error::NoHandler { key, kind: Kind::Url } if key == "b"),
        "{error}"
    );
    assert!(shown.lock().unwrap().is_empty(), "no half of a round");
}

#[tokio::test(start_paused = true)]
async fn an_undeclared_kind_is_a_protocol_error_and_nobody_is_asked() {
    for (request, expected) in [
        (url("https://pay.example/"), "elicitation.url"),
        (
            json!({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}),
            "sampling",
        ),
        (json!({"method": "roots/list"}), "roots"),
        (
            json!({"method": "elicitation/create", "params": {"mode": "voice", "message": "?"}}),
            "elicitation.voice",
        ),
        (json!({"method": "ping"}), "ping"),
    ] {
        let (builder, shown) = answering(json!({"confirm": true}));
        let requests = json!({"a": confirm("?"), "b": request});
        let error = failure(builder, asks(requests, json!("s"))).await;
        let Error::UndeclaredInput { key, kind } = &error else {
            panic!("{error}")
        };
        assert_eq!((key.as_str(), kind.as_str()), ("b", expected));
        assert!(shown.lock().unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_form_is_undeclared_where_only_pages_are_declared() {
    let builder = builder().on_url(|_| async { Ok(Consent::Accept) });
    let error = failure(builder, asks(json!({"a": confirm("?")}), json!("s"))).await;
    assert!(
        matches!(&error, Error::UndeclaredInput { kind, .. } if kind == "elicitation.form"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_form_that_is_not_flat_reaches_nobody() {
    for schema in [
        json!({"type": "object", "properties": {"o": {"type": "object", "properties": {}}}}),
        json!({"type": "object", "properties": {"n": {"type": "null"}}}),
        json!({"type": "string"}),
        json!(null),
    ] {
        let (builder, shown) = answering(json!({}));
        let question = json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": schema}});
        let error = failure(builder, asks(json!({"a": question}), json!("s"))).await;
        assert!(
            matches!(&error, Error::InvalidQuestion { key, .. } if key == "a"),
            "{schema}: {error}"
        );
        assert!(shown.lock().unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_while_a_person_is_asked_takes_the_question_back() {
    struct Open(Arc<AtomicUsize>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let closed = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&closed);
    let builder = builder().on_form(move |_| {
        let open = Open(Arc::clone(&counter));
        async move {
            let _open = open;
            std::future::pending().await
        }
    });
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({"a": confirm("?")}), json!("s")))
        .await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    assert_eq!(closed.load(Ordering::SeqCst), 1);
    // No decline was sent, and no request is in flight that could be cancelled.
    fake.hears_nothing().await;
    // The next question has its turn.
    let _calling = call(&client, "t", json!({}));
    fake.request("tools/call").await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_own_call_asks_gets_an_error_and_not_a_deadlock() {
    let cell: Arc<std::sync::OnceLock<Client>> = Arc::default();
    let nested = Arc::clone(&cell);
    let asking = builder().on_form(move |_| {
        let nested = Arc::clone(&nested);
        async move {
            let client = nested.get().unwrap().clone();
            client.call_tool("inner", json!({})).await?;
            Ok(Answer::Decline)
        }
    });
    let (client, mut fake) = connect(asking).await;
    cell.set(client.clone()).unwrap();
    let calling = call(&client, "outer", json!({}));
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        fake.reply(&request, asks(json!({"k": confirm("Sure?")}), json!("s")))
            .await;
    }
    let error = calling.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("from within a handler"), "{error}");
}
