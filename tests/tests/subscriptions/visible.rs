//! Sets that only some callers see: for the others they do not exist.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use mcp_server::{prelude::*, state::Principal};
use mcp_tests::wire::{Wire, code, text};
use serde_json::{Value, json};

/// For everyone.
#[tool]
async fn open() -> &'static str {
    "open"
}

/// For some.
#[tool]
async fn closed() -> &'static str {
    "closed"
}

/// For some as well.
#[tool]
async fn hidden() -> &'static str {
    "hidden"
}

/// For everyone, behind the others.
#[tool]
async fn last() -> &'static str {
    "last"
}

fn guarded(page_size: usize) -> (Server, Arc<AtomicBool>) {
    let inside = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&inside);
    let condition = move |principal: &Principal| {
        assert!(matches!(principal, Principal::Local), "{principal:?}");
        asked.load(Ordering::SeqCst)
    };
    let server = Server::builder("guarded", "1.0.0")
        .tools(tools![open])
        .tools(tools![closed, hidden].visible_to(condition))
        .tools(tools![last])
        .page_size(page_size)
        .build()
        .unwrap();
    (server, inside)
}

/// The whole list, by pages.
async fn pages(wire: &mut Wire) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let answer = wire.request("tools/list", params).await;
        let tools = answer["result"]["tools"].as_array().unwrap().iter();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        pages.push(tools.map(name).collect());
        assert_eq!(answer["result"]["cacheScope"], "private");
        match answer["result"].get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn list_and_call_agree_for_each_caller() {
    let (server, inside) = guarded(100);
    let mut wire = Wire::open(&server);
    assert_eq!(pages(&mut wire).await, [["open", "last"]]);
    let refused = wire.call("closed", json!({})).await;
    assert_eq!(code(&refused), -32602);
    assert_eq!(refused["error"]["message"], "unknown tool `closed`");
    assert_eq!(text(&wire.call("open", json!({})).await), "open");

    inside.store(true, Ordering::SeqCst);
    assert_eq!(
        pages(&mut wire).await,
        [["open", "closed", "hidden", "last"]]
    );
    assert_eq!(text(&wire.call("closed", json!({})).await), "closed");

    // What is off is off for everyone.
    server.tools().disable("closed").unwrap();
    assert_eq!(pages(&mut wire).await, [["open", "hidden", "last"]]);
    assert_eq!(code(&wire.call("closed", json!({})).await), -32602);
}

#[tokio::test]
async fn pages_are_full_for_each_caller() {
    let (server, inside) = guarded(2);
    let mut wire = Wire::open(&server);
    assert_eq!(pages(&mut wire).await, [["open", "last"]]);
    inside.store(true, Ordering::SeqCst);
    assert_eq!(
        pages(&mut wire).await,
        [["open", "closed"], ["hidden", "last"]]
    );
}

/// All conditions of a set must hold.
#[tokio::test]
async fn conditions_add_up() {
    let server = Server::builder("guarded", "1.0.0")
        .tools(tools![open])
        .tools(tools![closed].visible_to(|_| true).visible_to(|_| false))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    assert_eq!(pages(&mut wire).await, [["open"]]);
}

/// A condition that panics costs that message, and shows nothing.
#[tokio::test]
async fn a_condition_that_panics_shows_nothing() {
    let server = Server::builder("guarded", "1.0.0")
        .tools(tools![open])
        .tools(tools![closed].visible_to(|_| panic!("at /srv/secret")))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "closed"})),
    ] {
        let answer = wire.request(method, params).await;
        assert_eq!(code(&answer), -32603);
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    assert_eq!(text(&wire.call("open", json!({})).await), "open");
}

/// A cursor is made of a name; a guessed one must not tell whether there is such a tool.
#[tokio::test]
async fn a_cursor_tells_nothing_of_what_is_hidden() {
    let (server, inside) = guarded(2);
    let mut wire = Wire::open(&server);
    let hidden = wire
        .request("tools/list", json!({"cursor": "aGlkZGVu"}))
        .await;
    let nobodys = wire
        .request("tools/list", json!({"cursor": "bm9ib2R5"}))
        .await;
    assert_eq!(code(&hidden), -32602, "{hidden}");
    assert_eq!(hidden["error"], nobodys["error"]);
    inside.store(true, Ordering::SeqCst);
    let shown = wire
        .request("tools/list", json!({"cursor": "aGlkZGVu"}))
        .await;
    assert_eq!(shown["result"]["tools"][0]["name"], "hidden", "{shown}");
    // One that is off for the moment keeps its place.
    server.tools().disable("hidden").unwrap();
    let behind = wire
        .request("tools/list", json!({"cursor": "aGlkZGVu"}))
        .await;
    assert_eq!(behind["result"]["tools"][0]["name"], "last", "{behind}");
}

/// The budget.
#[resource("shop://notes/budget")]
async fn budget() -> &'static str {
    "for some"
}

/// A note.
#[resource("shop://notes/{name}")]
async fn note(name: String) -> String {
    format!("the note {name}")
}

/// What does not exist for a caller does not stand in front of what does.
#[tokio::test]
async fn a_hidden_resource_takes_no_uri_from_others() {
    let inside = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&inside);
    let server = Server::builder("guarded", "1.0.0")
        .resources(resources![budget].visible_to(move |_| asked.load(Ordering::SeqCst)))
        .resources(resources![note])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let uri = json!({"uri": "shop://notes/budget"});
    let read = async |wire: &mut Wire| {
        let answer = wire.request("resources/read", uri.clone()).await;
        answer["result"]["contents"][0]["text"].clone()
    };
    assert_eq!(read(&mut wire).await, "the note budget");
    inside.store(true, Ordering::SeqCst);
    assert_eq!(read(&mut wire).await, "for some");
    server.resources().disable("shop://notes/budget").unwrap();
    assert_eq!(read(&mut wire).await, "the note budget");
}

/// Says something.
#[prompt]
async fn whisper(#[complete("a", "b")] word: String) -> String {
    word
}

/// Neither completions nor subscriptions tell of what does not exist for a caller.
#[tokio::test]
async fn what_is_hidden_is_answered_as_what_is_not_there() {
    let server = Server::builder("guarded", "1.0.0")
        .prompts(prompts![whisper].visible_to(|_| false))
        .resources(resources![budget, note].visible_to(|_| false))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let mut complete = async |reference: Value| {
        let params = json!({"ref": reference, "argument": {"name": "word", "value": ""}});
        let answer = wire.request("completion/complete", params).await;
        assert_eq!(code(&answer), -32602);
        let error = answer["error"].to_string();
        error.replace("whisper", "?").replace("nobody", "?")
    };
    let hidden = complete(json!({"type": "ref/prompt", "name": "whisper"})).await;
    let nobodys = complete(json!({"type": "ref/prompt", "name": "nobody"})).await;
    assert_eq!(hidden, nobodys);
    let uris = ["shop://notes/budget", "shop://notes/1", "shop://nothing"];
    let id = wire
        .begin(
            "subscriptions/listen",
            json!({"notifications": {"resourceSubscriptions": uris}}),
        )
        .await;
    let acknowledged = wire.receive().await;
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    let ended = wire.receive().await;
    assert_eq!(ended["id"], id);
}
