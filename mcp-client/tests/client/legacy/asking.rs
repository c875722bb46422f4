//! Requests of the server, on the open call and beside it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Answer, Builder, Client, Consent, HandlerError, Kind, Revision};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{connect_at, form, text};
use crate::support::{Fake, Message, answering, builder, call};

const NEWEST: Revision = Revision::V2025_11_25;

/// A client that is connected, with a call that the server has read.
async fn calling(
    builder: Builder,
    revision: Revision,
) -> (
    Client,
    Fake,
    tokio::task::JoinHandle<Result<mcp_client::ToolCall, mcp_client::Error>>,
    Message,
) {
    let (client, mut fake) = connect_at(builder, revision).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    (client, fake, calling, request)
}

/// Asks one thing and gives back the answer, whichever it is.
async fn asked(builder: Builder, revision: Revision, method: &str, params: Value) -> Value {
    let (_client, mut fake, _calling, _request) = calling(builder, revision).await;
    fake.ask(7, method, params).await;
    (*fake.answered(7).await).clone()
}

#[tokio::test(start_paused = true)]
async fn a_form_is_shown_on_the_open_call() {
    for revision in [Revision::V2025_06_18, NEWEST] {
        let asker = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&asker);
        let builder = builder().on_form(move |question| {
            *seen.lock().unwrap() = Some((question.asker.clone(), question.message.clone()));
            async { Ok::<_, HandlerError>(Answer::accept(json!({"confirm": true}))?) }
        });
        let (_client, mut fake, calling, request) = calling(builder, revision).await;
        fake.ask("q1", "elicitation/create", form("Sure?")).await;
        let answer = fake.answered("q1").await;
        assert_eq!(
            answer["result"],
            json!({"action": "accept", "content": {"confirm": true}})
        );
        fake.reply(&request, text("done")).await;
        let called = calling.await.unwrap().unwrap();
        assert_eq!((called.text().as_str(), called.rounds), ("done", 1));
        let (asker, message) = asker.lock().unwrap().take().unwrap();
        assert_eq!(message, "Sure?");
        assert_eq!(
            (asker.method.as_str(), asker.target.as_str()),
            ("tools/call", "t")
        );
        assert_eq!(asker.server.unwrap().name, "old");
    }
}

