//! Tool parameters in headers.

use mcp_client::{Answer, Error};
use serde_json::{Value, json};

use crate::support::{builder, call, connect, done, list, tool};

fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
    expected
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

fn query_tool(header: &str) -> Value {
    tool(
        "query",
        json!({
            "region": {"type": "string", "x-mcp-header": header},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "dry": {"type": ["boolean", "null"], "x-mcp-header": "Dry"},
            "where": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
            "sql": {"type": "string"},
        }),
    )
}

fn mismatch() -> Value {
    json!({"code": -32020, "message": "Header mismatch"})
}

#[tokio::test]
async fn parameters_are_repeated_in_headers() {
    let (client, server) = connect(builder()).await;
    list(&client, &server, json!([query_tool("Region")])).await;
    for (arguments, expected) in [
        (
            json!({"region": "us-west1", "limit": 42, "dry": false, "where": {"zone": "b"}, "sql": "x"}),
            pairs([
                ("dry", "false"),
                ("limit", "42"),
                ("region", "us-west1"),
                ("zone", "b"),
            ]),
        ),
        (
            json!({"region": "Hello, 世界", "where": {"zone": ""}}),
            pairs([("region", "=?base64?SGVsbG8sIOS4lueVjA==?="), ("zone", "")]),
        ),
        (json!({"region": null, "dry": null, "where": {}}), pairs([])),
        (json!({}), pairs([])),
    ] {
        let calling = call(&client, "query", arguments.clone());
        let post = server.request("tools/call").await;
        assert_eq!(post.params(), expected, "{arguments}");
        assert_eq!(post.json()["params"]["arguments"], arguments);
        post.reply(&done("ok")).await;
        calling.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_looked_for_once() {
    let (client, server) = connect(builder()).await;
    for (tool, params) in [("query", pairs([("region", "eu")])), ("hidden", pairs([]))] {
        let calling = call(&client, tool, json!({"region": "eu"}));
        server.answer_list(json!([query_tool("Region")])).await;
        let post = server.request("tools/call").await;
        assert_eq!(post.params(), params);
        post.reply(&done("ok")).await;
        calling.await.unwrap().unwrap();

        let calling = call(&client, tool, json!({"region": "eu"}));
        let post = server.request("tools/call").await;
        assert_eq!(post.params(), params);
        post.reply(&done("ok")).await;
        calling.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn without_a_list_the_call_goes_out_as_it_is() {
    let (client, server) = connect(builder()).await;
    let calling = call(&client, "query", json!({"region": "eu"}));
    let refused = server.request("tools/list").await;
    refused.respond("500 Internal Server Error", "", "").await;
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), []);
    post.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn any_request_for_a_tool_call_has_the_headers() {
    let (client, server) = connect(builder()).await;
    list(&client, &server, json!([query_tool("Region")])).await;
    let session = client.session();
    let params = json!({"name": "query", "arguments": {"region": "eu"}});
    let answered = async {
        let post = server.request("tools/call").await;
        assert_eq!(post.params(), pairs([("region", "eu")]));
        assert_eq!(post.header("mcp-name"), Some("query"));
        post.reply(&done("ok")).await;
    };
    let (result, ()) = tokio::join!(session.request("tools/call", params), answered);
    result.unwrap();
}

#[tokio::test]
async fn the_rounds_of_a_call_have_the_same_headers() {
    let ask = json!({"resultType": "input_required", "requestState": "s \"\u{2028}🎉", "inputRequests": {"ok": {
        "method": "elicitation/create",
        "params": {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}}}
    }}});
    let builder = builder().on_form(|_| async { Ok(Answer::accept(json!({"ok": true}))?) });
    let (client, server) = connect(builder).await;
    list(&client, &server, json!([query_tool("Region")])).await;
    let calling = call(&client, "query", json!({"region": "ü", "limit": 7}));
    let first = server.request("tools/call").await;
    let headers = |post: &crate::support::Post| {
        let headers = post.headers().filter(|(name, _)| *name != "content-length");
        headers
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .collect::<Vec<_>>()
    };
    let (sent, first_id) = (headers(&first), first.id());
    assert_eq!(first.params().len(), 2);
    first.reply(&ask).await;
    let second = server.request("tools/call").await;
    assert_eq!(headers(&second), sent);
    assert_ne!(second.id(), first_id);
    let params = &second.json()["params"];
    assert_eq!(params["requestState"], ask["requestState"]);
    assert_eq!(params["inputResponses"]["ok"]["action"], "accept");
    second.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().rounds, 2);
}

