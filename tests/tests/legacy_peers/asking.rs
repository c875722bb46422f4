//! Servers that ask by requests of their own, while a call is open.

use std::time::Duration;

use mcp_client::{Answer, Consent, Error, FormQuestion, Kind};
use serde_json::{Value, json};

use crate::support::{
    PATIENCE, Peer, accept, builder, over_all, over_sse, runs, seen, with_a_model, with_forms,
    with_pages, with_roots,
};

over_all![
    a_form,
    forms_that_are_not_accepted,
    two_forms_and_a_structured_result,
    an_answer_that_does_not_fit_is_not_sent,
    pages,
    a_page_before_the_call,
    sampling_and_roots,
    roots_on_the_stream_of_no_request,
    what_was_not_declared_is_refused,
    a_question_that_is_taken_back,
    a_ping_is_answered,
    calls_that_ask_side_by_side,
];
over_sse![
    a_form,
    a_page_before_the_call,
    sampling_and_roots,
    roots_on_the_stream_of_no_request,
];

fn delete(_: &FormQuestion) -> Answer {
    accept(json!({"confirm": true}))
}

fn reasons(question: &FormQuestion) -> Answer {
    accept(match question.message.starts_with("Why") {
        true => json!({"reason": "late", "parcels": 2, "note": "ünverpackt"}),
        false => json!({"confirm": true}),
    })
}

async fn a_form(peer: Peer) {
    let (client, asked) = with_forms(delete);
    let client = peer.connect(client).await;
    let call = client.call_tool("delete_note", json!({"note_id": "n-1"}));
    let call = call.await.unwrap();
    assert!(!call.is_error(), "{}", call.text());
    assert_eq!(call.text(), "Deleted note n-1.");
    assert_eq!(runs(&client, "delete_note").await, 1);

    let [question] = &seen(&asked)[..] else {
        panic!("expected one question");
    };
    assert_eq!(question.message, "Delete note n-1?");
    assert_eq!(question.asker.target, "delete_note");
    assert_eq!(question.asker.server.as_ref().unwrap().name, "legacy-peer");
    assert!(question.schema.is_required("confirm"));
    client.close().await;
}

async fn forms_that_are_not_accepted(peer: Peer) {
    for (answer, action) in [(Answer::Decline, "decline"), (Answer::Cancel, "cancel")] {
        let (client, _) = with_forms(move |_| answer.clone());
        let client = peer.connect(client).await;
        let call = client.call_tool("delete_note", json!({"note_id": "n-1"}));
        assert_eq!(
            call.await.unwrap().text(),
            format!("Kept note n-1: {action}.")
        );
        client.close().await;
    }
}

async fn two_forms_and_a_structured_result(peer: Peer) {
    let (client, asked) = with_forms(reasons);
    let client = peer.connect(client).await;
    // The list has the schema that the result is checked against.
    client.list_tools().await.unwrap();
    let call = client.call_tool("record_return", json!({"order_id": "O-2289"}));
    let call = call.await.unwrap();
    assert!(!call.is_error(), "{}", call.text());
    assert_eq!(
        call.structured::<Value>().unwrap(),
        json!({"order_id": "O-2289", "reason": "late", "parcels": 2, "released": true})
    );
    let messages: Vec<String> = seen(&asked).iter().map(|q| q.message.clone()).collect();
    assert_eq!(
        messages,
        [
            "Why does order O-2289 come back?",
            "Release 2 parcels of O-2289 (late)?"
        ]
    );
    client.close().await;
}

/// The host is told what does not fit, and the server gets an error in place of a wrong answer.
async fn an_answer_that_does_not_fit_is_not_sent(peer: Peer) {
    let (client, _) = with_forms(|_| accept(json!({"reason": "late", "parcels": 10})));
    let client = peer.connect(client).await;
    match client
        .call_tool("record_return", json!({"order_id": "O-1"}))
        .await
    {
        Ok(call) => assert!(call.is_error(), "{}", call.text()),
        Err(error) => assert!(matches!(error, Error::InvalidAnswer { .. }), "{error}"),
    }
    assert_eq!(runs(&client, "record_return").await, 0);
    client.close().await;
}

