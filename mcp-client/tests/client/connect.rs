//! The probe: which servers are taken, and what the error says about the others. What a client does that speaks
//! older revisions too is in `legacy`.

use std::time::Duration;

use mcp_client::{Builder, Client, Error, Revision};
use serde_json::{Value, json};

use crate::support::{Fake, builder, connect, pair};

/// Connects while `answer` plays the server.
async fn refused<F>(answer: F) -> Error
where
    F: AsyncFnOnce(&mut Fake),
{
    refused_by(builder(), answer).await
}

async fn refused_by<F>(builder: Builder, answer: F) -> Error
where
    F: AsyncFnOnce(&mut Fake),
{
    let (transport, mut fake) = pair();
    let server = async {
        answer(&mut fake).await;
        // The client ends the connection; until then the server stays.
        while fake.next().await.is_some() {}
    };
    let (client, ()) = tokio::join!(builder.connect(transport), server);
    client.map(|_: Client| ()).unwrap_err()
}

/// A server of an older revision: it answers the probe with `error`, and the handshake. The client speaks
/// today's revision only.
async fn old_server(error: Value) -> Error {
    let builder = builder().revision(Revision::V2026_07_28);
    refused_by(builder, async |fake| {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, error).await;
        let hello = fake.request("initialize").await;
        fake.reply(&hello, json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}})).await;
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_taken_and_remembered() {
    let (client, _fake) = connect(builder()).await;
    assert_eq!(client.server_info().unwrap().name, "fake");
    assert_eq!(client.server().unwrap().supported_versions, ["2026-07-28"]);
}

#[tokio::test(start_paused = true)]
async fn discover_asks_again() {
    let (client, mut fake) = connect(builder()).await;
    let (discovered, ()) = tokio::join!(client.discover(), fake.answer_probe());
    assert_eq!(discovered.unwrap().supported_versions, ["2026-07-28"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_our_version_is_refused_naming_both() {
    let error = refused(async |fake| {
        let probe = fake.request("server/discover").await;
        fake.reply(&probe, json!({"resultType": "complete", "supportedVersions": ["2027-01-01", "2027-06-01"], "capabilities": {}})).await;
    })
    .await;
    assert!(matches!(&error, Error::UnsupportedVersion { theirs, .. } if theirs.len() == 2));
    let text = error.to_string();
    assert!(
        text.contains("2027-01-01, 2027-06-01") && text.contains("2026-07-28"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_error_for_our_version_names_both_and_is_not_taken_for_an_old_server() {
    let error = refused(async |fake| {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, json!({"code": -32022, "message": "no", "data": {"supported": ["2027-01-01"], "requested": "2026-07-28"}})).await;
    })
    .await;
    assert!(
        matches!(&error, Error::UnsupportedVersion { theirs, .. } if *theirs == ["2027-01-01"])
    );
    assert_eq!(error.code(), Some(-32022));
}

#[tokio::test(start_paused = true)]
async fn other_errors_of_this_era_are_no_old_server() {
    for (code, data) in [
        (-32020, json!({})),
        (-32021, json!({"requiredCapabilities": {"roots": {}}})),
    ] {
        let error = refused(async |fake| {
            let probe = fake.request("server/discover").await;
            fake.fail(&probe, json!({"code": code, "message": "no", "data": data}))
                .await;
        })
        .await;
        assert_eq!(error.code(), Some(code), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn any_other_error_means_an_old_server_and_both_versions_are_named() {
    for code in [-32601, -32602, -32000, -32603, 1] {
        let error = old_server(json!({"code": code, "message": "what?"})).await;
        let text = error.to_string();
        assert!(matches!(error, Error::OldServer { .. }), "{text}");
        assert!(
            text.contains("2025-06-18") && text.contains("2026-07-28"),
            "{text}"
        );
        assert!(text.contains(&code.to_string()), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_also_refuses_the_handshake_still_gives_a_clear_error() {
    let error = refused(async |fake| {
        for method in ["server/discover", "initialize"] {
            let request = fake.request(method).await;
            fake.fail(&request, json!({"code": -32601, "message": "what?"}))
                .await;
        }
    })
    .await;
    assert!(
        matches!(&error, Error::OldServer { theirs: None, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("an older revision"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn garbage_for_an_answer_is_an_old_server() {
    for result in [json!({}), json!({"supportedVersions": 5}), json!([])] {
        let error = refused(async |fake| {
            let probe = fake.request("server/discover").await;
            fake.reply(&probe, result).await;
        })
        .await;
        assert!(matches!(error, Error::OldServer { .. }), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_does_not_hang_the_client() {
    let (transport, mut fake) = pair();
    let builder = builder().probe_timeout(Duration::from_secs(3));
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.cancellation_of(&probe).await;
        while fake.next().await.is_some() {}
    };
    let (client, ()) = tokio::join!(builder.connect(transport), server);
    let error = client.unwrap_err();
    assert!(matches!(error, Error::NoAnswer { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("server/discover") && text.contains("within 3s"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_once_is_closed_and_not_old() {
    let (transport, mut fake) = pair();
    let server = async {
        fake.request("server/discover").await;
        drop(fake);
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert!(matches!(client.unwrap_err(), Error::Closed { .. }));
}

#[tokio::test(start_paused = true)]
async fn the_probe_can_be_left_out() {
    let (transport, mut fake) = pair();
    let client = builder().without_probe().connect(transport).await.unwrap();
    fake.hears_nothing().await;
    assert!(client.server().is_none());
}
