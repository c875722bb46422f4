//! Lists: all pages, opaque cursors, and lists that never end.

use mcp_client::{Client, Error};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{builder, connect};

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn list(client: &Client) -> JoinHandle<Result<Vec<mcp_client::protocol::Tool>, Error>> {
    let client = client.clone();
    tokio::spawn(async move { client.list_tools().await })
}

#[tokio::test(start_paused = true)]
async fn all_pages_are_followed_and_cursors_are_opaque() {
    let (client, mut fake) = connect(builder()).await;
    let listing = list(&client);
    // An empty string is a cursor, and what looks like a number is a string.
    let cursors = [None, Some(""), Some("2"), Some("\u{2028}é\"")];
    for (page, cursor) in cursors.iter().enumerate() {
        let request = fake.request("tools/list").await;
        assert_eq!(
            request.params().get("cursor").and_then(Value::as_str),
            *cursor
        );
        let mut result = json!({"resultType": "complete", "tools": [tool(&format!("t{page}"))], "ttlMs": 0, "cacheScope": "private"});
        if let Some(next) = cursors.get(page + 1) {
            result["nextCursor"] = json!(next);
        }
        fake.reply(&request, result).await;
    }
    let names: Vec<_> = listing
        .await
        .unwrap()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["t0", "t1", "t2", "t3"]);
}

#[tokio::test(start_paused = true)]
async fn a_null_cursor_is_the_end() {
    let (client, mut fake) = connect(builder()).await;
    let listing = list(&client);
    let request = fake.request("tools/list").await;
    fake.reply(&request, json!({"tools": [tool("t")], "nextCursor": null}))
        .await;
    assert_eq!(listing.await.unwrap().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn pages_in_a_circle_are_an_error() {
    let (client, mut fake) = connect(builder()).await;
    let listing = list(&client);
    for next in ["a", "b", "a"] {
        let request = fake.request("tools/list").await;
        fake.reply(&request, json!({"tools": [], "nextCursor": next}))
            .await;
    }
    let error = listing.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, Error::EndlessList { method, .. } if method == "tools/list"),
        "{error}"
    );
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn one_unreadable_tool_does_not_sink_the_list() {
    let (client, mut fake) = connect(builder()).await;
    let listing = list(&client);
    let request = fake.request("tools/list").await;
    let tools = json!([tool("a"), {"name": "b"}, 5, {"name": "c", "inputSchema": {}, "outputSchema": true}, tool("d")]);
    fake.reply(&request, json!({"tools": tools})).await;
    let names: Vec<_> = listing
        .await
        .unwrap()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["a", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn a_page_of_the_wrong_form_is_invalid() {
    for page in [
        json!({}),
        json!({"tools": 5}),
        json!({"tools": [], "nextCursor": 5}),
    ] {
        let (client, mut fake) = connect(builder()).await;
        let listing = list(&client);
        let request = fake.request("tools/list").await;
        fake.reply(&request, page.clone()).await;
        let error = listing.await.unwrap().unwrap_err();
        assert!(
            matches!(error, Error::InvalidResult { .. }),
            "{page}: {error}"
        );
    }
}
