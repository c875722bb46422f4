//! Rounds: ids, the state's echo, pacing, the cap.

use std::time::Duration;

use mcp_client::{CallOptions, Error};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{answering, asks, builder, call, confirm, connect, done};

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_and_the_call_finished() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "delete", json!({"note": 1}));
    let first = fake.request("tools/call").await;
    assert_eq!(first.params().get("inputResponses"), None);
    assert_eq!(first.params().get("requestState"), None);
    fake.reply(
        &first,
        asks(json!({"answer": confirm("Delete?")}), json!("sealed")),
    )
    .await;
    let second = fake.request("tools/call").await;
    assert_eq!(
        second.params()["inputResponses"],
        json!({"answer": {"action": "accept", "content": {"confirm": true}}})
    );
    assert_eq!(second.params()["requestState"], "sealed");
    fake.reply(&second, done("gone")).await;
    let finished = calling.await.unwrap().unwrap();
    assert_eq!((finished.text().as_str(), finished.rounds), ("gone", 2));
    assert_eq!(*shown.lock().unwrap(), ["Delete?"]);
}

#[tokio::test(start_paused = true)]
async fn every_round_has_a_new_id() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut ids = Vec::new();
    for _ in 0..4 {
        let request = fake.request("tools/call").await;
        ids.push(request.id());
        let reply = if ids.len() < 4 {
            asks(json!({}), json!("s"))
        } else {
            done("ok")
        };
        fake.reply(&request, reply).await;
    }
    calling.await.unwrap().unwrap();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

