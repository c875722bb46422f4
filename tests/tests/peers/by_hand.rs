//! Calls that a host drives itself, one round at a time.

use mcp_client::{Answer, Error, InputRequest, Kind, PausedCall};
use serde_json::{Value, json};

use crate::support::{
    CONFIRM, Peer, REASON, accept, builder, complete, host, over_both, paused, rpc, runs,
};

over_both![
    by_hand,
    by_hand_in_another_process,
    forms_of_pydantic_are_understood
];

/// A key for servers that share their state, as an operator of replicas would set it.
const STATE_KEY: &str = "5c1f0a9e7d3b42868e11d0c4f96a27b3e85d7c60419fba3208d6e4c7513f9ab2";

async fn by_hand(peer: Peer) {
    let client = peer.connect(builder()).await;
    let session = client.session().declare(Kind::Form);
    let arguments = json!({"note_id": "n-1"});
    let mut paused = paused(session.call_tool("delete_note", &arguments).await.unwrap());
    assert_eq!(paused.round(), 1);
    assert!(paused.request_state().is_some());
    let keys: Vec<&str> = paused.requests().iter().map(|r| r.key()).collect();
    assert_eq!(keys, [CONFIRM]);
    assert_eq!(runs(&client, "delete_note").await, 0);

    let unanswered = paused.clone().resume(&session).await;
    assert!(matches!(unanswered, Err(Error::Unanswered { key }) if key == CONFIRM));

    let yes = Answer::accept(json!({"confirm": true})).unwrap();
    paused.answer(CONFIRM, yes).unwrap();
    let call = complete(paused.resume(&session).await.unwrap());
    assert_eq!(call.text(), "Deleted note n-1.");
    assert_eq!(call.rounds, 2);
    assert_eq!(runs(&client, "delete_note").await, 1);
    client.close().await;
}

/// A paused call is finished over another connection, by a server process that knows nothing of the first.
async fn by_hand_in_another_process(peer: Peer) {
    let client = || builder().declare(Kind::Form);
    let first = peer.connect_with_key(client(), STATE_KEY).await;
    let round = first
        .session()
        .call_tool("record_return", json!({"order_id": "O-1145"}))
        .await;
    let stored = serde_json::to_string(&paused(round.unwrap())).unwrap();
    first.close().await;

    let answer = |stored: &str| {
        let mut call: PausedCall = serde_json::from_str(stored).unwrap();
        let content = json!({"reason": "damaged", "parcels": 3});
        call.answer(REASON, Answer::accept(content).unwrap())
            .unwrap();
        call
    };
    let second = peer.connect_with_key(client(), STATE_KEY).await;
    let call = complete(answer(&stored).resume(&second.session()).await.unwrap());
    assert_eq!(call.rounds, 2);
    assert_eq!(
        call.structured::<Value>().unwrap(),
        json!({"order_id": "O-1145", "reason": "damaged", "parcels": 3, "released": true})
    );
    second.close().await;

    // Without the key the state means nothing to a server.
    let stranger = peer.connect(client()).await;
    let refused = answer(&stored).resume(&stranger.session()).await;
    assert_eq!(
        rpc(refused.unwrap_err()),
        (-32602, "Invalid or expired requestState".to_owned())
    );
    assert_eq!(runs(&stranger, "record_return").await, 0);
    stranger.close().await;
}

/// What pydantic writes for a form is a form to us, and an answer that does not fit it is not sent.
async fn forms_of_pydantic_are_understood(peer: Peer) {
    let host = host(&peer, accept).await;
    let session = host.client.session();
    let round = session.call_tool("record_return", json!({"order_id": "O-2289"}));
    let mut paused = paused(round.await.unwrap());

    let [InputRequest::Form(question)] = paused.requests() else {
        panic!("expected one form: {:?}", paused.requests());
    };
    let schema = &question.schema;
    let fits = |content: Value| {
        let Value::Object(content) = content else {
            unreachable!("the cases are objects")
        };
        schema.validate(&content).is_ok()
    };
    assert!(fits(json!({"reason": "damaged", "parcels": 9})));
    assert!(fits(
        json!({"reason": "late", "parcels": 1, "refund": 0, "restock": true, "note": ""})
    ));
    for wrong in [
        json!({"parcels": 1}),
        json!({"reason": "lost", "parcels": 1}),
        json!({"reason": "late", "parcels": 0}),
        json!({"reason": "late", "parcels": 10}),
        json!({"reason": "late", "parcels": 1.5}),
        json!({"reason": "late", "parcels": 1, "refund": -0.5}),
        json!({"reason": "late", "parcels": 1, "restock": "yes"}),
        json!({"reason": "late", "parcels": 1, "note": "x".repeat(201)}),
    ] {
        assert!(!fits(wrong.clone()), "{wrong}");
        let answered = paused
            .clone()
            .answer(REASON, Answer::accept(&wrong).unwrap());
        assert!(
            matches!(answered, Err(Error::InvalidAnswer { .. })),
            "{wrong}"
        );
    }
    // The rest of the call is not harmed by the refused answers. Damaged goods need no second question.
    let content = json!({"reason": "damaged", "parcels": 1});
    paused
        .answer(REASON, Answer::accept(content).unwrap())
        .unwrap();
    let call = complete(paused.resume(&session).await.unwrap());
    let receipt: Value = call.structured().unwrap();
    assert_eq!(receipt["released"], true);
    host.client.close().await;
}
