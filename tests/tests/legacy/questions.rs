//! Every kind of question, in each revision that has it; and what is said where it has not.

use std::sync::{Arc, Mutex, atomic::Ordering};

use mcp_core::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25};
use mcp_tests::{
    earlier::Earlier,
    wire::{code, text, tool_error},
};
use serde_json::{Value, json};

use crate::everything::{Account, capabilities, connect, server, with};

const BLUE: &str = "blue";

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn forms() {
    for revision in [V2025_06_18, V2025_11_25] {
        for (answer, said) in [
            (accept(json!({"colour": BLUE, "count": 2})), "2 Blue"),
            (json!({"action": "decline"}), "declined"),
            (json!({"action": "cancel"}), "cancelled"),
        ] {
            let mut client = connect(revision).await;
            client.answering(move |method, _| {
                assert_eq!(method, "elicitation/create");
                Ok(answer.clone())
            });
            assert_eq!(text(&client.call("order", json!({})).await), said);
            let params = &client.asked[0]["params"];
            assert_eq!(params["message"], "What shall it be?");
            let fields = &params["requestedSchema"]["properties"];
            if revision == V2025_06_18 {
                assert_eq!(params.get("mode"), None);
                let colour = json!({
                    "type": "string", "enum": ["blue", "red"], "enumNames": ["As the sky", "As a rose"],
                });
                assert_eq!(fields["colour"], colour);
                assert_eq!(fields["count"].get("default"), None);
                assert_eq!(fields["gift"]["default"], false);
            } else {
                assert_eq!(params["mode"], "form");
                assert_eq!(fields["colour"]["oneOf"][0]["title"], "As the sky");
                assert_eq!(fields["count"]["default"], 1);
            }
        }
    }
}

#[tokio::test]
async fn several_choices() {
    let mut client = connect(V2025_11_25).await;
    client.answering(|_, _| Ok(accept(json!({"colours": ["red", "blue"]}))));
    assert_eq!(
        text(&client.call("palette", json!({})).await),
        "[Red, Blue]"
    );

    let mut client = connect(V2025_06_18).await;
    let answer = client.call("palette", json!({})).await;
    assert!(tool_error(&answer).contains("several values"), "{answer}");
    assert_eq!(client.asked, Vec::<Value>::new());
}

#[tokio::test]
async fn pages() {
    let account = Arc::new(Account::default());
    let server = with(&account);
    let mut client = Earlier::connect(&server, V2025_11_25, capabilities()).await;
    client.answering(move |_, params| {
        assert_eq!(params["mode"], "url");
        assert_eq!(params["url"], "https://example.com/connect");
        assert!(!params["elicitationId"].as_str().unwrap().is_empty());
        account.0.store(true, Ordering::SeqCst);
        Ok(json!({"action": "accept"}))
    });
    let answer = client.call("connect_account", json!({})).await;
    assert_eq!(text(&answer), "connected mine");
    assert_eq!(client.asked.len(), 1);
    let complete = &client.heard[0];
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(
        complete["params"]["elicitationId"],
        client.asked[0]["params"]["elicitationId"]
    );

    let mut client = connect(V2025_06_18).await;
    let answer = client.call("connect_account", json!({})).await;
    assert!(!tool_error(&answer).is_empty());
    assert_eq!(client.asked, Vec::<Value>::new());
}

#[tokio::test]
async fn sampling() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        client.answering(|method, _| {
            assert_eq!(method, "sampling/createMessage");
            Ok(json!({
                "role": "assistant", "content": {"type": "text", "text": "something"}, "model": "m",
                "stopReason": "endTurn",
            }))
        });
        let answer = client.call("think", json!({"tool": false})).await;
        assert_eq!(text(&answer), "something");
        let params = client.asked[0]["params"].clone();
        assert_eq!(params["systemPrompt"], "Be brief");
        let messages = params["messages"].as_array().unwrap();
        let expected = if *revision < V2025_11_25 { 2 } else { 1 };
        assert_eq!(messages.len(), expected, "{revision}");
        let answer = client.call("think", json!({"tool": true})).await;
        if *revision < V2025_11_25 {
            assert!(!tool_error(&answer).is_empty());
            assert_eq!(client.asked.len(), 1);
        } else {
            assert_eq!(text(&answer), "something");
            assert_eq!(client.asked[1]["params"]["tools"][0]["name"], "look");
        }
    }
}