#[tokio::test(start_paused = true)]
async fn the_state_goes_back_byte_for_byte() {
    let long = format!("\"{}\"", "é🎉".repeat(10_000));
    for state in [
        r#""quote \" backslash \\ solidus \/ and /""#,
        r#""\u2028 \u00e9 é \ud83c\udf89 🎉""#,
        "\"\u{2028}\u{2029}\"",
        r#""\ud800 alone""#,
        r#""""#,
        r#""  spaces  ""#,
        &long,
    ] {
        let (client, mut fake) = connect(builder()).await;
        let calling = call(&client, "t", json!({}));
        let first = fake.request("tools/call").await;
        let result = format!(r#"{{"resultType":"input_required","requestState":{state}}}"#);
        fake.reply_raw(&first, &result).await;
        // A lone surrogate cannot be decoded, so the text is compared.
        let line = fake.line_text().await;
        assert!(
            line.contains(&format!(r#""requestState":{state}"#)),
            "{state}"
        );
        drop(calling);
    }
}

#[tokio::test(start_paused = true)]
async fn no_state_is_sent_where_none_came() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let states = [json!("one"), Value::Null, json!("three")];
    for state in &states {
        let request = fake.request("tools/call").await;
        let mut reply = asks(json!({"a": confirm("?")}), state.clone());
        if state.is_null() {
            reply.as_object_mut().unwrap().remove("requestState");
        }
        fake.reply(&request, reply).await;
        // Round 3 follows a result without state: the one before must not linger.
        let had_state = request.params().get("requestState").is_some();
        assert_eq!(
            had_state,
            request.params()["requestState"] == "one",
            "{}",
            request.text
        );
    }
    let last = fake.request("tools/call").await;
    assert_eq!(last.params()["requestState"], "three");
    fake.reply(&last, done("ok")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_state_belongs_to_its_call_alone() {
    let (client, mut fake) = connect(builder()).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        let state = format!("state of {}", request.params()["name"]);
        fake.reply(&request, asks(json!({}), json!(state))).await;
    }
    // A third call and a list in between carry nothing of it.
    let (listing, third) = (client.clone(), call(&client, "c", json!({})));
    let listing = tokio::spawn(async move { listing.list_tools().await });
    for _ in 0..4 {
        let request = fake.next().await.unwrap();
        match request.params()["name"].as_str() {
            Some(name @ ("a" | "b")) => {
                assert_eq!(
                    request.params()["requestState"],
                    format!("state of {name:?}")
                );
                fake.reply(&request, done("ok")).await;
            }
            Some(_) => {
                assert_eq!(request.params().get("requestState"), None);
                fake.reply(&request, done("ok")).await;
            }
            None => {
                assert_eq!(request.params().get("requestState"), None);
                fake.reply(&request, json!({"resultType": "complete", "tools": []}))
                    .await;
            }
        }
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    third.await.unwrap().unwrap();
    listing.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn answers_of_an_earlier_round_are_not_sent_again() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    for key in ["first", "second"] {
        let request = fake.request("tools/call").await;
        fake.reply(&request, asks(json!({key: confirm("?")}), json!(key)))
            .await;
    }
    let last = fake.request("tools/call").await;
    let keys: Vec<_> = last.params()["inputResponses"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(keys, ["second"]);
    fake.reply(&last, done("ok")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn rounds_without_a_question_are_paced() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut request = fake.request("tools/call").await;
    for expected in [50, 100, 200, 250, 250] {
        fake.reply(&request, asks(json!({}), json!("busy"))).await;
        let replied = Instant::now();
        request = fake.request("tools/call").await;
        assert_eq!(replied.elapsed(), Duration::from_millis(expected));
        assert_eq!(
            request.params().get("inputResponses"),
            None,
            "nothing was asked"
        );
    }
    fake.reply(&request, done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().rounds, 6);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_without_a_pause_and_starts_the_pace_anew() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let mut request = fake.request("tools/call").await;
    for (asks_something, expected) in [(false, 50), (false, 100), (true, 0), (false, 50)] {
        let requests = if asks_something {
            json!({"a": confirm("?")})
        } else {
            json!({})
        };
        fake.reply(&request, asks(requests, json!("s"))).await;
        let replied = Instant::now();
        request = fake.request("tools/call").await;
        assert_eq!(replied.elapsed(), Duration::from_millis(expected));
    }
    fake.reply(&request, done("ok")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_ten_rounds_the_call_fails() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    for _ in 0..10 {
        let request = fake.request("tools/call").await;
        fake.reply(&request, asks(json!({}), json!("s"))).await;
    }
    fake.hears_nothing().await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::RoundLimit { limit: 10, .. }),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_number_of_rounds_can_be_set_and_nobody_is_asked_in_vain() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder.max_rounds(2)).await;
    let calling = call(&client, "t", json!({}));
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        fake.reply(&request, asks(json!({"a": confirm("?")}), json!("s")))
            .await;
    }
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::RoundLimit { limit: 2, .. }),
        "{error}"
    );
    assert_eq!(
        shown.lock().unwrap().len(),
        1,
        "the second answer could not have been sent"
    );
}

#[tokio::test(start_paused = true)]
async fn one_call_may_have_its_own_number_of_rounds() {
    let (client, mut fake) = connect(builder()).await;
    let options = CallOptions::new().max_rounds(1);
    let calling = tokio::spawn(async move { client.call_tool_with("t", json!({}), options).await });
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({}), json!("s"))).await;
    assert!(matches!(
        calling.await.unwrap(),
        Err(Error::RoundLimit { limit: 1, .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn an_input_request_with_nothing_in_it_is_invalid() {
    for result in [
        json!({"resultType": "input_required"}),
        json!({"resultType": "input_required", "inputRequests": {}}),
        json!({"resultType": "input_required", "requestState": 5}),
        json!({"resultType": "input_required", "inputRequests": [], "requestState": "s"}),
    ] {
        let (client, mut fake) = connect(builder()).await;
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        fake.reply(&request, result.clone()).await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            matches!(error, Error::InvalidResult { .. }),
            "{result}: {error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_stands_twice_is_invalid() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let question = confirm("?");
    fake.reply_raw(
        &request,
        &format!(
            r#"{{"resultType":"input_required","inputRequests":{{"a":{question},"a":{question}}}}}"#
        ),
    )
    .await;
    assert!(matches!(
        calling.await.unwrap(),
        Err(Error::InvalidResult { .. })
    ));
    assert!(shown.lock().unwrap().is_empty());
}
