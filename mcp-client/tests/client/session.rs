//! One round at a time, and calls that are resumed elsewhere.

use mcp_client::{Answer, Consent, Error, InputRequest, Kind, PausedCall, Round};
use serde_json::{Value, json};

use crate::support::{Fake, Message, asks, builder, confirm, connect, done};

/// A paused call and the request that led to it.
async fn pause(requests: Value, state: Value) -> (mcp_client::Client, Fake, PausedCall, Message) {
    let (client, mut fake) = connect(builder().declare(Kind::Form).declare(Kind::Url)).await;
    let session = client.session();
    let calling =
        tokio::spawn(async move { session.call_tool("refund", json!({"order": "O-1"})).await });
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(requests, state)).await;
    let Round::InputRequired(paused) = calling.await.unwrap().unwrap() else {
        panic!("it asked")
    };
    (client, fake, paused, request)
}

#[tokio::test(start_paused = true)]
async fn a_round_that_completes_is_the_result() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session();
    let calling = tokio::spawn(async move { session.call_tool("t", json!({})).await });
    let request = fake.request("tools/call").await;
    fake.reply(&request, done("ok")).await;
    let Round::Complete(call) = calling.await.unwrap().unwrap() else {
        panic!()
    };
    assert_eq!((call.text().as_str(), call.rounds), ("ok", 1));
}

#[tokio::test(start_paused = true)]
async fn the_questions_are_handed_back_and_nothing_is_sent_until_resumed() {
    let (client, mut fake, mut paused, first) =
        pause(json!({"confirm": confirm("Refund?")}), json!("sealed")).await;
    fake.hears_nothing().await;
    let [InputRequest::Form(question)] = paused.requests() else {
        panic!("{paused:?}")
    };
    assert_eq!(
        (question.key.as_str(), question.message.as_str()),
        ("confirm", "Refund?")
    );
    assert_eq!(
        (paused.method(), paused.target(), paused.round()),
        ("tools/call", "refund", 1)
    );
    assert_eq!(paused.request_state().as_deref(), Some("sealed"));

    paused
        .answer("confirm", Answer::accept(json!({"confirm": true})).unwrap())
        .unwrap();
    let session = client.session();
    let resuming = tokio::spawn(async move { paused.resume(&session).await });
    let second = fake.request("tools/call").await;
    assert_ne!(second.id(), first.id());
    for member in ["name", "arguments", "_meta"] {
        assert_eq!(second.params()[member], first.params()[member]);
    }
    assert_eq!(second.params()["requestState"], "sealed");
    assert_eq!(
        second.params()["inputResponses"]["confirm"]["content"],
        json!({"confirm": true})
    );
    fake.reply(&second, done("refunded")).await;
    let Round::Complete(call) = resuming.await.unwrap().unwrap() else {
        panic!()
    };
    assert_eq!((call.text().as_str(), call.rounds), ("refunded", 2));
}

