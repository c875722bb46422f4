//! Calls that a host drives itself: the open call looks like rounds.

use std::time::Duration;

use mcp_client::protocol::GetPromptResult;
use mcp_client::{Answer, Client, Error, Kind, PausedCall, Revision, Round, Session};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{connect_at, form, text};
use crate::support::{Fake, Message, builder};

const NEWEST: Revision = Revision::V2025_11_25;

async fn connected() -> (Client, Fake, Session) {
    let builder = builder()
        .declare(Kind::Form)
        .declare(Kind::Url)
        .request_timeout(Duration::from_secs(10));
    let (client, fake) = connect_at(builder, NEWEST).await;
    let session = client.session();
    (client, fake, session)
}

fn spawn(session: &Session) -> JoinHandle<Result<Round, Error>> {
    let session = session.clone();
    tokio::spawn(async move { session.call_tool("t", json!({})).await })
}

fn resume(paused: PausedCall, session: &Session) -> JoinHandle<Result<Round, Error>> {
    let session = session.clone();
    tokio::spawn(async move { paused.resume(&session).await })
}

async fn paused(round: JoinHandle<Result<Round, Error>>) -> PausedCall {
    match round.await.unwrap().unwrap() {
        Round::InputRequired(paused) => paused,
        Round::Complete(call) => panic!("it is done: {}", call.text()),
    }
}

async fn done(round: JoinHandle<Result<Round, Error>>) -> (String, u32) {
    match round.await.unwrap().unwrap() {
        Round::Complete(call) => (call.text(), call.rounds),
        Round::InputRequired(paused) => panic!("it asks: {paused:?}"),
    }
}

async fn asking() -> (Client, Fake, Session, Message, PausedCall) {
    let (client, mut fake, session) = connected().await;
    let round = spawn(&session);
    let request = fake.request("tools/call").await;
    fake.ask(1, "elicitation/create", form("Sure?")).await;
    let paused = paused(round).await;
    (client, fake, session, request, paused)
}

fn keyed(message: &str, key: &str) -> Value {
    let mut params = form(message);
    params["_meta"] = json!({"mcp-server/key": key});
    params
}

#[tokio::test(start_paused = true)]
async fn a_question_comes_back_and_its_answer_lets_the_call_go_on() {
    let (_client, mut fake, session, request, mut paused) = asking().await;
    assert_eq!((paused.round(), paused.target()), (1, "t"));
    assert_eq!(paused.requests()[0].key(), "1");
    paused
        .answer("1", Answer::accept(json!({"confirm": true})).unwrap())
        .unwrap();
    let round = resume(paused, &session);
    let answer = fake.answered(1).await;
    assert_eq!(answer["result"]["content"]["confirm"], true);
    fake.reply(&request, text("done")).await;
    assert_eq!(done(round).await, ("done".to_owned(), 2));
}

