//! What every request carries in `_meta`.

use mcp_client::protocol::LoggingLevel;
use mcp_client::{Answer, CallOptions, Consent, Error, Kind, Subscription};
use serde_json::{Value, json};

use crate::support::{answering, asks, builder, call, confirm, connect, done, pair};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test(start_paused = true)]
async fn every_request_says_who_asks_in_which_version_with_which_capabilities() {
    let (transport, mut fake) = pair();
    let connecting = builder().connect(transport);
    let (client, probe) = tokio::join!(connecting, async {
        let probe = fake.request("server/discover").await;
        fake.reply(
            &probe,
            json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
        )
        .await;
        probe
    });
    let client = client.unwrap();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, done("ok")).await;
    calling.await.unwrap().unwrap();
    let expected = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test-host", "version": "1.0.0"},
        CAPABILITIES: {},
    });
    for message in [probe, request] {
        assert_eq!(message.params()["_meta"], expected, "{}", message.text);
    }
}

#[tokio::test(start_paused = true)]
async fn handlers_are_declared() {
    let all = builder()
        .on_form(|_| async { Ok(Answer::Cancel) })
        .on_url(|_| async { Ok(Consent::Cancel) })
        .on_sampling(|_| async { Err("no".into()) })
        .on_roots(|_| async { Err("no".into()) });
    let (client, mut fake) = connect(all).await;
    let _calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["_meta"][CAPABILITIES],
        json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
    );
}

#[tokio::test(start_paused = true)]
async fn sampling_with_tools_is_declared_on_its_own() {
    let builder = builder()
        .on_sampling(|_| async { Err("no".into()) })
        .sampling_tools();
    let (client, mut fake) = connect(builder).await;
    let _calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["_meta"][CAPABILITIES],
        json!({"sampling": {"tools": {}}})
    );
}

#[tokio::test(start_paused = true)]
async fn extensions_are_declared_on_every_request() {
    let builder = builder()
        .extension("com.example/charts", json!({"width": 800}))
        .extension("io.modelcontextprotocol/ui", json!({}))
        .on_roots(|_| async { Err("no".into()) });
    let extensions =
        json!({"com.example/charts": {"width": 800}, "io.modelcontextprotocol/ui": {}});
    let expected = json!({"roots": {}, "extensions": extensions});
    let (transport, mut fake) = pair();
    let connecting = builder.connect(transport);
    let (client, probe) = tokio::join!(connecting, async {
        let probe = fake.request("server/discover").await;
        let said = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
        fake.reply(&probe, said).await;
        probe
    });
    assert_eq!(probe.params()["_meta"][CAPABILITIES], expected);
    let client = client.unwrap();
    let _calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    assert_eq!(request.params()["_meta"][CAPABILITIES], expected);
    let subscriber = client.clone();
    let _subscribing =
        tokio::spawn(async move { subscriber.subscribe(Subscription::new().tools()).await });
    let request = fake.request("subscriptions/listen").await;
    assert_eq!(request.params()["_meta"][CAPABILITIES], expected);

    // Kinds of input are a session's own business.
    let session = client.session().declare_only([Kind::Form]);
    let _calling = tokio::spawn(async move { session.call_tool("t", json!({})).await });
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["_meta"][CAPABILITIES],
        json!({"elicitation": {"form": {}}, "extensions": extensions})
    );
}

#[tokio::test(start_paused = true)]
async fn extensions_that_cannot_be_are_told_all_at_once_before_anything_is_sent() {
    let (transport, mut fake) = pair();
    let wrong = builder()
        .extension("charts", json!({}))
        .extension("com.example/maps", json!("large"))
        .extension("com.example/plans", json!({}))
        .extension("com.example/plans", json!({}));
    let error = wrong.connect(transport).await.unwrap_err();
    let text = error.to_string();
    let Error::Extensions { faults } = error else {
        panic!("{text}")
    };
    assert_eq!(faults.len(), 3, "{text}");
    assert_eq!(text.lines().collect::<Vec<_>>(), faults);
    for name in ["charts", "com.example/maps", "com.example/plans"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(fake.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_session_declares_what_its_user_answers() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session().declare(Kind::Form);
    let _calling = tokio::spawn(async move { session.call_tool("t", json!({})).await });
    let request = fake.request("tools/call").await;
    assert_eq!(
        request.params()["_meta"][CAPABILITIES],
        json!({"elicitation": {"form": {}}})
    );
}

#[tokio::test(start_paused = true)]
async fn a_level_and_a_token_are_sent_only_when_asked_for() {
    let builder = builder()
        .on_progress(|_| {})
        .on_log(LoggingLevel::Warning, |_| {});
    let (client, mut fake) = connect(builder).await;
    let _calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let meta = &request.params()["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "warning");
    assert!(meta["progressToken"].is_u64(), "{meta}");
}

#[tokio::test(start_paused = true)]
async fn calls_side_by_side_have_different_tokens() {
    let (client, mut fake) = connect(builder().on_progress(|_| {})).await;
    let _calls = [call(&client, "a", json!({})), call(&client, "b", json!({}))];
    let first = fake.request("tools/call").await;
    let second = fake.request("tools/call").await;
    assert_ne!(
        first.params()["_meta"]["progressToken"],
        second.params()["_meta"]["progressToken"]
    );
}

#[tokio::test(start_paused = true)]
async fn meta_and_arguments_are_the_same_on_every_round() {
    let (builder, _) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(
        builder
            .on_progress(|_| {})
            .on_log(LoggingLevel::Info, |_| {}),
    )
    .await;
    let calling = call(&client, "t", json!({"id": 9_007_199_254_740_993_u64}));
    let mut rounds = Vec::new();
    for round in 0..3 {
        let request = fake.request("tools/call").await;
        let reply = match round {
            0 => asks(json!({"a": confirm("?")}), json!("s1")),
            1 => asks(json!({}), json!("s2")),
            _ => done("ok"),
        };
        fake.reply(&request, reply).await;
        rounds.push(request);
    }
    calling.await.unwrap().unwrap();
    for message in &rounds {
        for member in ["_meta", "arguments", "name"] {
            assert_eq!(
                message.params()[member],
                rounds[0].params()[member],
                "{}",
                message.text
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_may_add_to_meta_but_not_replace_the_protocols_own() {
    let (client, mut fake) = connect(builder()).await;
    let options = CallOptions::new()
        .meta(
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        )
        .meta("progressToken", "mine")
        .meta("io.modelcontextprotocol/protocolVersion", "1999-01-01");
    let _calling =
        tokio::spawn(async move { client.call_tool_with("t", json!({}), options).await });
    let request = fake.request("tools/call").await;
    let meta = &request.params()["_meta"];
    assert_eq!(
        meta["traceparent"],
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(meta["progressToken"], Value::Null);
}