#[tokio::test(start_paused = true)]
async fn a_call_cannot_be_resumed_before_every_answer_is_there() {
    let requests = json!({"a": confirm("A?"), "b": confirm("B?")});
    let (client, mut fake, mut paused, _) = pause(requests, json!("s")).await;
    paused.answer("a", Answer::Decline).unwrap();
    assert_eq!(paused.unanswered().count(), 1);
    let error = paused.resume(&client.session()).await.unwrap_err();
    assert!(
        matches!(&error, Error::Unanswered { key } if key == "b"),
        "{error}"
    );
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn answers_are_checked_when_they_are_given() {
    let (_client, _fake, mut paused, _) = pause(json!({"a": confirm("A?")}), json!("s")).await;
    for (key, response) in [
        (
            "a",
            mcp_client::Response::from(Answer::accept(json!({"confirm": "yes"})).unwrap()),
        ),
        ("a", Answer::accept(json!({})).unwrap().into()),
        ("a", Consent::Accept.into()),
        ("b", Answer::Decline.into()),
    ] {
        let error = paused.answer(key, response.clone()).unwrap_err();
        assert!(
            matches!(&error, Error::InvalidAnswer { key: named, .. } if named == key),
            "{response:?}: {error}"
        );
    }
    assert_eq!(paused.unanswered().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_paused_call_is_resumed_by_another_process() {
    let state = "state with \" and \u{2028} and 🎉";
    let (client, fake, paused, first) =
        pause(json!({"confirm": confirm("Refund?")}), json!(state)).await;
    let stored = serde_json::to_string(&paused).unwrap();
    client.close().await;
    drop(fake);

    // Another process: another client, another connection, nothing shared but the text.
    let (client, mut fake) = connect(builder()).await;
    let mut paused: PausedCall = serde_json::from_str(&stored).unwrap();
    assert_eq!(paused.requests().len(), 1);
    assert_eq!(paused.round(), 1);
    paused.answer("confirm", Answer::Cancel).unwrap();
    let session = client.session().declare(Kind::Form).declare(Kind::Url);
    let resuming = tokio::spawn(async move { paused.resume(&session).await });
    let second = fake.request("tools/call").await;
    for member in ["name", "arguments", "_meta"] {
        assert_eq!(second.params()[member], first.params()[member]);
    }
    assert_eq!(second.params()["requestState"], state);
    assert_eq!(
        second.params()["inputResponses"],
        json!({"confirm": {"action": "cancel"}})
    );
    fake.reply(&second, done("kept")).await;
    assert!(matches!(
        resuming.await.unwrap().unwrap(),
        Round::Complete(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn answers_given_before_storing_are_stored() {
    let requests = json!({"a": confirm("A?"), "b": confirm("B?")});
    let (_client, _fake, mut paused, _) = pause(requests, json!("s")).await;
    paused.answer("a", Answer::Decline).unwrap();
    let stored = serde_json::to_string(&paused).unwrap();
    let paused: PausedCall = serde_json::from_str(&stored).unwrap();
    assert_eq!(
        paused
            .unanswered()
            .map(InputRequest::key)
            .collect::<Vec<_>>(),
        ["b"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_damaged_paused_call_is_refused() {
    let (_client, _fake, paused, _) = pause(json!({"a": confirm("A?")}), json!("s")).await;
    let mut stored = serde_json::to_value(&paused).unwrap();
    stored["state"] = json!("not JSON");
    assert!(serde_json::from_value::<PausedCall>(stored).is_err());
}

#[tokio::test(start_paused = true)]
async fn the_debug_output_of_a_paused_call_keeps_its_secrets() {
    let (_client, _fake, mut paused, _) =
        pause(json!({"confirm": confirm("?")}), json!("sealed-credential")).await;
    paused
        .answer("confirm", Answer::accept(json!({"confirm": true})).unwrap())
        .unwrap();
    let shown = format!("{paused:?}");
    assert!(
        !shown.contains("sealed-credential") && !shown.contains("O-1"),
        "{shown}"
    );
    assert!(
        shown.contains("refund") && shown.contains("confirm"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_undeclared_kind_is_a_protocol_error_in_a_session_too() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session();
    let calling = tokio::spawn(async move { session.call_tool("t", json!({})).await });
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({"a": confirm("?")}), json!("s")))
        .await;
    assert!(matches!(
        calling.await.unwrap(),
        Err(Error::UndeclaredInput { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn a_session_may_declare_less_than_the_client() {
    let (client, mut fake) = connect(builder().on_form(|_| async { Ok(Answer::Cancel) })).await;
    let session = client.session().declare_only([]);
    let _calling = tokio::spawn(async move { session.call_tool("t", json!({})).await });
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
}

#[tokio::test(start_paused = true)]
async fn any_request_can_be_sent_and_its_result_read_as_it_came() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session();
    let params =
        json!({"name": "t", "arguments": {}, "requestState": "forged", "inputResponses": {}});
    let asking = tokio::spawn(async move { session.request("tools/call", params).await });
    let request = fake.request("tools/call").await;
    assert_eq!(request.params()["requestState"], "forged");
    assert_eq!(
        request.params()["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    fake.reply_raw(
        &request,
        r#"{"resultType":"input_required","requestState":"again"}"#,
    )
    .await;
    assert_eq!(
        asking.await.unwrap().unwrap().get(),
        r#"{"resultType":"input_required","requestState":"again"}"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_state_without_questions_can_be_resumed_at_once() {
    let (client, mut fake, paused, _) = pause(json!({}), json!("busy")).await;
    assert!(paused.requests().is_empty());
    let session = client.session();
    let _resuming = tokio::spawn(async move { paused.resume(&session).await });
    let second = fake.request("tools/call").await;
    assert_eq!(second.params()["requestState"], "busy");
    assert_eq!(second.params().get("inputResponses"), None);
}

#[tokio::test(start_paused = true)]
async fn a_stored_call_goes_out_on_one_line_or_not_at_all() {
    let (client, mut fake) = connect(builder()).await;
    let call = json!({"method": "tools/call", "target": "t", "fields": [["name", "\"t\""], ["arguments", "{\"a\":\n1}"]]});
    let form = json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
    let requests = json!([["k", form.to_string()]]);
    let answer = "{\"action\":\r\n\"decline\"}";
    let stored = |state: &str, key: &str| {
        let saved = json!({"call": call, "round": 1, "requests": requests, "state": state, "answers": {key: answer}, "server": null});
        serde_json::from_value::<PausedCall>(saved)
    };
    assert!(stored("{\"x\":\n5}", "k").is_err(), "a state is a string");
    assert!(stored("\"s\"", "other").is_err(), "nobody asked that");

    let session = client.session();
    let paused = stored("\"s\"", "k").unwrap();
    let resuming = tokio::spawn(async move { paused.resume(&session).await });
    let request = fake.request("tools/call").await;
    assert_eq!(request.params()["arguments"], json!({"a": 1}));
    assert_eq!(
        request.params()["inputResponses"],
        json!({"k": {"action": "decline"}})
    );
    fake.reply(&request, done("resumed")).await;
    assert!(matches!(resuming.await.unwrap(), Ok(Round::Complete(_))));
}
