//! What is said in the handshake, and what comes of the answer.

use mcp_client::protocol::{Implementation, LoggingLevel};
use mcp_client::{Builder, Client, Error, HandlerError, Kind, Revision};
use serde_json::{Value, json};

use super::{connect_at, connect_offering, text};
use crate::support::{Message, builder, call, pair};

async fn hello_of(builder: Builder, revision: Revision) -> Message {
    let (transport, mut fake) = pair();
    let builder = builder.revision(revision);
    let server = fake.shake_hands(revision.as_str(), json!({}));
    let (client, hello) = tokio::join!(builder.connect(transport), server);
    client.unwrap();
    hello
}

/// A client that can be asked for anything.
fn everything() -> Builder {
    [Kind::Form, Kind::Url, Kind::Sampling, Kind::Roots]
        .into_iter()
        .fold(builder(), Builder::declare)
        .sampling_tools()
}

#[tokio::test(start_paused = true)]
async fn each_revision_hears_of_the_capabilities_that_it_knows() {
    let roots = json!({"listChanged": true});
    for (revision, capabilities) in [
        (
            Revision::V2024_11_05,
            json!({"roots": roots, "sampling": {}}),
        ),
        (
            Revision::V2025_03_26,
            json!({"roots": roots, "sampling": {}}),
        ),
        (
            Revision::V2025_06_18,
            json!({"roots": roots, "sampling": {}, "elicitation": {}}),
        ),
        (
            Revision::V2025_11_25,
            json!({"roots": roots, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}}),
        ),
    ] {
        let hello = hello_of(everything(), revision).await;
        let params = hello.params();
        assert_eq!(params["protocolVersion"], revision.as_str());
        assert_eq!(params["capabilities"], capabilities, "{revision}");
        assert_eq!(
            params["clientInfo"],
            json!({"name": "test-host", "version": "1.0.0"})
        );
        assert_eq!(params.get("_meta"), None);
        // Extensions came with 2026-07-28.
        let extended = builder().extension("com.example/charts", json!({}));
        assert_eq!(
            hello_of(extended, revision).await.params()["capabilities"],
            json!({})
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_client_describes_itself_in_the_members_of_the_revision() {
    let mut identity = Implementation::new("test-host", "1.0.0");
    identity.title = Some("A host".to_owned());
    identity.description = Some("for tests".to_owned());
    for (revision, members) in [
        (Revision::V2025_03_26, vec!["name", "version"]),
        (Revision::V2025_06_18, vec!["name", "title", "version"]),
        (
            Revision::V2025_11_25,
            vec!["description", "name", "title", "version"],
        ),
    ] {
        let hello = hello_of(builder().identity(identity.clone()), revision).await;
        let info = hello.params()["clientInfo"].as_object().unwrap();
        let mut names: Vec<_> = info.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, members, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_said_of_itself_is_what_discover_says() {
    let (client, mut fake) = connect_at(builder(), Revision::V2025_06_18).await;
    let said = client.server().unwrap();
    assert_eq!(said.supported_versions, ["2025-06-18"]);
    assert_eq!(said.instructions.as_deref(), Some("be kind"));
    assert_eq!(client.server_info().unwrap().name, "old");
    let tools = said.capabilities.tools.as_ref().unwrap();
    assert_eq!(tools.list_changed, Some(true));
    assert_eq!(client.discover().await.unwrap(), *said);
    fake.hears_nothing().await;
}

/// Connects, with the newest revision offered, to a server that answers with this version.
async fn answered_with(version: Value) -> Result<Client, Error> {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, json!({"code": -32601, "message": "what?"}))
            .await;
        let hello = fake.request("initialize").await;
        assert_eq!(hello.params()["protocolVersion"], "2025-11-25");
        let result = json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}});
        fake.reply(&hello, result).await;
        fake.next().await
    };
    let (client, heard) = tokio::join!(builder().connect(transport), server);
    match &client {
        Ok(_) => assert_eq!(heard.unwrap()["method"], "notifications/initialized"),
        Err(_) => assert!(heard.is_none(), "the client says more: {heard:?}"),
    }
    client
}

