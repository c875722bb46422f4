//! Sessions that the server ends, on a transport that tells.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::transport::{Failure, MessageReceiver, Received};
use mcp_client::{
    Answer, Builder, Change, Client, End, Error, HandlerError, Revision, Subscription, Transport,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::{form, text};
use crate::support::{Fake, Message, answering, builder, call, pair};

/// Takes `{"over":null}` for the end of the session, `{"over":ID}` for that of the session that a request came to,
/// and `{"over":"away"}` for a server that is not heard any more.
struct Telling<T>(T);

impl<T: Transport> Transport for Telling<T> {
    type Sender = T::Sender;
    type Receiver = Teller<T::Receiver>;

    async fn open(self) -> std::io::Result<(T::Sender, Self::Receiver)> {
        let (sender, receiver) = self.0.open().await?;
        Ok((sender, Teller(receiver)))
    }
}

struct Teller<R>(R);

impl<R: MessageReceiver> MessageReceiver for Teller<R> {
    async fn receive(&mut self) -> Received {
        let received = self.0.receive().await;
        let Received::Message(bytes) = &received else {
            return received;
        };
        let message: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let reason = "no such session".to_owned();
        match message.get("over") {
            None => received,
            Some(Value::Null) => Received::SessionEnded,
            Some(Value::String(_)) => Received::SessionAway,
            Some(id) => Received::Failed {
                id: id.as_u64().unwrap(),
                failure: Failure::SessionEnded { reason },
            },
        }
    }
}

const VERSION: &str = "2025-11-25";

fn offers() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}})
}

async fn connected(builder: Builder) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let pinned = builder.revision(Revision::V2025_11_25);
    let server = fake.shake_hands(VERSION, offers());
    let (client, _) = tokio::join!(pinned.connect(Telling(transport)), server);
    (client.unwrap(), fake)
}

async fn end(fake: &mut Fake, request: Option<&Message>) {
    let id = request.map(Message::id);
    fake.line(&json!({ "over": id }).to_string()).await;
}

#[tokio::test(start_paused = true)]
async fn the_request_is_sent_again_in_another_session() {
    let (client, mut fake) = connected(builder()).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    let first = fake.request("tools/call").await;
    let second = fake.request("tools/call").await;
    end(&mut fake, Some(&first)).await;
    end(&mut fake, Some(&second)).await;
    // One handshake for both.
    fake.shake_hands(VERSION, offers()).await;
    for _ in 0..2 {
        let again = fake.request("tools/call").await;
        let name = again.params()["name"].as_str().unwrap().to_owned();
        fake.reply(&again, text(&name)).await;
    }
    let [a, b] = calls;
    assert_eq!(a.await.unwrap().unwrap().text(), "a");
    assert_eq!(b.await.unwrap().unwrap().text(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_second_time_is_the_error() {
    let (client, mut fake) = connected(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    fake.shake_hands(VERSION, offers()).await;
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::SessionEnded { .. }), "{error}");
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn another_revision_is_not_taken() {
    let (client, mut fake) = connected(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    let hello = fake.request("initialize").await;
    let other = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}});
    fake.reply(&hello, other).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::UnsupportedVersion { .. }), "{error}");
}

/// Servers count their requests anew in each session: an answer to the old one would be taken for another.
#[tokio::test(start_paused = true)]
async fn questions_end_with_their_session() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let slow = builder().on_form(move |question| {
        seen.lock().unwrap().push(question.message);
        async {
            sleep(Duration::from_secs(10)).await;
            Ok::<_, HandlerError>(Answer::Decline)
        }
    });
    let (client, mut fake) = connected(slow).await;
    let calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    let first = fake.request("tools/call").await;
    let second = fake.request("tools/call").await;
    fake.ask(0, "elicitation/create", form("Old?")).await;
    fake.hears_nothing().await;
    end(&mut fake, Some(&first)).await;
    end(&mut fake, Some(&second)).await;
    fake.shake_hands(VERSION, offers()).await;
    let again = [
        fake.request("tools/call").await,
        fake.request("tools/call").await,
    ];
    let started = Instant::now();
    fake.ask(0, "elicitation/create", form("New?")).await;
    fake.answered(0).await;
    assert_eq!(started.elapsed().as_secs(), 10);
    fake.hears_nothing().await;
    assert_eq!(*asked.lock().unwrap(), ["Old?", "New?"]);
    for request in &again {
        fake.reply(request, text("done")).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// It comes on streams of the old session that live on.
#[tokio::test(start_paused = true)]
async fn what_comes_before_the_new_session_is_not_answered_into_it() {
    let (builder, asked) = answering(json!({"confirm": true}));
    let (client, mut fake) = connected(builder).await;
    for _ in 0..2 {
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        end(&mut fake, Some(&request)).await;
        let hello = fake.request("initialize").await;
        fake.ask(0, "elicitation/create", form("Old?")).await;
        fake.ask(1, "ping", json!({})).await;
        fake.hears_nothing().await;
        fake.welcome(&hello, VERSION, offers()).await;
        let again = fake.request("tools/call").await;
        fake.ask(0, "elicitation/create", form("New?")).await;
        fake.answered(0).await;
        fake.ask(1, "ping", json!({})).await;
        fake.answered(1).await;
        fake.reply(&again, text("done")).await;
        calling.await.unwrap().unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), ["New?", "New?"]);
}