async fn pages(peer: Peer) {
    for (consent, said) in [
        (Consent::Accept, "Connected."),
        (Consent::Decline, "Not connected: decline."),
        (Consent::Cancel, "Not connected: cancel."),
    ] {
        let (client, asked) = with_pages(consent);
        let client = peer.connect(client).await;
        let call = client.call_tool("connect", json!({})).await.unwrap();
        assert_eq!(call.text(), said);
        let [question] = &seen(&asked)[..] else {
            panic!("expected one page");
        };
        assert_eq!(question.url, "https://pay.example/connect/7");
        client.close().await;
    }
}

/// The server refuses the call with the page that must be opened (`-32042`), and takes it when it comes again.
async fn a_page_before_the_call(peer: Peer) {
    let (client, asked) = with_pages(Consent::Accept);
    let client = peer.connect(client).await;
    let call = client.call_tool("connect_first", json!({})).await.unwrap();
    assert_eq!(call.text(), "Connected before.");
    let urls: Vec<String> = seen(&asked).iter().map(|q| q.url.clone()).collect();
    assert_eq!(urls, ["https://pay.example/connect/8"]);
    assert_eq!(runs(&client, "connect_first").await, 2);
    client.close().await;
}

async fn sampling_and_roots(peer: Peer) {
    let client = peer.connect(with_roots(with_a_model(builder()))).await;
    let call = client.call_tool("slogan", json!({"product": "kettles"}));
    let call = call.await.unwrap();
    assert_eq!(
        call.text(),
        "It boils. (a-model, for file:///srv/shop and file:///srv/a%20b)"
    );
    client.close().await;
}

/// Over HTTP the request comes on the stream that the client keeps open. The server drops it where the stream is not
/// there yet, so a call may have to be repeated.
async fn roots_on_the_stream_of_no_request(peer: Peer) {
    let client = peer.connect(with_roots(builder())).await;
    let heard = async {
        loop {
            let call = client.call_tool("count_roots", json!({}));
            let call = tokio::time::timeout(Duration::from_secs(2), call).await;
            if let Ok(call) = call {
                return call.unwrap();
            }
        }
    };
    let call = tokio::time::timeout(PATIENCE, heard).await.unwrap();
    assert_eq!(call.text(), "2 directories");
    client.close().await;
}

/// A server that asks for what was not declared gets an error, and nobody is asked.
async fn what_was_not_declared_is_refused(peer: Peer) {
    let client = peer.connect(builder().declare(Kind::Roots)).await;
    let call = client.call_tool("slogan", json!({"product": "kettles"}));
    let call = call.await.unwrap();
    assert!(call.is_error(), "{}", call.text());
    let call = client.call_tool("delete_note", json!({"note_id": "n-1"}));
    let call = call.await.unwrap();
    assert!(call.is_error(), "{}", call.text());
    assert_eq!(runs(&client, "delete_note").await, 0);
    client.close().await;
}

/// The person's answer comes too late, and disturbs nothing.
async fn a_question_that_is_taken_back(peer: Peer) {
    let client = builder().on_form(|_| async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        Ok(accept(json!({"confirm": true})))
    });
    let client = peer.connect(client).await;
    let call = client.call_tool("give_up_asking", json!({"note_id": "n-1"}));
    assert_eq!(
        call.await.unwrap().text(),
        "Kept note n-1: nobody answered."
    );
    tokio::time::sleep(Duration::from_millis(600)).await;
    let call = client.call_tool("count", json!({"to": 1})).await.unwrap();
    assert_eq!(call.text(), "Counted to 1.");
    client.close().await;
}

async fn a_ping_is_answered(peer: Peer) {
    let client = peer.connect(builder()).await;
    let call = client.call_tool("ping_host", json!({})).await.unwrap();
    assert_eq!(call.text(), "It is there.");
    client.close().await;
}

/// The requests of the server do not say which call they belong to. Each call gets its own answer.
async fn calls_that_ask_side_by_side(peer: Peer) {
    let (client, asked) = with_forms(|question| {
        let confirm = question.message.contains("n-2");
        accept(json!({ "confirm": confirm }))
    });
    let client = peer.connect(client).await;
    let delete = |note: &str| client.call_tool("delete_note", json!({ "note_id": note }));
    let (first, second, third) = tokio::join!(delete("n-1"), delete("n-2"), delete("n-3"));
    assert_eq!(first.unwrap().text(), "Kept note n-1: accept.");
    assert_eq!(second.unwrap().text(), "Deleted note n-2.");
    assert_eq!(third.unwrap().text(), "Kept note n-3: accept.");
    assert_eq!(seen(&asked).len(), 3);
    client.close().await;
}
