//! Prompts and resources: subscribed to, switched and shown as tools are.

use std::{collections::HashSet, time::Duration};

use mcp_server::{ResultLimit, prelude::*};
use mcp_tests::wire::{Wire, code};
use serde_json::{Value, json};

use crate::{ACKNOWLEDGED, TOOLS_CHANGED, echo, listen, subscription};

const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// Greets.
#[prompt]
async fn greet(name: String) -> String {
    format!("Greet {name}.")
}

/// How much there is.
#[resource("shop://stock")]
async fn stock() -> &'static str {
    "3"
}

/// What is secret.
#[resource("shop://till")]
async fn till() -> &'static str {
    "a lot"
}

/// A note.
#[resource("note://{id}")]
async fn note(id: String) -> String {
    format!("note {id}")
}

fn shop() -> Server {
    Server::builder("shop", "1.0.0")
        .tools(tools![echo])
        .prompts(prompts![greet])
        .resources(resources![stock, note])
        .resources(resources![till].visible_to(|_| false))
        .build()
        .unwrap()
}

async fn names(wire: &mut Wire, method: &str, member: &str, key: &str) -> Vec<String> {
    let answer = wire.request(method, json!({})).await;
    let listed = answer["result"][member].as_array().unwrap().iter();
    listed
        .map(|entry| entry[key].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_a_server_has_is_declared_as_such() {
    let mut wire = Wire::open(&shop());
    let answer = wire.request("server/discover", json!({})).await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["tools"], json!({"listChanged": true}));
    assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
    let resources = json!({"listChanged": true, "subscribe": true});
    assert_eq!(capabilities["resources"], resources);

    // Without tools there is nothing to hear of.
    let server = Server::builder("prompts", "1.0.0")
        .prompts(prompts![greet])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.request("server/discover", json!({})).await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities.get("tools"), None);
    assert_eq!(capabilities.get("resources"), None);
    wire.begin(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}}),
    )
    .await;
    let acknowledged = wire.receive().await;
    let kept_to = &acknowledged["params"]["notifications"];
    assert_eq!(*kept_to, json!({"promptsListChanged": true}));
}

/// Resources that are there, by URI or by template; neither unknown ones nor those of others.
#[tokio::test]
async fn only_resources_that_are_served_are_acknowledged() {
    let server = shop();
    server.resources().disable("shop://stock").unwrap();
    let mut wire = Wire::open(&server);
    for (wanted, expected) in [
        (
            json!(["note://8", "note://7", "note://7", "no:such", "note://a/b"]),
            Some(["note://7", "note://8"]),
        ),
        // Switched off, and not for this caller.
        (json!(["shop://stock", "shop://till", "note://../a"]), None),
    ] {
        wire.begin(
            "subscriptions/listen",
            json!({"notifications": {"resourceSubscriptions": wanted}}),
        )
        .await;
        let message = wire.receive().await;
        assert_eq!(message["method"], ACKNOWLEDGED);
        let kept_to = &message["params"]["notifications"];
        match expected {
            None => {
                assert_eq!(*kept_to, json!({}));
                assert_eq!(wire.receive().await["result"]["resultType"], "complete");
            }
            Some(expected) => {
                let kept_to = kept_to["resourceSubscriptions"].as_array().unwrap();
                let kept: HashSet<&str> = kept_to.iter().filter_map(Value::as_str).collect();
                assert_eq!(kept, HashSet::from(expected));
                assert_eq!(kept_to.len(), expected.len());
            }
        }
    }
}