#[tokio::test]
async fn directories() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        client.answering(|method, _| {
            assert_eq!(method, "roots/list");
            Ok(json!({"roots": [{"uri": "file:///home", "name": "home"}]}))
        });
        assert_eq!(text(&client.call("roots", json!({})).await), "file:///home");
    }
}

#[tokio::test]
async fn by_hand_in_two_rounds() {
    for revision in [V2025_06_18, V2025_11_25] {
        let mut client = connect(revision).await;
        client.answering(|_, _| Ok(accept(json!({"colour": BLUE}))));
        let answer = client.call("by_hand", json!({})).await;
        assert_eq!(text(&answer), "Some(3)");
        let asked = client.asked.iter().map(|asked| &asked["params"]["message"]);
        assert_eq!(asked.collect::<Vec<_>>(), ["The first?", "The second?"]);
        assert_ne!(client.asked[0]["id"], client.asked[1]["id"]);
    }
}

#[tokio::test]
async fn a_prompt_that_asks() {
    for revision in [V2025_06_18, V2025_11_25] {
        let mut client = connect(revision).await;
        client.answering(|_, _| Ok(accept(json!({"colour": BLUE}))));
        let got = client
            .request("prompts/get", json!({"name": "ask_first"}))
            .await;
        assert_eq!(got["result"]["messages"][0]["content"]["text"], "Blue");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_said() {
    for revision in Revision::LEGACY {
        // Whatever it declares: the revision has no such question.
        let (declared, reason) = if *revision <= V2025_03_26 {
            (capabilities(), "cannot express")
        } else {
            (json!({}), "did not declare the capability `elicitation")
        };
        let mut client = Earlier::connect(&server(), *revision, declared).await;
        let answer = client.call("order", json!({})).await;
        assert!(tool_error(&answer).contains(reason), "{answer}");
        let answer = client
            .request("prompts/get", json!({"name": "ask_first"}))
            .await;
        assert!((-32603..=-32600).contains(&code(&answer)), "{answer}");
        assert_eq!(client.asked, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_client_that_refuses_to_answer_ends_the_call() {
    let mut client = connect(V2025_11_25).await;
    client.answering(|_, _| Err(json!({"code": -1, "message": "User rejected sampling request"})));
    let answer = client.call("think", json!({"tool": false})).await;
    assert!(tool_error(&answer).contains("User rejected"), "{answer}");
}

#[tokio::test]
async fn questions_of_a_call_that_is_taken_back_are_taken_back() {
    let mut client = connect(V2025_06_18).await;
    let id = client
        .wire
        .begin("tools/call", json!({"name": "order"}))
        .await;
    let question = client.wire.receive().await;
    assert_eq!(question["method"], "elicitation/create");
    client
        .notify("notifications/cancelled", json!({"requestId": id}))
        .await;
    let back = client.notice().await;
    assert_eq!(back["method"], "notifications/cancelled");
    assert_eq!(back["params"]["requestId"], question["id"]);
    // An answer that comes too late is nobody's.
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}});
    client.wire.send(&answer).await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn several_calls_ask_at_once() {
    let mut client = connect(V2025_11_25).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let ids = Arc::clone(&seen);
    client.answering(move |_, params| {
        ids.lock().unwrap().push(params["message"].clone());
        Ok(accept(json!({"colour": BLUE})))
    });
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(
            client
                .wire
                .begin("tools/call", json!({"name": "order"}))
                .await,
        );
    }
    while !open.is_empty() {
        let message = client.wire.receive().await;
        match message["id"]
            .as_i64()
            .filter(|_| message.get("method").is_none())
        {
            Some(id) => {
                assert_eq!(text(&message), "1 Blue");
                open.retain(|open| *open != id);
            }
            None => client.take(message).await,
        }
    }
    assert_eq!(seen.lock().unwrap().len(), 5);
}
