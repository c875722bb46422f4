//! `tools/list`: the order of registration, pages, and how long it may be kept.

use std::time::Duration;

use mcp_client::{Client, IoTransport};
use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code};
use serde_json::{Value, json};

macro_rules! dummies {
    ($($name:ident)*) => {
        $(
            /// Does nothing.
            #[tool(read_only)]
            async fn $name() {}
        )*
    };
}
dummies!(zebra apple mango banana cherry fig grape);

fn server(page: usize) -> Server {
    Server::builder("shop", "1.0.0")
        .tools(tools![zebra, apple, mango, banana])
        .tools(tools![cherry, fig, grape])
        .page_size(page)
        .list_ttl(Duration::from_secs(90))
        .build()
        .unwrap()
}

const NAMES: [&str; 7] = [
    "zebra", "apple", "mango", "banana", "cherry", "fig", "grape",
];

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// All pages, one after the other.
async fn pages(server: &Server) -> Vec<Value> {
    let mut wire = Wire::open(server);
    let mut pages = vec![wire.request("tools/list", json!({})).await];
    while let Some(cursor) = pages[pages.len() - 1]["result"].get("nextCursor").cloned() {
        pages.push(wire.request("tools/list", json!({"cursor": cursor})).await);
    }
    pages
}

/// A list in another order each time would ruin the caches of models.
#[tokio::test]
async fn the_order_is_that_of_registration_on_every_instance() {
    for _ in 0..5 {
        let listed = pages(&server(1000)).await;
        assert_eq!(listed.len(), 1);
        assert_eq!(names(&listed[0]), NAMES);
        assert_eq!(listed[0]["result"].get("nextCursor"), None);
    }
}

#[tokio::test]
async fn pages_follow_each_other_to_the_end() {
    for (size, count) in [(1, 7), (2, 4), (3, 3), (7, 1), (8, 1)] {
        let listed = pages(&server(size)).await;
        assert_eq!(listed.len(), count, "{size}");
        let all: Vec<String> = listed.iter().flat_map(names).collect();
        assert_eq!(all, NAMES, "{size}");
        for page in &listed {
            assert_eq!(page["result"]["resultType"], "complete");
            assert_eq!(page["result"]["ttlMs"], 90_000);
            assert_eq!(page["result"]["cacheScope"], "private");
        }
    }
}

/// A cursor means the same on every replica and after a restart.
#[tokio::test]
async fn cursors_hold_across_instances_and_unknown_ones_are_refused() {
    let first = Wire::open(&server(2))
        .request("tools/list", json!({}))
        .await;
    let cursor = &first["result"]["nextCursor"];
    let mut wire = Wire::open(&server(2));
    let second = wire.request("tools/list", json!({"cursor": cursor})).await;
    assert_eq!(names(&second), ["mango", "banana"]);
    for cursor in [
        json!("bogus"),
        json!(""),
        json!(7),
        json!({}),
        json!(format!("{}x", cursor.as_str().unwrap())),
    ] {
        let answer = wire.request("tools/list", json!({"cursor": cursor})).await;
        assert_eq!(code(&answer), -32602, "{cursor}");
    }
}

#[tokio::test]
async fn a_real_client_gets_all_pages() {
    let server = server(3);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    let client = Client::builder("host", "1.0.0")
        .connect(IoTransport::new(reader, writer))
        .await
        .unwrap();
    let tools = client.list_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, NAMES);
}

#[tokio::test]
async fn a_server_without_tools_has_an_empty_list() {
    let server = Server::builder("shop", "1.0.0").build().unwrap();
    let listed = pages(&server).await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["result"]["tools"], json!([]));
    assert_eq!(listed[0]["result"]["ttlMs"], 0);
}

/// Does what its attributes say.
///
/// In two paragraphs.
#[tool(
    name = "shop.described",
    title = "A described tool",
    destructive = false,
    idempotent,
    open_world = false,
    read_only = false
)]
async fn described() {}

#[tokio::test]
async fn a_tool_is_listed_as_it_was_described() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![described, apple])
        .build()
        .unwrap();
    let listed = pages(&server).await;
    let tools = &listed[0]["result"]["tools"];
    assert_eq!(tools[0]["name"], "shop.described");
    assert_eq!(tools[0]["title"], "A described tool");
    assert_eq!(
        tools[0]["description"],
        "Does what its attributes say.\n\nIn two paragraphs."
    );
    assert_eq!(
        tools[0]["annotations"],
        json!({
            "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false, "readOnlyHint": false,
        })
    );
    assert_eq!(tools[1]["annotations"], json!({"readOnlyHint": true}));
    assert_eq!(tools[1].get("outputSchema"), None);
}