#[tokio::test(start_paused = true)]
async fn ids_come_back_as_they_were() {
    let (builder, _) = answering(json!({"confirm": false}));
    let (_client, mut fake, ..) = calling(builder, NEWEST).await;
    for id in [
        json!(0),
        json!(-1),
        json!("0"),
        json!("ä \" \\"),
        json!(9_007_199_254_740_993_u64),
    ] {
        fake.ask(id.clone(), "elicitation/create", form("?")).await;
        fake.answered(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn roots_and_completions_are_answered_in_every_revision() {
    for revision in Revision::LEGACY {
        let builder = builder()
            .on_roots(|_| async {
                let roots = json!({"roots": [{"uri": "file:///a", "name": "a"}]});
                Ok::<_, HandlerError>(serde_json::from_value(roots)?)
            })
            .on_sampling(|question| async move {
                assert_eq!(question.params.max_tokens, 9);
                let said = json!({"role": "assistant", "content": [{"type": "text", "text": "hi"}], "model": "m"});
                Ok::<_, HandlerError>(serde_json::from_value(said)?)
            });
        let (_client, mut fake, ..) = calling(builder, *revision).await;
        fake.line(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#)
            .await;
        let roots = fake.answered(1).await;
        assert_eq!(
            roots["result"],
            json!({"roots": [{"uri": "file:///a", "name": "a"}]})
        );
        let params = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 9});
        fake.ask(2, "sampling/createMessage", params).await;
        let said = fake.answered(2).await;
        let block = json!({"type": "text", "text": "hi"});
        let expected = match *revision {
            // Since then there may be several blocks.
            NEWEST => json!([block]),
            _ => block,
        };
        assert_eq!(said["result"]["content"], expected, "{revision}");
        assert_eq!(said["result"]["model"], "m");
    }
}

#[tokio::test(start_paused = true)]
async fn a_completion_that_the_revision_cannot_say_is_an_error() {
    let two = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let sound = json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav"});
    for (revision, content) in [(Revision::V2025_06_18, two), (Revision::V2024_11_05, sound)] {
        let builder = builder().on_sampling(move |_| {
            let said = json!({"role": "assistant", "content": content, "model": "m"});
            async move { Ok::<_, HandlerError>(serde_json::from_value(said)?) }
        });
        let params = json!({"messages": [], "maxTokens": 9});
        let answer = asked(builder, revision, "sampling/createMessage", params).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains(revision.as_str()), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_is_offered() {
    let builder = builder().on_url(|question| async move {
        assert_eq!(question.host(), "shop.example");
        Ok(Consent::Accept)
    });
    let params = json!({"mode": "url", "message": "Pay", "elicitationId": "e1", "url": "https://shop.example/pay"});
    let answer = asked(builder, NEWEST, "elicitation/create", params).await;
    assert_eq!(answer["result"], json!({"action": "accept"}));
}

#[tokio::test(start_paused = true)]
async fn pings_are_answered_in_every_revision() {
    for revision in Revision::LEGACY {
        let answer = asked(builder(), *revision, "ping", json!({})).await;
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_not_declared_is_no_method() {
    let sample = json!({"messages": [], "maxTokens": 1});
    for (method, params) in [
        ("elicitation/create", form("?")),
        ("sampling/createMessage", sample.clone()),
        ("roots/list", json!({})),
        ("tasks/list", json!({})),
        ("tools/list", json!({})),
    ] {
        let answer = asked(builder(), NEWEST, method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    // A revision without elicitation cannot have declared it.
    let (form_handler, shown) = answering(json!({"confirm": true}));
    let answer = asked(
        form_handler,
        Revision::V2025_03_26,
        "elicitation/create",
        form("?"),
    )
    .await;
    assert_eq!(answer["error"]["code"], -32601);
    assert!(shown.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_part_of_a_capability_that_was_not_declared_is_refused() {
    let (form_handler, _) = answering(json!({"confirm": true}));
    let page =
        json!({"mode": "url", "message": "m", "elicitationId": "e", "url": "https://a.example"});
    let answer = asked(form_handler, NEWEST, "elicitation/create", page).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("elicitation.url"), "{text}");
    let sampling = builder().declare(Kind::Sampling);
    let params = json!({"messages": [], "maxTokens": 1, "tools": []});
    let answer = asked(sampling, NEWEST, "sampling/createMessage", params).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_makes_no_sense_is_refused_before_anybody_sees_it() {
    for params in [
        json!({"message": "no schema"}),
        json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"a": {"type": "object"}}}}),
        json!({}),
        json!([]),
    ] {
        let (builder, shown) = answering(json!({"confirm": true}));
        let answer = asked(builder, NEWEST, "elicitation/create", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
        assert!(shown.lock().unwrap().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_fails_is_an_error_and_no_decline() {
    let fails =
        builder().on_form(|_| async { Err::<Answer, HandlerError>("secret reason".into()) });
    let panics = builder().on_form(|_| async {
        if true {
            panic!("the handler panics");
        }
        Ok::<_, HandlerError>(Answer::Decline)
    });
    let (misfit, _) = answering(json!({"confirm": "maybe"}));
    let nobody = builder().declare(Kind::Form);
    for builder in [fails, panics, misfit, nobody] {
        let answer = asked(builder, NEWEST, "elicitation/create", form("?")).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn people_get_one_question_at_a_time() {
    let shown = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&shown);
    let builder = builder().on_form(move |_| {
        let counter = Arc::clone(&counter);
        async move {
            *counter.lock().unwrap() += 1;
            assert_eq!(*counter.lock().unwrap(), 1);
            sleep(Duration::from_secs(1)).await;
            *counter.lock().unwrap() -= 1;
            Ok::<_, HandlerError>(Answer::Decline)
        }
    });
    let (_client, mut fake, ..) = calling(builder, NEWEST).await;
    let started = Instant::now();
    for id in 1..=3 {
        fake.ask(id, "elicitation/create", form("?")).await;
    }
    for id in 1..=3 {
        let answer = fake.answered(id).await;
        assert_eq!(answer["result"]["action"], "decline", "{}", answer.text);
    }
    assert_eq!(started.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn concurrent_questions_are_asked_side_by_side() {
    let builder = builder().concurrent_questions().on_form(|_| async {
        sleep(Duration::from_secs(1)).await;
        Ok::<_, HandlerError>(Answer::Decline)
    });
    let (_client, mut fake, ..) = calling(builder, NEWEST).await;
    let started = Instant::now();
    for id in 1..=3 {
        fake.ask(id, "elicitation/create", form("?")).await;
    }
    for _ in 1..=3 {
        assert_eq!(fake.next().await.unwrap()["result"]["action"], "decline");
    }
    assert_eq!(started.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_time_that_people_take_is_not_the_requests() {
    let builder = builder()
        .request_timeout(Duration::from_secs(10))
        .on_form(|_| async {
            sleep(Duration::from_secs(3600)).await;
            Ok::<_, HandlerError>(Answer::Decline)
        });
    let (_client, mut fake, calling, request) = calling(builder, NEWEST).await;
    sleep(Duration::from_secs(6)).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.answered(1).await;
    // 6 of the 10 seconds are used up.
    sleep(Duration::from_secs(3)).await;
    assert!(!calling.is_finished());
    let started = Instant::now();
    fake.cancellation_of(&request).await;
    assert_eq!(started.elapsed().as_secs(), 1);
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(error, mcp_client::Error::Timeout { .. }),
        "{error}"
    );
}

/// A form handler that never answers, and tells when it was dropped.
fn waiting() -> (Builder, Arc<Mutex<&'static str>>) {
    struct Told(Arc<Mutex<&'static str>>);
    impl Drop for Told {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = "dropped";
        }
    }
    let state = Arc::new(Mutex::new("not asked"));
    let seen = Arc::clone(&state);
    let builder = builder().on_form(move |_| {
        let told = Told(Arc::clone(&seen));
        async move {
            *told.0.lock().unwrap() = "asked";
            std::future::pending::<Result<Answer, HandlerError>>().await
        }
    });
    (builder, state)
}

#[tokio::test(start_paused = true)]
async fn the_server_may_take_a_question_back() {
    let (builder, state) = waiting();
    let (_client, mut fake, calling, request) = calling(builder, NEWEST).await;
    fake.ask("q", "elicitation/create", form("?")).await;
    fake.hears_nothing().await;
    assert_eq!(*state.lock().unwrap(), "asked");
    fake.notify("notifications/cancelled", json!({"requestId": "other"}))
        .await;
    fake.hears_nothing().await;
    assert_eq!(*state.lock().unwrap(), "asked");
    fake.notify(
        "notifications/cancelled",
        json!({"requestId": "q", "reason": "r"}),
    )
    .await;
    // Nothing is said to it, and the call goes on.
    fake.hears_nothing().await;
    assert_eq!(*state.lock().unwrap(), "dropped");
    fake.reply(&request, text("without")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "without");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_takes_its_question_along() {
    let (builder, state) = waiting();
    let (_client, mut fake, calling, request) = calling(builder, NEWEST).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.hears_nothing().await;
    calling.abort();
    fake.cancellation_of(&request).await;
    let answer = fake.answered(1).await;
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(*state.lock().unwrap(), "dropped");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_after_the_call_is_given_nevertheless() {
    let builder = builder().on_form(|_| async {
        sleep(Duration::from_secs(5)).await;
        Ok::<_, HandlerError>(Answer::Decline)
    });
    let (_client, mut fake, calling, request) = calling(builder, NEWEST).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.reply(&request, text("did not wait")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "did not wait");
    assert_eq!(fake.answered(1).await["result"]["action"], "decline");
}

#[tokio::test(start_paused = true)]
async fn a_question_does_not_outlive_its_call_for_long() {
    let (builder, state) = waiting();
    let builder = builder.request_timeout(Duration::from_secs(10));
    let (client, mut fake, calling, request) = calling(builder, NEWEST).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.hears_nothing().await;
    fake.reply(&request, text("gave up waiting")).await;
    calling.await.unwrap().unwrap();
    // Timeouts run again at once, and the person has a while.
    let started = Instant::now();
    let other = call(&client, "other", json!({}));
    let request = fake.request("tools/call").await;
    fake.cancellation_of(&request).await;
    assert_eq!(started.elapsed().as_secs(), 10);
    assert!(other.await.unwrap().is_err());
    assert_eq!(*state.lock().unwrap(), "asked");
    assert_eq!(fake.answered(1).await["error"]["code"], -32603);
    assert_eq!(started.elapsed().as_secs(), 60);
    assert_eq!(*state.lock().unwrap(), "dropped");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_ask_as_often_as_it_may_have_rounds() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (_client, mut fake, ..) = calling(builder.max_rounds(3), NEWEST).await;
    for id in 0..3 {
        fake.ask(id, "elicitation/create", form("?")).await;
        assert_eq!(fake.answered(id).await["result"]["action"], "accept");
    }
    fake.ask(3, "elicitation/create", form("?")).await;
    assert_eq!(fake.answered(3).await["error"]["code"], -32603);
    assert_eq!(shown.lock().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_connection_takes_questions_back() {
    let (builder, state) = waiting();
    let (client, mut fake, calling, _request) = calling(builder, NEWEST).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.hears_nothing().await;
    client.close().await;
    assert!(calling.await.unwrap().is_err());
    sleep(Duration::from_millis(1)).await;
    assert_eq!(*state.lock().unwrap(), "dropped");
}

#[tokio::test(start_paused = true)]
async fn an_open_question_does_not_keep_a_client_that_nobody_has() {
    let (builder, state) = waiting();
    let (client, mut fake) = connect_at(builder, NEWEST).await;
    fake.ask(1, "elicitation/create", form("?")).await;
    fake.hears_nothing().await;
    drop(client);
    assert!(fake.next().await.is_none());
    assert_eq!(*state.lock().unwrap(), "dropped");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_calls_a_tool_which_asks_is_told_and_does_not_hang() {
    let outer: Arc<Mutex<Option<Client>>> = Arc::default();
    let client_of = Arc::clone(&outer);
    let builder = builder().on_form(move |_| {
        let client = client_of.lock().unwrap().clone().unwrap();
        async move {
            let inner = client.call_tool("inner", json!({})).await?;
            Ok::<_, HandlerError>(Answer::accept(
                json!({"confirm": inner.text() == "refused"}),
            )?)
        }
    });
    let (client, mut fake, calling, request) = calling(builder, NEWEST).await;
    *outer.lock().unwrap() = Some(client.clone());
    fake.ask(1, "elicitation/create", form("outer")).await;
    let inner = fake.request("tools/call").await;
    fake.ask(2, "elicitation/create", form("inner")).await;
    assert_eq!(fake.answered(2).await["error"]["code"], -32603);
    fake.reply(&inner, text("refused")).await;
    assert_eq!(fake.answered(1).await["result"]["content"]["confirm"], true);
    fake.reply(&request, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
    outer.lock().unwrap().take();
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_questions_is_bounded() {
    let (builder, _) = waiting();
    let (_client, mut fake) = connect_at(builder, NEWEST).await;
    for id in 0..101 {
        fake.ask(id, "elicitation/create", form("?")).await;
    }
    assert_eq!(fake.answered(100).await["error"]["code"], -32603);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_on_without_taking_answers_gets_no_more_of_them() {
    let (ours, theirs) = tokio::io::duplex(16 * 1024);
    let (reader, writer) = tokio::io::split(ours);
    let transport = mcp_client::IoTransport::new(reader, writer);
    let mut fake = Fake::over(theirs);
    let pinned = builder().revision(NEWEST);
    let server = fake.shake_hands("2025-11-25", json!({}));
    let (client, _) = tokio::join!(pinned.connect(transport), server);
    let client = client.unwrap();
    for id in 0..5_000 {
        fake.ask(id, "ping", json!({})).await;
        if id % 100 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
    let mut answers = 0;
    while tokio::time::timeout(Duration::from_millis(20), fake.next())
        .await
        .is_ok()
    {
        answers += 1;
    }
    // Those that may wait, and those that have gone into the pipe.
    assert!((1_024..2_000).contains(&answers), "{answers}");
    // And when it takes them, it gets more.
    fake.ask("later", "ping", json!({})).await;
    fake.answered("later").await;
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn what_would_be_a_request_is_no_answer() {
    let (_client, mut fake, calling, request) = calling(builder(), NEWEST).await;
    let id = request.id();
    fake.line(&format!(r#"{{"id":{id},"method":"ping"}}"#))
        .await;
    fake.hears_nothing().await;
    fake.reply(&request, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
}

#[tokio::test(start_paused = true)]
async fn codes_of_today_are_somebodys_own_there() {
    for code in [-32020, -32021, -32022] {
        let (_client, mut fake, calling, request) = calling(builder(), NEWEST).await;
        let data = json!({"supported": [], "requiredCapabilities": {}});
        fake.fail(
            &request,
            json!({"code": code, "message": "own", "data": data}),
        )
        .await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, mcp_client::Error::Rpc(error) if error.code == code),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_host_tells_that_its_roots_have_changed() {
    let (client, mut fake) =
        connect_at(builder().declare(Kind::Roots), Revision::V2024_11_05).await;
    client.roots_changed();
    fake.heard("notifications/roots/list_changed").await;
    let (client, mut fake) = connect_at(builder(), Revision::V2024_11_05).await;
    client.roots_changed();
    fake.hears_nothing().await;
}