#[tokio::test(start_paused = true)]
async fn any_older_revision_is_taken_in_place_of_the_newest() {
    for revision in Revision::LEGACY {
        let client = answered_with(json!(revision.as_str())).await.unwrap();
        assert_eq!(client.revision(), *revision);
    }
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_spoken_ends_the_connection() {
    for version in ["2024-10-07", "2026-07-28", "2030-01-01", "latest"] {
        let error = answered_with(json!(version)).await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::UnsupportedVersion { .. }), "{text}");
        assert!(
            text.contains(version) && text.contains("2025-11-25"),
            "{text}"
        );
    }
    let error = answered_with(json!(7)).await.unwrap_err();
    assert!(matches!(error, Error::InvalidResult { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_the_version_and_names_others_gets_the_newest_of_those() {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, json!({"code": -32602, "message": "what?"}))
            .await;
        let hello = fake.request("initialize").await;
        let data = json!({"supported": ["2024-11-05", "2025-03-26"], "requested": "2025-11-25"});
        let error =
            json!({"code": -32602, "message": "Unsupported protocol version", "data": data});
        fake.fail(&hello, error).await;
        fake.shake_hands("2025-03-26", json!({})).await
    };
    let (client, hello) = tokio::join!(builder().connect(transport), server);
    assert_eq!(hello.params()["protocolVersion"], "2025-03-26");
    assert_eq!(client.unwrap().revision(), Revision::V2025_03_26);
}

#[tokio::test(start_paused = true)]
async fn a_pinned_revision_is_agreed_on_or_nothing_is() {
    for (answer, expected) in [
        (Some("2025-03-26"), "2025-03-26"),
        (None, "leave out Builder::revision"),
    ] {
        let (transport, mut fake) = pair();
        let server = async {
            let hello = fake.request("initialize").await;
            assert_eq!(hello.params()["protocolVersion"], "2025-06-18");
            match answer {
                Some(version) => {
                    let result = json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}});
                    fake.reply(&hello, result).await;
                }
                None => {
                    fake.fail(&hello, json!({"code": -32601, "message": "no handshake"}))
                        .await;
                }
            }
            assert!(fake.next().await.is_none());
        };
        let pinned = builder().revision(Revision::V2025_06_18);
        let (client, ()) = tokio::join!(pinned.connect(transport), server);
        let text = client.unwrap_err().to_string();
        assert!(
            text.contains(expected) && text.contains("2025-06-18"),
            "{text}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_handshake_is_never_cancelled() {
    let (transport, mut fake) = pair();
    let pinned = builder()
        .revision(Revision::V2025_11_25)
        .probe_timeout(std::time::Duration::from_secs(2));
    let server = async {
        fake.request("initialize").await;
        assert!(fake.next().await.is_none());
    };
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    assert!(matches!(client, Err(Error::Timeout { method, .. }) if method == "initialize"));
}

#[tokio::test(start_paused = true)]
async fn what_the_server_asks_at_once_is_answered_when_the_handshake_is_over() {
    let builder = builder().on_roots(|_| async {
        let roots = json!({"roots": [{"uri": "file:///a"}]});
        Ok::<_, HandlerError>(serde_json::from_value(roots)?)
    });
    let (transport, mut fake) = pair();
    let pinned = builder.revision(Revision::V2025_03_26);
    let server = async {
        let hello = fake.request("initialize").await;
        fake.ask("early", "roots/list", json!({})).await;
        let result = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}});
        fake.reply(&hello, result).await;
        fake.heard("notifications/initialized").await;
        let answer = fake.answered("early").await;
        assert_eq!(answer["result"]["roots"][0]["uri"], "file:///a");
    };
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    client.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_carry_nothing_of_today() {
    let (client, mut fake) = connect_at(everything(), Revision::V2025_06_18).await;
    let calling = call(&client, "t", json!({"x": 1}));
    let request = fake.request("tools/call").await;
    assert_eq!(
        *request.params(),
        json!({"name": "t", "arguments": {"x": 1}})
    );
    fake.reply(&request, text("done")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_level_for_log_messages_is_told_once_and_again_if_more_is_wanted() {
    let log = builder().on_log(LoggingLevel::Warning, |_| {});
    let (transport, mut fake) = pair();
    let pinned = log.revision(Revision::V2024_11_05);
    let server = async {
        fake.shake_hands("2024-11-05", json!({"logging": {}})).await;
        let level = fake.request("logging/setLevel").await;
        assert_eq!(*level.params(), json!({"level": "warning"}));
        fake.reply(&level, json!({})).await;
    };
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    let client = client.unwrap();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, text("1")).await;
    calling.await.unwrap().unwrap();

    let more = mcp_client::CallOptions::new().log_level(LoggingLevel::Debug);
    let calling = client.call_tool_with("t", json!({}), more);
    let server = async {
        let level = fake.request("logging/setLevel").await;
        assert_eq!(*level.params(), json!({"level": "debug"}));
        fake.fail(&level, json!({"code": -32603, "message": "no"}))
            .await;
        let request = fake.request("tools/call").await;
        fake.reply(&request, text("2")).await;
    };
    let (called, ()) = tokio::join!(calling, server);
    assert_eq!(called.unwrap().text(), "2");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_about_the_level_does_not_hold_up_calls_for_long() {
    let log = builder().on_log(LoggingLevel::Debug, |_| {});
    let (transport, mut fake) = pair();
    let started = tokio::time::Instant::now();
    let server = async {
        fake.shake_hands("2025-11-25", json!({"logging": {}})).await;
        let level = fake.request("logging/setLevel").await;
        fake.cancellation_of(&level).await;
    };
    let pinned = log.revision(Revision::V2025_11_25);
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    client.unwrap();
    assert_eq!(started.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_log_messages_is_told_no_level() {
    let log = builder().on_log(LoggingLevel::Debug, |_| {});
    let (_client, mut fake) =
        connect_offering(log, Revision::V2025_11_25, json!({"tools": {}})).await;
    fake.hears_nothing().await;
}