#[tokio::test(start_paused = true)]
async fn questions_that_come_together_are_one_round() {
    let (_client, mut fake, session) = connected().await;
    let round = spawn(&session);
    let request = fake.request("tools/call").await;
    fake.ask(1, "elicitation/create", keyed("First?", "first"))
        .await;
    fake.ask(2, "elicitation/create", keyed("Second?", "second"))
        .await;
    let mut asked = paused(round).await;
    let keys: Vec<_> = asked.requests().iter().map(|one| one.key()).collect();
    assert_eq!(keys, ["first", "second"]);
    asked.answer("first", Answer::Decline).unwrap();
    assert!(matches!(
        asked.clone().resume(&session).await,
        Err(Error::Unanswered { key }) if key == "second"
    ));
    asked.answer("second", Answer::Cancel).unwrap();
    let round = resume(asked, &session);
    assert_eq!(fake.answered(1).await["result"]["action"], "decline");
    assert_eq!(fake.answered(2).await["result"]["action"], "cancel");
    // And another one later.
    fake.ask(3, "elicitation/create", keyed("Third?", "third"))
        .await;
    let mut asked = paused(round).await;
    assert_eq!(asked.round(), 2);
    asked.answer("third", Answer::Decline).unwrap();
    let round = resume(asked, &session);
    fake.answered(3).await;
    fake.reply(&request, text("done")).await;
    assert_eq!(done(round).await.1, 3);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_for_one_question_whatever_the_server_calls_them() {
    let (_client, mut fake, session) = connected().await;
    let round = spawn(&session);
    fake.request("tools/call").await;
    fake.ask(1, "elicitation/create", keyed("First?", "same"))
        .await;
    fake.ask("1", "elicitation/create", keyed("Second?", "same"))
        .await;
    let mut asked = paused(round).await;
    let keys: Vec<_> = asked
        .requests()
        .iter()
        .map(|one| one.key().to_owned())
        .collect();
    assert_eq!(keys, ["same", "same (2)"]);
    asked.answer("same", Answer::Decline).unwrap();
    asked.answer("same (2)", Answer::Cancel).unwrap();
    let _round = resume(asked, &session);
    assert_eq!(fake.answered(1).await["result"]["action"], "decline");
    assert_eq!(fake.answered("1").await["result"]["action"], "cancel");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_in_a_hurry_while_the_host_has_the_question() {
    let (_client, mut fake, session, request, mut paused) = asking().await;
    sleep(Duration::from_secs(3600)).await;
    paused.answer("1", Answer::Decline).unwrap();
    let round = resume(paused, &session);
    fake.answered(1).await;
    fake.reply(&request, text("done")).await;
    assert_eq!(done(round).await.0, "done");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_paused_call_cancels_it() {
    let (_client, mut fake, _session, request, paused) = asking().await;
    let copy = paused.clone();
    drop(paused);
    fake.hears_nothing().await;
    drop(copy);
    let (mut cancelled, mut refused) = (false, false);
    for _ in 0..2 {
        let message = fake.next().await.unwrap();
        cancelled |= message["params"]["requestId"] == request["id"];
        refused |= message["id"] == 1 && message["error"]["code"] == -32603;
    }
    assert!(cancelled && refused);
}

#[tokio::test(start_paused = true)]
async fn a_paused_call_cannot_leave_its_connection() {
    let (_client, _fake, session, _request, mut paused) = asking().await;
    paused.answer("1", Answer::Decline).unwrap();
    let stored = serde_json::to_string(&paused).unwrap();
    let restored: PausedCall = serde_json::from_str(&stored).unwrap();
    let error = restored.resume(&session).await.map(drop).unwrap_err();
    assert!(matches!(&error, Error::NotOpen { .. }), "{error}");
    assert!(error.to_string().contains("call again"), "{error}");
}

/// The answers would be lost there, or taken for consent to a page.
#[tokio::test(start_paused = true)]
async fn what_was_paused_at_a_server_of_today_does_not_go_on_here_without_a_state_either() {
    let (client, mut fake, session, request, mut paused) = asking().await;
    let answers = [
        Answer::Decline,
        Answer::accept(json!({"confirm": true})).unwrap(),
    ];
    let calls = answers.map(|answer| {
        paused.answer("1", answer).unwrap();
        let mut stored = serde_json::to_value(&paused).unwrap();
        stored.as_object_mut().unwrap().remove("open");
        serde_json::from_value::<PausedCall>(stored).unwrap()
    });
    for restored in calls {
        let round = restored.resume(&session);
        let round = tokio::time::timeout(Duration::from_secs(1), round).await;
        let error = round.expect("it was sent").unwrap_err();
        assert!(matches!(&error, Error::NotOpen { .. }), "{error}");
    }
    fake.hears_nothing().await;
    drop((client, request));
}

#[tokio::test(start_paused = true)]
async fn it_is_answered_once() {
    let (_client, mut fake, session, _request, mut paused) = asking().await;
    paused.answer("1", Answer::Decline).unwrap();
    let copy = paused.clone();
    let _round = resume(paused, &session);
    fake.answered(1).await;
    let again = tokio::time::timeout(Duration::from_secs(1), copy.resume(&session)).await;
    assert!(!matches!(again, Ok(Ok(_))), "it was answered twice");
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_copy_that_is_behind_does_not_touch_later_questions() {
    let (_client, mut fake, session, request, mut first) = asking().await;
    first.answer("1", Answer::Decline).unwrap();
    let behind = resume(first.clone(), &session);
    let round = resume(first, &session);
    fake.answered(1).await;
    fake.ask(1, "elicitation/create", form("Again?")).await;
    let rounds = [behind.await.unwrap(), round.await.unwrap()];
    let mut later: Vec<PausedCall> = rounds
        .into_iter()
        .filter_map(|round| match round {
            Ok(Round::InputRequired(paused)) => Some(paused),
            Err(Error::NotOpen { .. }) => None,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(later.len(), 1);
    fake.hears_nothing().await;
    let mut later = later.remove(0);
    later.answer("1", Answer::Cancel).unwrap();
    let round = resume(later, &session);
    assert_eq!(fake.answered(1).await["result"]["action"], "cancel");
    fake.reply(&request, text("done")).await;
    assert_eq!(done(round).await.0, "done");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_server_takes_back_needs_no_answer() {
    let (_client, mut fake, session, request, mut paused) = asking().await;
    fake.notify("notifications/cancelled", json!({"requestId": 1}))
        .await;
    fake.reply(&request, text("went on")).await;
    fake.hears_nothing().await;
    paused.answer("1", Answer::Decline).unwrap();
    let round = resume(paused, &session);
    assert_eq!(done(round).await.0, "went on");
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn prompts_ask_as_well() {
    let (_client, mut fake, session) = connected().await;
    let asking = session.clone();
    let round = tokio::spawn(async move { asking.get_prompt("p", ()).await });
    let request = fake.request("prompts/get").await;
    fake.ask(1, "elicitation/create", form("?")).await;
    let Round::InputRequired(mut paused) = round.await.unwrap().unwrap() else {
        panic!("it is done");
    };
    paused.answer("1", Answer::Decline).unwrap();
    let asking = session.clone();
    let round = tokio::spawn(async move { paused.resume_prompt(&asking).await });
    fake.answered(1).await;
    fake.reply(&request, json!({"messages": []})).await;
    let round: Round<GetPromptResult> = round.await.unwrap().unwrap();
    assert!(matches!(round, Round::Complete(prompt) if prompt.messages.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_while_it_asks_fails() {
    let (_client, mut fake, session, request, mut paused) = asking().await;
    fake.fail(&request, json!({"code": -32603, "message": "gave up"}))
        .await;
    paused.answer("1", Answer::Decline).unwrap();
    let round = resume(paused, &session);
    assert!(matches!(round.await.unwrap(), Err(Error::Rpc(error)) if error.code == -32603));
}
