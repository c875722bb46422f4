//! Who falls back to the handshake, and who does not: never by one code.

use std::time::Duration;

use mcp_client::{Client, Eras, Error, Revision, Transport};
use serde_json::{Value, json};

use crate::support::{Fake, builder, pair};

/// Connects to a server that answers the probe with `error`, and then welcomes its client.
async fn after_error(error: Value) -> (Client, Fake) {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, error).await;
        fake.shake_hands("2025-06-18", json!({"tools": {}})).await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    (client.unwrap(), fake)
}

#[tokio::test(start_paused = true)]
async fn any_error_that_is_none_of_today_leads_to_the_handshake() {
    for code in [-32601, -32602, -32000, -32603, -32001, -32600, 0, 1] {
        let (client, _fake) = after_error(json!({"code": code, "message": "what?"})).await;
        assert_eq!(client.revision(), Revision::V2025_06_18, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_code_of_today_without_its_form_is_none_of_today() {
    for error in [
        json!({"code": -32022, "message": "no"}),
        json!({"code": -32022, "message": "no", "data": {"supported": "2026-07-28"}}),
        json!({"code": -32021, "message": "no"}),
        json!({"code": -32021, "message": "no", "data": {"requiredCapabilities": ["roots"]}}),
    ] {
        let (client, _fake) = after_error(error.clone()).await;
        assert!(client.revision().is_legacy(), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_today_never_leads_to_the_handshake() {
    for error in [
        json!({"code": -32020, "message": "no"}),
        json!({"code": -32021, "message": "no", "data": {"requiredCapabilities": {"roots": {}}}}),
        json!({"code": -32022, "message": "no", "data": {"supported": ["2027-01-01"], "requested": "2026-07-28"}}),
    ] {
        let (transport, mut fake) = pair();
        let code = error["code"].as_i64();
        let server = async {
            let probe = fake.request("server/discover").await;
            fake.fail(&probe, error).await;
            assert!(fake.next().await.is_none(), "the client says more");
        };
        let (client, ()) = tokio::join!(builder().connect(transport), server);
        assert_eq!(client.unwrap_err().code().map(i64::from), code);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_today_that_names_our_version_is_asked_once_more() {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        let data = json!({"supported": ["2026-07-28", "2025-11-25"], "requested": "2026-07-28"});
        fake.fail(
            &probe,
            json!({"code": -32022, "message": "no", "data": data}),
        )
        .await;
        fake.answer_probe().await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}

#[tokio::test(start_paused = true)]
async fn one_that_refuses_our_version_and_names_it_is_still_of_today() {
    let (transport, mut fake) = pair();
    let server = async {
        for _ in 0..2 {
            let probe = fake.request("server/discover").await;
            let data =
                json!({"supported": ["2026-07-28", "2025-11-25"], "requested": "2026-07-28"});
            let error = json!({"code": -32022, "message": "no", "data": data});
            fake.fail(&probe, error).await;
        }
        assert!(fake.next().await.is_none(), "the client says more");
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert!(matches!(client, Err(Error::UnsupportedVersion { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_only_versions_with_a_handshake_gets_one() {
    let names = json!(["2024-11-05", "2025-06-18", "2030-01-01"]);
    let error = json!({"code": -32022, "message": "no", "data": {"supported": names, "requested": "2026-07-28"}});
    let discovered =
        json!({"resultType": "complete", "supportedVersions": names, "capabilities": {}});
    for answer in [json!({"error": error}), json!({"result": discovered})] {
        let (transport, mut fake) = pair();
        let server = async {
            let probe = fake.request("server/discover").await;
            let mut answer = answer;
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = probe["id"].clone();
            fake.line(&answer.to_string()).await;
            let hello = fake.shake_hands("2025-06-18", json!({})).await;
            assert_eq!(hello.params()["protocolVersion"], "2025-06-18");
        };
        let (client, ()) = tokio::join!(builder().connect(transport), server);
        assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_for_an_answer_leads_to_the_handshake() {
    for garbage in [
        json!({}),
        json!({"supportedVersions": 5}),
        json!([]),
        json!("pong"),
    ] {
        let (transport, mut fake) = pair();
        let server = async {
            let probe = fake.request("server/discover").await;
            fake.line("Starting the server on stdio…").await;
            fake.reply(&probe, garbage).await;
            fake.shake_hands("2024-11-05", json!({})).await;
        };
        let (client, ()) = tokio::join!(builder().connect(transport), server);
        assert_eq!(client.unwrap().revision(), Revision::V2024_11_05);
    }
}

#[tokio::test(start_paused = true)]
async fn silence_leads_to_the_handshake() {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.cancellation_of(&probe).await;
        fake.shake_hands("2025-03-26", json!({})).await;
    };
    let builder = builder().probe_timeout(Duration::from_secs(3));
    let (client, ()) = tokio::join!(builder.connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2025_03_26);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_the_probe_that_comes_too_late_is_ignored() {
    let (transport, mut fake) = pair();
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.cancellation_of(&probe).await;
        let hello = fake.request("initialize").await;
        fake.fail(&probe, json!({"code": -32601, "message": "late"}))
            .await;
        fake.welcome(&hello, "2025-11-25", json!({})).await;
    };
    let builder = builder().probe_timeout(Duration::from_secs(3));
    let (client, ()) = tokio::join!(builder.connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2025_11_25);
}

/// Connects to a server that refuses both ways.
async fn refused(probe: Option<Value>, hello: Option<Value>) -> Error {
    let (transport, mut fake) = pair();
    let server = async {
        while let Some(message) = fake.next().await {
            let error = match message["method"].as_str() {
                Some("server/discover") => &probe,
                Some("initialize") => &hello,
                _ => &None,
            };
            if let Some(error) = error {
                fake.fail(&message, error.clone()).await;
            }
        }
    };
    let builder = builder().probe_timeout(Duration::from_secs(3));
    let (client, ()) = tokio::join!(builder.connect(transport), server);
    client.map(drop).unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_both_ways_gives_an_error_that_says_all() {
    let unknown = |message| Some(json!({"code": -32601, "message": message}));
    let error = refused(unknown("no discover"), unknown("no initialize")).await;
    let text = error.to_string();
    assert!(
        matches!(error, Error::OldServer { theirs: None, .. }),
        "{text}"
    );
    for part in [
        "-32601",
        "no discover",
        "no initialize",
        "2024-11-05",
        "2026-07-28",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_at_all_is_said_to_be_silent() {
    let error = refused(None, None).await;
    assert!(matches!(error, Error::NoAnswer { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "the program answered neither server/discover nor initialize within 3s each"
    );
    let unknown = json!({"code": -32601, "message": "what?"});
    let error = refused(Some(unknown), None).await;
    assert!(error.to_string().contains("nothing within 3s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_away_has_gone() {
    let (transport, mut fake) = pair();
    let server = async {
        fake.request("server/discover").await;
        drop(fake);
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert!(matches!(client, Err(Error::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn todays_revision_can_be_pinned() {
    let (transport, mut fake) = pair();
    let pinned = builder().revision(Revision::V2026_07_28);
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, json!({"code": -32601, "message": "what?"}))
            .await;
        // It is asked for its version, so that the error can name it.
        let hello = fake.request("initialize").await;
        let result = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "o", "version": "1"}});
        fake.reply(&hello, result).await;
        assert!(fake.next().await.is_none());
    };
    let (client, ()) = tokio::join!(pinned.connect(transport), server);
    let text = client.unwrap_err().to_string();
    assert!(
        text.contains("2025-03-26") && text.contains("2026-07-28"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_lower_floor_can_leave_the_question_out() {
    let (transport, mut fake) = pair();
    let client = builder().without_probe().connect(transport).await.unwrap();
    fake.hears_nothing().await;
    assert_eq!(client.revision(), Revision::V2026_07_28);
}

/// A transport with a name.
struct Named<T>(&'static str, T);

impl<T: Transport> Transport for Named<T> {
    type Sender = T::Sender;
    type Receiver = T::Receiver;

    async fn open(self) -> std::io::Result<(T::Sender, T::Receiver)> {
        self.1.open().await
    }

    fn remembered_as(&self) -> Option<String> {
        Some(self.0.to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn an_era_is_remembered_by_the_name_of_the_server() {
    let eras = Eras::new();
    let connect = |name| {
        let (transport, fake) = pair();
        let connecting = builder().eras(&eras).connect(Named(name, transport));
        (connecting, fake)
    };
    let (connecting, mut fake) = connect("a");
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.fail(&probe, json!({"code": -32601, "message": "what?"}))
            .await;
        fake.shake_hands("2025-03-26", json!({})).await;
    };
    let (first, ()) = tokio::join!(connecting, server);
    first.unwrap();
    assert_eq!(eras.get("a"), Some(Revision::V2025_03_26));

    // Straight to the handshake, in the newest revision: it may have learned another.
    let (connecting, mut fake) = connect("a");
    let server = async {
        let hello = fake.shake_hands("2025-11-25", json!({})).await;
        assert_eq!(hello.params()["protocolVersion"], "2025-11-25");
    };
    let (second, ()) = tokio::join!(connecting, server);
    assert_eq!(second.unwrap().revision(), Revision::V2025_11_25);
    assert_eq!(eras.get("a"), Some(Revision::V2025_11_25));

    // Of another server nothing is known.
    let (connecting, mut fake) = connect("b");
    let (third, ()) = tokio::join!(connecting, fake.answer_probe());
    assert_eq!(third.unwrap().revision(), Revision::V2026_07_28);
    assert_eq!(eras.get("b"), Some(Revision::V2026_07_28));
}

#[tokio::test(start_paused = true)]
async fn what_was_not_said_clearly_is_not_remembered() {
    let eras = Eras::new();
    let (transport, mut fake) = pair();
    let connecting = builder()
        .eras(&eras)
        .probe_timeout(Duration::from_secs(3))
        .connect(Named("a", transport));
    let server = async {
        let probe = fake.request("server/discover").await;
        fake.cancellation_of(&probe).await;
        fake.shake_hands("2025-03-26", json!({})).await;
    };
    let (client, ()) = tokio::join!(connecting, server);
    assert_eq!(client.unwrap().revision(), Revision::V2025_03_26);
    assert_eq!(eras.get("a"), None);

    let (transport, _fake) = pair();
    let unasked = builder().eras(&eras).without_probe();
    unasked.connect(Named("a", transport)).await.unwrap();
    assert_eq!(eras.get("a"), None);
}

#[tokio::test(start_paused = true)]
async fn an_older_revision_is_believed_for_a_day() {
    let eras = Eras::new();
    eras.set("old", Revision::V2025_11_25);
    eras.set("new", Revision::V2026_07_28);
    tokio::time::advance(Duration::from_secs(23 * 60 * 60)).await;
    assert_eq!(eras.get("old"), Some(Revision::V2025_11_25));
    tokio::time::advance(Duration::from_secs(2 * 60 * 60)).await;
    assert_eq!(eras.get("old"), None);
    assert_eq!(eras.get("new"), Some(Revision::V2026_07_28));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_become_one_of_today_is_noticed() {
    let eras = Eras::new();
    eras.set("a", Revision::V2025_03_26);
    let (transport, mut fake) = pair();
    let connecting = builder().eras(&eras).connect(Named("a", transport));
    let server = async {
        let hello = fake.request("initialize").await;
        fake.fail(
            &hello,
            json!({"code": -32601, "message": "no `initialize` here"}),
        )
        .await;
        fake.answer_probe().await;
    };
    let (client, ()) = tokio::join!(connecting, server);
    let client = client.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    assert_eq!(eras.get("a"), Some(Revision::V2026_07_28));
    // And it is one of today in every way: a request of the server is not answered.
    fake.ask(1, "ping", json!({})).await;
    fake.hears_nothing().await;
    drop(client);
}
