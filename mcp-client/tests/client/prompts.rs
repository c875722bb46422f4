//! Prompts: their list, and getting one through all its rounds.

use mcp_client::protocol::Role;
use mcp_client::{Answer, Error, Kind, Round};
use serde_json::{Value, json};

use crate::support::{answering, asks, builder, confirm, connect, done};

fn filled(text: &str) -> Value {
    json!({
        "resultType": "complete",
        "description": "a review",
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}]
    })
}

#[tokio::test(start_paused = true)]
async fn all_pages_are_followed_and_an_unreadable_prompt_is_left_out() {
    let (client, mut fake) = connect(builder()).await;
    let listing = tokio::spawn(async move { client.list_prompts().await });
    let first = fake.request("prompts/list").await;
    assert_eq!(first.params().get("cursor"), None);
    let page = json!({"prompts": [{"name": "a"}, {"title": "no name"}], "nextCursor": ""});
    fake.reply(&first, page).await;
    let second = fake.request("prompts/list").await;
    assert_eq!(second.params()["cursor"], "");
    let argument = json!({"name": "code", "required": true});
    let page = json!({"prompts": [{"name": "b", "arguments": [argument]}]});
    fake.reply(&second, page).await;
    let prompts = listing.await.unwrap().unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let arguments = prompts[1].arguments.as_ref().unwrap();
    assert_eq!(arguments[0].required, Some(true));
}

#[tokio::test(start_paused = true)]
async fn pages_in_a_circle_are_an_error() {
    let (client, mut fake) = connect(builder()).await;
    let listing = tokio::spawn(async move { client.list_prompts().await });
    for _ in 0..2 {
        let request = fake.request("prompts/list").await;
        fake.reply(&request, json!({"prompts": [], "nextCursor": "a"}))
            .await;
    }
    let error = listing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::EndlessList { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_filled_in_with_strings() {
    let (client, mut fake) = connect(builder()).await;
    let getting = tokio::spawn(async move {
        let arguments = json!({"code": "x", "style": null});
        client.get_prompt("code_review", arguments).await
    });
    let request = fake.request("prompts/get").await;
    assert_eq!(request.params()["name"], "code_review");
    assert_eq!(request.params()["arguments"], json!({"code": "x"}));
    assert!(request.params()["_meta"].is_object());
    fake.reply(&request, filled("Please review x")).await;
    let prompt = getting.await.unwrap().unwrap();
    assert_eq!(prompt.description.as_deref(), Some("a review"));
    assert_eq!(prompt.messages[0].role, Role::User);
}

#[tokio::test(start_paused = true)]
async fn no_arguments_are_no_member_and_others_than_strings_are_not_sent() {
    let (client, mut fake) = connect(builder()).await;
    for wrong in [json!({"n": 5}), json!({"o": {}}), json!(["x"]), json!("x")] {
        let error = client.get_prompt("p", &wrong).await.unwrap_err();
        assert!(matches!(error, Error::Arguments { .. }), "{wrong}: {error}");
    }
    let _getting = tokio::spawn(async move { client.get_prompt("p", ()).await });
    // The first that the server hears of it.
    let request = fake.request("prompts/get").await;
    assert_eq!(request.params().get("arguments"), None);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_may_ask_and_the_answers_and_the_state_go_back() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let getting = tokio::spawn(async move { client.get_prompt("p", json!({"code": "x"})).await });
    let first = fake.request("prompts/get").await;
    fake.reply(&first, asks(json!({"k": confirm("Really?")}), json!("s1")))
        .await;
    let second = fake.request("prompts/get").await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(second.params()["arguments"], json!({"code": "x"}));
    assert_eq!(second.params()["requestState"], "s1");
    assert_eq!(
        second.params()["inputResponses"]["k"],
        json!({"action": "accept", "content": {"confirm": true}})
    );
    fake.reply(&second, filled("done")).await;
    assert_eq!(getting.await.unwrap().unwrap().messages.len(), 1);
    assert_eq!(*shown.lock().unwrap(), ["Really?"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_hands_the_questions_of_a_prompt_back() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session().declare(Kind::Form);
    let asking = session.clone();
    let getting = tokio::spawn(async move { asking.get_prompt("p", ()).await });
    let first = fake.request("prompts/get").await;
    fake.reply(&first, asks(json!({"k": confirm("?")}), json!("s")))
        .await;
    let Round::InputRequired(mut paused) = getting.await.unwrap().unwrap() else {
        panic!("it asked")
    };
    assert_eq!((paused.method(), paused.target()), ("prompts/get", "p"));
    paused.answer("k", Answer::Decline).unwrap();

    // It is no call of a tool, and nothing is sent for one.
    let error = paused.clone().resume(&session).await.unwrap_err();
    assert!(
        matches!(&error, Error::WrongMethod { method } if method == "prompts/get"),
        "{error}"
    );
    let resuming = tokio::spawn(async move { paused.resume_prompt(&session).await });
    let second = fake.request("prompts/get").await;
    fake.reply(&second, filled("done")).await;
    assert!(matches!(
        resuming.await.unwrap(),
        Ok(Round::Complete(prompt)) if prompt.messages.len() == 1
    ));
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_form_or_type_is_invalid() {
    for (result, known) in [
        (done("a tool's"), true),
        (json!({"messages": 5}), true),
        (json!({"resultType": "task", "messages": []}), false),
    ] {
        let (client, mut fake) = connect(builder()).await;
        let getting = tokio::spawn(async move { client.get_prompt("p", ()).await });
        let request = fake.request("prompts/get").await;
        fake.reply(&request, result).await;
        let error = getting.await.unwrap().unwrap_err();
        match known {
            true => assert!(matches!(error, Error::InvalidResult { .. }), "{error}"),
            false => assert!(
                matches!(&error, Error::UnknownResultType { name, .. } if name.contains("task")),
                "{error}"
            ),
        }
    }
}