#[tokio::test]
async fn an_update_reaches_those_who_subscribed_to_that_resource_once() {
    let server = shop();
    let mut wire = Wire::open(&server);
    let one = listen(&mut wire, json!({"resourceSubscriptions": ["note://1"]})).await;
    let both = listen(
        &mut wire,
        json!({"resourceSubscriptions": ["note://1", "note://2"]}),
    )
    .await;
    for _ in 0..200 {
        server.notify().resource_updated("note://1");
        server.notify().resource_updated("note://2");
        server.notify().resource_updated("note://3");
        server.notify().resources_changed();
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    wire.begin("tools/list", json!({})).await;
    let mut told = Vec::new();
    loop {
        let message = wire.receive().await;
        if message.get("id").is_some() {
            break;
        }
        assert_eq!(message["method"], UPDATED);
        let uri = message["params"]["uri"].as_str().unwrap().to_owned();
        told.push((subscription(&message).as_i64().unwrap(), uri));
    }
    // Where the loop was interrupted some are told again: never two hundred times.
    assert!(told.len() <= 15, "{told:?}");
    let told: HashSet<(i64, String)> = told.into_iter().collect();
    let expected = [(one, "note://1"), (both, "note://1"), (both, "note://2")];
    assert_eq!(told, expected.map(|(id, uri)| (id, uri.to_owned())).into());
}

#[tokio::test]
async fn a_subscription_to_one_list_never_hears_of_another() {
    let server = shop();
    let mut wire = Wire::open(&server);
    let prompts = listen(&mut wire, json!({"promptsListChanged": true})).await;
    let resources = listen(&mut wire, json!({"resourcesListChanged": true})).await;
    for _ in 0..3 {
        server.notify().tools_changed();
        server.notify().resource_updated("note://1");
        server.prompts().disable("greet").unwrap();
        server.prompts().enable("greet").unwrap();
        server.resources().disable("note://{id}").unwrap();
        server.resources().enable("note://{id}").unwrap();
        let mut told = [wire.receive().await, wire.receive().await];
        told.sort_by_key(|message| subscription(message).as_i64());
        assert_eq!(told[0]["method"], PROMPTS_CHANGED);
        assert_eq!(*subscription(&told[0]), prompts);
        assert_eq!(told[1]["method"], RESOURCES_CHANGED);
        assert_eq!(*subscription(&told[1]), resources);
        wire.assert_silent(Duration::from_millis(50)).await;
    }
    let tools = listen(&mut wire, json!({"toolsListChanged": true})).await;
    server.notify().tools_changed();
    let told = wire.receive().await;
    assert_eq!(told["method"], TOOLS_CHANGED);
    assert_eq!(*subscription(&told), tools);
}

#[tokio::test]
async fn prompts_and_resources_that_are_off_do_not_exist() {
    let server = shop();
    let mut wire = Wire::open(&server);
    let get = json!({"name": "greet", "arguments": {"name": "Ada"}});
    assert!(wire.request("prompts/get", get.clone()).await["result"].is_object());
    server.prompts().disable("greet").unwrap();
    let refused = wire.request("prompts/get", get).await;
    let unknown = wire.request("prompts/get", json!({"name": "no"})).await;
    assert_eq!(code(&refused), code(&unknown));
    assert_eq!(refused["error"]["message"], "unknown prompt `greet`");
    let listed = names(&mut wire, "prompts/list", "prompts", "name").await;
    assert_eq!(listed, [""; 0]);

    let read = |uri: &str| json!({"uri": uri});
    let listed = names(&mut wire, "resources/list", "resources", "uri").await;
    assert_eq!(listed, ["shop://stock"]);
    let answer = wire.request("resources/read", read("note://1")).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "note 1");
    server.resources().disable("note://{id}").unwrap();
    server.resources().disable("shop://stock").unwrap();
    let unknown = wire.request("resources/read", read("no:such")).await;
    // One is hidden from everyone, two are off.
    for uri in ["shop://till", "note://1", "shop://stock"] {
        let refused = wire.request("resources/read", read(uri)).await;
        assert_eq!(code(&refused), code(&unknown));
        assert_eq!(refused["error"]["data"], json!({"uri": uri}));
    }
    let method = "resources/templates/list";
    let listed = names(&mut wire, method, "resourceTemplates", "uriTemplate").await;
    assert_eq!(listed, [""; 0]);
}

#[tokio::test]
async fn the_result_of_one_resource_is_limited() {
    let server = Server::builder("shop", "1.0.0")
        .resources(resources![note].layer(ResultLimit::new(100)))
        .prompts(prompts![greet].layer(ResultLimit::new(100)))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let long = "x".repeat(100);
    let read = wire
        .request("resources/read", json!({"uri": format!("note://{long}")}))
        .await;
    let get = wire
        .request(
            "prompts/get",
            json!({"name": "greet", "arguments": {"name": long}}),
        )
        .await;
    for (answer, name) in [(read, "note"), (get, "greet")] {
        assert_eq!(code(&answer), -32603);
        let expected =
            format!("the result has more than 100 bytes, the limit of `{name}`; ask for less");
        assert_eq!(answer["error"]["message"], expected);
    }
    let read = wire
        .request("resources/read", json!({"uri": "note://1"}))
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "note 1");
}

/// A client writes a URI as a template makes it, a server as it likes.
#[tokio::test]
async fn a_resource_is_the_same_in_both_spellings() {
    let server = shop();
    let mut wire = Wire::open(&server);
    let uris = json!(["note://gr%C3%BCn%20und%20blau", "note://rot"]);
    let id = listen(&mut wire, json!({"resourceSubscriptions": uris})).await;
    for (updated, told) in [
        ("note://grün und blau", "note://gr%C3%BCn%20und%20blau"),
        (
            "note://gr%c3%bcn%20und blau",
            "note://gr%C3%BCn%20und%20blau",
        ),
        ("note://r%6Ft", "note://rot"),
    ] {
        server.notify().resource_updated(updated);
        let message = wire.receive().await;
        assert_eq!(message["method"], UPDATED, "{message}");
        assert_eq!(*subscription(&message), id, "{message}");
        assert_eq!(message["params"]["uri"], told);
    }
}
