//! What is kept, for how long, and for whom.

use std::time::Duration;

use mcp_client::{Builder, CallOptions, Client, Error, SharedCache, Subscription};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{Fake, Message, answering, asks, builder, confirm, connect};

fn contents(text: &str, ttl: Value, scope: &str) -> Value {
    json!({"contents": [{"uri": "x://a", "text": text}], "ttlMs": ttl, "cacheScope": scope})
}

/// The text that a read gives; `reply` is what the server says if it is asked.
async fn read(client: &Client, fake: &mut Fake, reply: Option<Value>) -> String {
    read_uri(client, fake, "x://a", reply).await
}

async fn read_uri(client: &Client, fake: &mut Fake, uri: &str, reply: Option<Value>) -> String {
    let asked = reply.is_some();
    let serving = async {
        if let Some(reply) = reply {
            let request = fake.request("resources/read").await;
            fake.reply(&request, reply).await;
        }
    };
    let (result, ()) = tokio::join!(client.read_resource(uri), serving);
    if !asked {
        fake.hears_nothing().await;
    }
    let text = result.unwrap().contents[0].text().map(str::to_owned);
    text.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_result_is_fresh_for_its_time_to_live_and_no_longer() {
    let (client, mut fake) = connect(builder()).await;
    let first = contents("1", json!(1_000), "private");
    assert_eq!(read(&client, &mut fake, Some(first)).await, "1");
    sleep(Duration::from_millis(900)).await;
    assert_eq!(read(&client, &mut fake, None).await, "1");
    // 900 ms, the 20 ms of listening for nothing, and these are 1,000.
    sleep(Duration::from_millis(80)).await;
    let second = contents("2", json!(1_000), "private");
    assert_eq!(read(&client, &mut fake, Some(second)).await, "2");
}

#[tokio::test(start_paused = true)]
async fn without_a_time_to_live_nothing_is_kept() {
    for ttl in [json!(0), json!(-1_000), json!(null), json!("1000")] {
        let (client, mut fake) = connect(builder()).await;
        for text in ["1", "2"] {
            let reply = contents(text, ttl.clone(), "public");
            assert_eq!(read(&client, &mut fake, Some(reply)).await, text, "{ttl}");
        }
    }
    let (client, mut fake) = connect(builder().without_cache()).await;
    for text in ["1", "2"] {
        let reply = contents(text, json!(60_000), "public");
        assert_eq!(read(&client, &mut fake, Some(reply)).await, text);
    }
}

#[tokio::test(start_paused = true)]
async fn another_parameter_is_another_question() {
    let (client, mut fake) = connect(builder()).await;
    for uri in ["x://a", "x://b"] {
        let reply = contents(uri, json!(60_000), "private");
        assert_eq!(read_uri(&client, &mut fake, uri, Some(reply)).await, uri);
    }
    for uri in ["x://a", "x://b"] {
        assert_eq!(read_uri(&client, &mut fake, uri, None).await, uri);
    }
    // Entries of the host's own may mean anything to the server, a trace does not.
    let trace = CallOptions::new().meta("traceparent", "00-1-2-01");
    client.read_resource_with("x://a", trace).await.unwrap();
    fake.hears_nothing().await;
    let tenant = CallOptions::new().meta("com.example/tenant", "t");
    let asking = client.clone();
    let reading = tokio::spawn(async move { asking.read_resource_with("x://a", tenant).await });
    let request = fake.request("resources/read").await;
    fake.reply(&request, contents("t's", json!(60_000), "private"))
        .await;
    reading.await.unwrap().unwrap();
    assert_eq!(read(&client, &mut fake, None).await, "x://a");
}

#[tokio::test(start_paused = true)]
async fn what_came_of_answers_or_a_state_is_not_kept() {
    for requests in [json!({"k": confirm("?")}), json!({})] {
        let (builder, _) = answering(json!({"confirm": true}));
        let (client, mut fake) = connect(builder).await;
        for text in ["1", "2"] {
            let asking = client.clone();
            let reading = tokio::spawn(async move { asking.read_resource("x://a").await });
            let first = fake.request("resources/read").await;
            // Not even if it claims that it may be: it is asked again each time.
            let mut asked = asks(requests.clone(), json!("s"));
            asked["ttlMs"] = json!(60_000);
            fake.reply(&first, asked).await;
            let second = fake.request("resources/read").await;
            assert_eq!(second.params()["requestState"], "s");
            fake.reply(&second, contents(text, json!(60_000), "public"))
                .await;
            let result = reading.await.unwrap().unwrap();
            assert_eq!(result.contents[0].text(), Some(text));
        }
    }
}

async fn sharing(cache: &SharedCache, partition: Option<&str>) -> (Client, Fake) {
    let builder = builder().cache(cache);
    connect(match partition {
        Some(partition) => builder.cache_partition(partition),
        None => builder,
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn public_results_are_shared_and_private_ones_only_within_a_partition() {
    for (scope, others) in [("private", false), ("public", true), ("Public", false)] {
        let cache = SharedCache::new();
        let (anna, mut of_anna) = sharing(&cache, Some("anna")).await;
        let reply = contents("first", json!(60_000), scope);
        read(&anna, &mut of_anna, Some(reply)).await;

        let (also_anna, mut fake) = sharing(&cache, Some("anna")).await;
        assert_eq!(read(&also_anna, &mut fake, None).await, "first");

        for partition in [Some("ben"), None, None] {
            let (other, mut fake) = sharing(&cache, partition).await;
            let own = contents("own", json!(60_000), "private");
            match others {
                true => assert_eq!(read(&other, &mut fake, None).await, "first"),
                false => assert_eq!(read(&other, &mut fake, Some(own)).await, "own"),
            }
        }
        assert_eq!(read(&anna, &mut of_anna, None).await, "first");
    }
}

#[tokio::test(start_paused = true)]
async fn clients_that_share_nothing_share_nothing() {
    for _ in 0..2 {
        let (client, mut fake) = connect(builder()).await;
        let reply = contents("own", json!(60_000), "public");
        assert_eq!(read(&client, &mut fake, Some(reply)).await, "own");
    }
}

fn page(name: &str, ttl: u64, next: Option<&str>) -> Value {
    json!({
        "resources": [{"uri": format!("x://{name}"), "name": name}],
        "nextCursor": next, "ttlMs": ttl, "cacheScope": "private"
    })
}

/// The names that a list gives; `replies` are the pages that the server is asked for.
async fn list(client: &Client, fake: &mut Fake, replies: &[(Option<&str>, Value)]) -> Vec<String> {
    let serving = async {
        for (cursor, reply) in replies {
            let request = fake.request("resources/list").await;
            let asked = request.params().get("cursor").and_then(Value::as_str);
            assert_eq!(asked, *cursor);
            match reply.get("code") {
                Some(_) => fake.fail(&request, reply.clone()).await,
                None => fake.reply(&request, reply.clone()).await,
            }
        }
    };
    let (listed, ()) = tokio::join!(client.list_resources(), serving);
    fake.hears_nothing().await;
    let names = listed.unwrap().into_iter().map(|resource| resource.name);
    names.collect()
}

#[tokio::test(start_paused = true)]
async fn each_page_is_kept_on_its_own() {
    let (client, mut fake) = connect(builder()).await;
    let both = [
        (None, page("a", 60_000, Some("2"))),
        (Some("2"), page("b", 1_000, None)),
    ];
    assert_eq!(list(&client, &mut fake, &both).await, ["a", "b"]);
    assert_eq!(list(&client, &mut fake, &[]).await, ["a", "b"]);
    sleep(Duration::from_secs(1)).await;
    let second = [(Some("2"), page("c", 1_000, None))];
    assert_eq!(list(&client, &mut fake, &second).await, ["a", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_no_longer_valid_begins_the_list_again() {
    let (client, mut fake) = connect(builder()).await;
    let both = [
        (None, page("a", 60_000, Some("2"))),
        (Some("2"), page("b", 0, None)),
    ];
    list(&client, &mut fake, &both).await;
    let invalid = json!({"code": -32602, "message": "unknown cursor"});
    let again = [
        (Some("2"), invalid.clone()),
        (None, page("c", 0, Some("3"))),
        (Some("3"), page("d", 0, None)),
    ];
    assert_eq!(list(&client, &mut fake, &again).await, ["c", "d"]);

    // Where nothing was kept it is an error at once.
    let asking = client.clone();
    let listing = tokio::spawn(async move { asking.list_resources().await });
    let request = fake.request("resources/list").await;
    fake.fail(&request, invalid).await;
    let error = listing.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Rpc(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn every_list_and_the_description_of_the_server_are_kept() {
    let (client, mut fake) = connect(builder()).await;
    let replies = [
        (
            "server/discover",
            json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
        ),
        ("tools/list", json!({"tools": []})),
        ("prompts/list", json!({"prompts": []})),
        ("resources/list", json!({"resources": []})),
        ("resources/templates/list", json!({"resourceTemplates": []})),
    ];
    for ask in 0..2 {
        for (method, reply) in &replies {
            let fetching = async {
                match *method {
                    "server/discover" => client.discover().await.map(drop),
                    "tools/list" => client.list_tools().await.map(drop),
                    "prompts/list" => client.list_prompts().await.map(drop),
                    "resources/list" => client.list_resources().await.map(drop),
                    _ => client.list_resource_templates().await.map(drop),
                }
            };
            let serving = async {
                if ask == 0 {
                    let request = fake.request(method).await;
                    let mut reply = reply.clone();
                    reply["ttlMs"] = json!(60_000);
                    fake.reply(&request, reply).await;
                }
            };
            let (fetched, ()) = tokio::join!(fetching, serving);
            fetched.unwrap();
        }
    }
    fake.hears_nothing().await;
    client.clear_cache();
    let asking = client.clone();
    let _listing = tokio::spawn(async move { asking.list_tools().await });
    fake.request("tools/list").await;
}

#[tokio::test(start_paused = true)]
async fn what_the_probe_heard_is_kept() {
    let (transport, mut fake) = crate::support::pair();
    let serving = async {
        let probe = fake.request("server/discover").await;
        let result = json!({
            "supportedVersions": ["2026-07-28"], "capabilities": {},
            "instructions": "be kind", "ttlMs": 60_000
        });
        fake.reply(&probe, result).await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), serving);
    let discovered = client.unwrap().discover().await.unwrap();
    assert_eq!(discovered.instructions.as_deref(), Some("be kind"));
}

#[tokio::test(start_paused = true)]
async fn a_result_of_the_wrong_form_is_not_kept() {
    let (client, mut fake) = connect(builder()).await;
    let asking = client.clone();
    let reading = tokio::spawn(async move { asking.read_resource("x://a").await });
    let request = fake.request("resources/read").await;
    fake.reply(&request, json!({"contents": 5, "ttlMs": 60_000}))
        .await;
    let error = reading.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");
    let reply = contents("right", json!(60_000), "private");
    assert_eq!(read(&client, &mut fake, Some(reply)).await, "right");
}

#[tokio::test(start_paused = true)]
async fn an_ended_connection_answers_nothing_from_memory() {
    let (client, mut fake) = connect(builder()).await;
    read(
        &client,
        &mut fake,
        Some(contents("1", json!(60_000), "private")),
    )
    .await;
    client.close().await;
    let error = client.read_resource("x://a").await.unwrap_err();
    assert!(matches!(error, Error::Closed { .. }), "{error}");
}

/// A client with a subscription to everything, and the request of it.
async fn listening(builder: Builder) -> (Client, Fake, mcp_client::Changes, Message) {
    let (client, mut fake) = connect(builder).await;
    let wanted = Subscription::new().tools().prompts().resources();
    let subscribing = client.subscribe(wanted.resource("x://a"));
    let serving = async {
        let listen = fake.request("subscriptions/listen").await;
        let honoured = listen.params()["notifications"].clone();
        let params = json!({"notifications": honoured});
        fake.notice(&listen, "subscriptions/acknowledged", params)
            .await;
        listen
    };
    let (changes, listen) = tokio::join!(subscribing, serving);
    (client.clone(), fake, changes.unwrap(), listen)
}

#[tokio::test(start_paused = true)]
async fn a_notice_makes_what_was_kept_stale() {
    let (client, mut fake, mut changes, listen) = listening(builder()).await;
    let first = [(None, page("a", 60_000, None))];
    list(&client, &mut fake, &first).await;
    read(
        &client,
        &mut fake,
        Some(contents("1", json!(60_000), "public")),
    )
    .await;

    let updated = json!({"uri": "x://a"});
    fake.notice(&listen, "resources/updated", updated).await;
    changes.next().await.unwrap();
    let second = contents("2", json!(60_000), "public");
    assert_eq!(read(&client, &mut fake, Some(second)).await, "2");
    // The list has not changed.
    assert_eq!(list(&client, &mut fake, &[]).await, ["a"]);

    fake.notice(&listen, "resources/list_changed", json!({}))
        .await;
    changes.next().await.unwrap();
    let second = [(None, page("b", 60_000, None))];
    assert_eq!(list(&client, &mut fake, &second).await, ["b"]);
    assert_eq!(read(&client, &mut fake, None).await, "2");

    fake.notice(&listen, "tools/list_changed", json!({})).await;
    changes.next().await.unwrap();
    assert_eq!(list(&client, &mut fake, &[]).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_notice_overtakes_is_not_kept() {
    let (client, mut fake, mut changes, listen) = listening(builder()).await;
    let asking = client.clone();
    let reading = tokio::spawn(async move { asking.read_resource("x://a").await });
    let request = fake.request("resources/read").await;
    let updated = json!({"uri": "x://a"});
    fake.notice(&listen, "resources/updated", updated).await;
    changes.next().await.unwrap();
    fake.reply(&request, contents("old", json!(60_000), "private"))
        .await;
    reading.await.unwrap().unwrap();
    let new = contents("new", json!(60_000), "private");
    assert_eq!(read(&client, &mut fake, Some(new)).await, "new");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_what_was_asked_before_clearing_is_not_kept() {
    let (client, mut fake) = connect(builder()).await;
    let asking = client.clone();
    let reading = tokio::spawn(async move { asking.read_resource("x://a").await });
    let request = fake.request("resources/read").await;
    client.clear_cache();
    fake.reply(&request, contents("of before", json!(60_000), "private"))
        .await;
    reading.await.unwrap().unwrap();
    let reply = contents("of after", json!(60_000), "private");
    // Without the time limit it would be waited for a request that does not come.
    let limit = Duration::from_secs(1);
    let read = timeout(limit, read(&client, &mut fake, Some(reply))).await;
    assert_eq!(read.as_deref(), Ok("of after"));
}