/// A handshake that failed counts for nothing.
#[tokio::test(start_paused = true)]
async fn after_a_refused_handshake_the_next_session_is_answered() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connected(builder).await;
    for _ in 0..2 {
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        end(&mut fake, Some(&request)).await;
        let hello = fake.request("initialize").await;
        fake.fail(&hello, json!({"code": -32603, "message": "starting"}))
            .await;
        calling.await.unwrap().unwrap_err();
    }
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    fake.shake_hands(VERSION, offers()).await;
    let again = fake.request("tools/call").await;
    fake.ask(0, "elicitation/create", form("New?")).await;
    fake.answered(0).await;
    fake.reply(&again, text("done")).await;
    calling.await.unwrap().unwrap();
}

/// The network was away, say, and the server has kept the session.
#[tokio::test(start_paused = true)]
async fn after_a_refused_handshake_the_session_that_there_was_is_answered() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connected(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    let hello = fake.request("initialize").await;
    fake.fail(&hello, json!({"code": -32603, "message": "starting"}))
        .await;
    calling.await.unwrap().unwrap_err();

    fake.ask(0, "ping", json!({})).await;
    let answered = timeout(Duration::from_secs(1), fake.answered(0)).await;
    answered.expect("the ping is not answered");
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.ask(1, "elicitation/create", form("Still there?"))
        .await;
    let answer = fake.answered(1).await;
    assert_eq!(answer["result"]["action"], "accept", "{}", answer.text);
    fake.reply(&request, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_session_is_whole_although_the_caller_has_gone() {
    let (client, mut fake) = connected(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    let hello = fake.request("initialize").await;
    calling.abort();
    fake.hears_nothing().await;
    fake.welcome(&hello, VERSION, offers()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
}

#[tokio::test(start_paused = true)]
async fn subscriptions_go_on_in_another_session() {
    let (client, mut fake) = connected(builder()).await;
    let wanted = Subscription::new().tools().resource("x://a").reconnect();
    let server = async {
        let request = fake.request("resources/subscribe").await;
        fake.reply(&request, json!({})).await;
    };
    let (changes, ()) = tokio::join!(client.subscribe(wanted), server);
    let mut changes = changes.unwrap();
    for _ in 0..3 {
        end(&mut fake, None).await;
        fake.shake_hands(VERSION, offers()).await;
        let request = fake.request("resources/subscribe").await;
        fake.reply(&request, json!({})).await;
        // Nobody listened for a while.
        assert_eq!(changes.next().await, Some(Change::Tools));
        let resource = Change::Resource("x://a".to_owned());
        assert_eq!(changes.next().await, Some(resource));
    }
}

#[tokio::test(start_paused = true)]
async fn sessions_that_keep_ending_are_begun_ever_more_slowly() {
    let (client, mut fake) = connected(builder()).await;
    let _changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    let mut pauses = Vec::new();
    for _ in 0..8 {
        let started = Instant::now();
        end(&mut fake, None).await;
        fake.shake_hands(VERSION, offers()).await;
        pauses.push(started.elapsed().as_secs_f64());
    }
    assert!(pauses[0] < 0.5, "{pauses:?}");
    assert!(pauses[7] > 15.0, "{pauses:?}");
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_cannot_go_on_ends_or_waits_as_it_was_told_to() {
    let (client, mut fake) = connected(builder()).await;
    let mut ends = client.subscribe(Subscription::new().tools()).await.unwrap();
    let wanted = Subscription::new().tools().reconnect();
    let mut stays = client.subscribe(wanted).await.unwrap();
    end(&mut fake, None).await;
    let refused = json!({"code": -32603, "message": "starting"});
    let hello = fake.request("initialize").await;
    fake.fail(&hello, refused.clone()).await;
    assert_eq!(ends.next().await, None);
    assert!(matches!(
        ends.end(),
        Some(End::Lost(Error::SessionEnded { .. }))
    ));
    let hello = fake.request("initialize").await;
    fake.fail(&hello, refused).await;
    fake.shake_hands(VERSION, offers()).await;
    assert_eq!(stays.next().await, Some(Change::Tools));
    assert!(stays.end().is_none());
}

#[tokio::test(start_paused = true)]
async fn without_subscriptions_the_next_request_begins_another_session() {
    let (form_handler, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connected(form_handler).await;
    end(&mut fake, None).await;
    fake.hears_nothing().await;
    drop(client);
}

/// The server ends the session that a call has just begun, while the subscription waits for the same one.
#[tokio::test(start_paused = true)]
async fn a_session_that_ends_while_it_begins_is_followed_by_another_one() {
    let (client, mut fake) = connected(builder()).await;
    let wanted = Subscription::new().tools().reconnect();
    let mut changes = client.subscribe(wanted).await.unwrap();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, None).await;
    end(&mut fake, Some(&request)).await;
    let hello = fake.request("initialize").await;
    sleep(Duration::from_secs(1)).await;
    let result = json!({"protocolVersion": VERSION, "capabilities": offers(), "serverInfo": {}});
    fake.reply(&hello, result).await;
    end(&mut fake, None).await;
    fake.heard("notifications/initialized").await;
    let again = fake.request("tools/call").await;
    fake.reply(&again, text("done")).await;
    calling.await.unwrap().unwrap();
    let another = timeout(Duration::from_secs(60), fake.shake_hands(VERSION, offers()));
    another.await.expect("nobody sees to another session");
    assert_eq!(changes.next().await, Some(Change::Tools));
    // It goes on, so no other one is begun.
    sleep(Duration::from_secs(60)).await;
    fake.hears_nothing().await;
}

/// What is said of a session that is over already is no news.
#[tokio::test(start_paused = true)]
async fn a_session_that_ended_before_the_present_one_began_is_not_followed_by_another() {
    let (client, mut fake) = connected(builder()).await;
    let _changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    end(&mut fake, Some(&request)).await;
    let hello = fake.request("initialize").await;
    end(&mut fake, None).await;
    fake.hears_nothing().await;
    fake.welcome(&hello, VERSION, offers()).await;
    let again = fake.request("tools/call").await;
    fake.reply(&again, text("done")).await;
    calling.await.unwrap().unwrap();
    sleep(Duration::from_secs(60)).await;
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_in_a_session_that_has_ended_begins_another_one() {
    let (client, mut fake) = connected(builder()).await;
    end(&mut fake, None).await;
    // Nobody listened, so nobody saw to it; and lists are reported without a request that would fail.
    fake.hears_nothing().await;
    let wanted = Subscription::new().tools();
    let mut changes = client.subscribe(wanted).await.unwrap();
    let another = timeout(Duration::from_secs(60), fake.shake_hands(VERSION, offers()));
    another.await.expect("nobody sees to another session");
    assert_eq!(changes.next().await, Some(Change::Tools));
}

async fn away(fake: &mut Fake) {
    fake.line(r#"{"over":"away"}"#).await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_begins_another_session_while_the_server_is_away() {
    let (client, mut fake) = connected(builder()).await;
    let wanted = Subscription::new().tools().reconnect();
    let mut changes = client.subscribe(wanted).await.unwrap();
    for _ in 0..2 {
        away(&mut fake).await;
        fake.shake_hands(VERSION, offers()).await;
        assert_eq!(changes.next().await, Some(Change::Tools));
    }
}

/// It may come back in the same session, which another handshake would end.
#[tokio::test(start_paused = true)]
async fn a_server_that_was_away_when_nobody_listened_keeps_its_session() {
    let (client, mut fake) = connected(builder()).await;
    away(&mut fake).await;
    fake.hears_nothing().await;
    let wanted = Subscription::new().tools();
    let mut changes = client.subscribe(wanted).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    fake.hears_nothing().await;
    // It is still away, which somebody minds now.
    away(&mut fake).await;
    let hello = fake.request("initialize").await;
    fake.fail(&hello, json!({"code": -32603, "message": "starting"}))
        .await;
    assert_eq!(changes.next().await, None);
    // Now it is not, and nobody has to know.
    let wanted = Subscription::new().tools();
    let _changes = client.subscribe(wanted).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn no_other_session_is_begun_for_a_subscription_that_has_ended_meanwhile() {
    let (client, mut fake) = connected(builder()).await;
    let changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    end(&mut fake, None).await;
    // Less than the pause before another session.
    sleep(Duration::from_millis(50)).await;
    drop(changes);
    sleep(Duration::from_secs(60)).await;
    fake.hears_nothing().await;
    let _changes = client.subscribe(Subscription::new().tools()).await.unwrap();
    fake.shake_hands(VERSION, offers()).await;
}