#[tokio::test]
async fn refused_headers_are_made_anew_from_a_new_list_once_in_each_round() {
    let (client, server) = connect(builder()).await;
    list(&client, &server, json!([query_tool("Old")])).await;
    let calling = call(&client, "query", json!({"region": "eu"}));
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("old", "eu")]));
    post.fail("400 Bad Request", mismatch()).await;
    server.answer_list(json!([query_tool("Region")])).await;
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("region", "eu")]));
    post.reply(&json!({"resultType": "input_required", "requestState": "s"}))
        .await;

    // The next round begins with what the last one found out, and may find out more.
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("region", "eu")]));
    post.fail("400 Bad Request", mismatch()).await;
    server.answer_list(json!([query_tool("Zone2")])).await;
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("zone2", "eu")]));
    assert_eq!(post.json()["params"]["requestState"], "s");
    post.fail("400 Bad Request", mismatch()).await;
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(-32020), "{error}");
    server.hears_nothing().await;
}

#[tokio::test]
async fn refused_headers_make_a_kept_list_stale() {
    let (client, server) = connect(builder()).await;
    let answer_list = async |header: &str| {
        let request = server.request("tools/list").await;
        let tools = json!([query_tool(header)]);
        request
            .reply(&json!({"tools": tools, "ttlMs": 60_000}))
            .await;
    };
    let (listed, ()) = tokio::join!(client.list_tools(), answer_list("Region"));
    listed.unwrap();
    let calling = call(&client, "query", json!({"region": "eu"}));
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("region", "eu")]));
    post.fail("400 Bad Request", mismatch()).await;
    answer_list("Area").await;
    let post = server.request("tools/call").await;
    assert_eq!(post.params(), pairs([("area", "eu")]));
    post.reply(&done("ok")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test]
async fn refused_headers_of_other_requests_are_an_error() {
    let (client, server) = connect(builder()).await;
    let refuse = async {
        let post = server.request("server/discover").await;
        post.fail("400 Bad Request", mismatch()).await;
    };
    let (result, ()) = tokio::join!(client.discover(), refuse);
    assert_eq!(result.unwrap_err().code(), Some(-32020));
    server.hears_nothing().await;
}

#[tokio::test]
async fn tools_that_ask_wrongly_for_headers_are_left_out() {
    let (client, server) = connect(builder()).await;
    let with = |name: &str, property: Value| tool(name, json!({"p": property}));
    let tools = json!([
        with("empty", json!({"type": "string", "x-mcp-header": ""})),
        with("valid", json!({"type": "string", "x-mcp-header": "P"})),
        with(
            "no_token",
            json!({"type": "string", "x-mcp-header": "My Region"})
        ),
        with("number", json!({"type": "number", "x-mcp-header": "P"})),
        with(
            "items",
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "P"}})
        ),
        tool(
            "twice",
            json!({
                "a": {"type": "string", "x-mcp-header": "MyField"},
                "b": {"type": "string", "x-mcp-header": "myfield"},
            })
        ),
        with("plain", json!({"type": "string"})),
    ]);
    assert_eq!(list(&client, &server, tools).await, ["valid", "plain"]);
}

#[tokio::test]
async fn an_integer_that_peers_would_round_is_not_sent() {
    let (client, server) = connect(builder()).await;
    list(&client, &server, json!([query_tool("Region")])).await;
    let error = client
        .call_tool("query", json!({"limit": 1_u64 << 53}))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Arguments { target, .. } if target == "query"),
        "{error}"
    );
    server.hears_nothing().await;
}

#[tokio::test]
async fn calls_that_begin_together_list_the_tools_once() {
    let (client, server) = connect(builder()).await;
    let calls: Vec<_> = (0..5)
        .map(|_| call(&client, "t", json!({"region": "eu"})))
        .collect();
    let properties = json!({"region": {"type": "string", "x-mcp-header": "Region"}});
    server.answer_list(json!([tool("t", properties)])).await;
    for _ in 0..calls.len() {
        let post = server.request("tools/call").await;
        assert_eq!(post.header("mcp-param-region"), Some("eu"));
        post.reply(&done("ok")).await;
    }
    for calling in calls {
        calling.await.unwrap().unwrap();
    }
}
