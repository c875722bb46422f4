//! The headers that mirror the message.

use mcp_server::prelude::*;
use mcp_tests::{
    web::{Post, Site},
    wire::text,
};
use serde_json::{Value, json};

/// A schema with mirrored properties, one of them inside of another.
fn mirrored() -> Value {
    json!({
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "from": {"type": "object", "properties": {
                "tenant": {"type": "string", "x-mcp-header": "Tenant"},
            }},
        },
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are only compared with headers")]
struct Query {
    region: Option<String>,
    limit: Option<f64>,
    from: Option<Value>,
}

/// Looks something up.
#[tool(input_schema = mirrored())]
async fn query(args: Args<Query>) -> String {
    args.region.clone().unwrap_or_default()
}

/// Looks something up elsewhere.
#[tool]
async fn query_zone(
    /// Where.
    #[header("Zone")]
    #[serde(alias = "area")]
    zone: String,
    #[header("Limit")] limit: Option<u32>,
    #[header("Dry-Run")]
    #[serde(default)]
    dry_run: bool,
) -> String {
    format!("{zone} {limit:?} {dry_run}")
}

async fn open() -> Site {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![query, query_zone])
        .build();
    Site::open(server.unwrap().http()).await
}

#[tokio::test]
async fn what_is_missing_or_differs_is_a_mismatch() {
    let site = open().await;
    let call = Post::call("query", json!({}));
    assert_eq!(site.send(&call).await.head.status, 200);
    for post in [
        call.clone().without("MCP-Protocol-Version"),
        call.clone().without("Mcp-Method"),
        call.clone().without("Mcp-Name"),
        call.clone().with("MCP-Protocol-Version", "2025-11-25"),
        call.clone().with("Mcp-Method", "tools/list"),
        call.clone().with("Mcp-Method", "Tools/Call"),
        call.clone().with("Mcp-Name", "other"),
        call.clone().with("Mcp-Name", "Query"),
        call.clone().with("Mcp-Name", ""),
        call.clone().and("Mcp-Name", "query"),
        call.clone().and("Mcp-Method", "tools/call"),
        call.clone().and("MCP-Protocol-Version", "2026-07-28"),
        call.clone().with("Mcp-Name", "quéry"),
    ] {
        let response = site.send(&post).await;
        assert_eq!(response.refusal(), (400, -32020), "{}", response.body);
        assert_eq!(response.json()["id"], 7);
    }
}

#[tokio::test]
async fn names_of_headers_are_compared_without_case_and_blanks_around_values_do_not_count() {
    let site = open().await;
    let call = Post::call("query", json!({"region": "eu"}));
    let post = call
        .without("Mcp-Name")
        .and("mcp-NAME", "  query\t")
        .and("MCP-PARAM-region", "eu");
    assert_eq!(text(&site.send(&post).await.json()), "eu");
}

/// No tool has such a name, and it is the tool that is not found once the header is understood.
#[tokio::test]
async fn a_name_that_is_not_ascii_comes_encoded() {
    let site = open().await;
    let call = Post::call("größe", json!({}));
    for (name, code) in [
        ("=?base64?Z3LDtsOfZQ==?=", -32602),
        ("größe", -32020),
        ("=?base64?Z3LDtsOfZQ?=", -32020),
        ("=?base64?!?=", -32020),
        ("=?BASE64?Z3LDtsOfZQ==?=", -32020),
    ] {
        let response = site.send(&call.clone().with("Mcp-Name", name)).await;
        assert_eq!(response.refusal(), (400, code), "{name}: {}", response.body);
    }
    for (name, encoded) in [
        (" pad ", "=?base64?IHBhZCA=?="),
        ("a\nb", "=?base64?YQpi?="),
        ("=?base64?QQ==?=", "=?base64?PT9iYXNlNjQ/UVE9PT89?="),
    ] {
        let call = Post::call(name, json!({})).with("Mcp-Name", encoded);
        assert_eq!(site.send(&call).await.refusal(), (400, -32602), "{name}");
    }
    // Encoded although it need not be.
    let call = Post::call("query", json!({})).with("Mcp-Name", "=?base64?cXVlcnk=?=");
    assert_eq!(site.send(&call).await.head.status, 200);
}

#[tokio::test]
async fn mirrored_arguments_are_compared_with_their_headers() {
    let site = open().await;
    for (arguments, headers, status) in [
        (json!({}), &[][..], 200),
        (json!({"region": null}), &[], 200),
        (json!({"region": "eu"}), &[("Mcp-Param-Region", "eu")], 200),
        (
            json!({"region": "é"}),
            &[("Mcp-Param-Region", "=?base64?w6k=?=")],
            200,
        ),
        (
            json!({"region": " eu "}),
            &[("Mcp-Param-Region", "=?base64?IGV1IA==?=")],
            200,
        ),
        (json!({"limit": 42}), &[("Mcp-Param-Limit", "42.0")], 200),
        (json!({"limit": 42.0}), &[("Mcp-Param-Limit", "42")], 200),
        (
            json!({"from": {"tenant": "a"}}),
            &[("Mcp-Param-Tenant", "a")],
            200,
        ),
        (json!({}), &[("Mcp-Param-Unknown", "x")], 200),
        (json!({"region": "eu"}), &[], 400),
        (json!({}), &[("Mcp-Param-Region", "eu")], 400),
        (json!({"region": "eu"}), &[("Mcp-Param-Region", "us")], 400),
        (json!({"region": "eu"}), &[("Mcp-Param-Region", "EU")], 400),
        (json!({"region": "é"}), &[("Mcp-Param-Region", "é")], 400),
        (
            json!({"region": "eu"}),
            &[("Mcp-Param-Region", "=?base64?ZXU?=")],
            400,
        ),
        (json!({"limit": 42}), &[("Mcp-Param-Limit", "43")], 400),
        (json!({"from": {"tenant": "a"}}), &[], 400),
    ] {
        let mut post = Post::call("query", arguments.clone());
        for (name, value) in headers {
            post = post.with(name, value);
        }
        let response = site.send(&post).await;
        assert_eq!(
            response.head.status, status,
            "{arguments} {headers:?}: {}",
            response.body
        );
        if status == 400 {
            assert_eq!(response.refusal().1, -32020);
        }
    }
}

/// An intermediary may read the header alone: it must not get to see another name than the server.
#[tokio::test]
async fn a_mismatch_is_found_before_the_tool_is_looked_for() {
    let site = open().await;
    let post = Post::call("nobody", json!({})).with("Mcp-Name", "query");
    assert_eq!(site.send(&post).await.refusal(), (400, -32020));
    let post = Post::request("no/method", json!({})).with("Mcp-Method", "tools/list");
    assert_eq!(site.send(&post).await.refusal(), (400, -32020));
}

#[tokio::test]
async fn parameters_with_a_header_are_listed_and_compared() {
    let site = open().await;
    let list = site
        .send(&Post::request("tools/list", json!({})))
        .await
        .json();
    let properties = &list["result"]["tools"][1]["inputSchema"]["properties"];
    assert_eq!(properties["zone"]["x-mcp-header"], "Zone");
    assert_eq!(properties["limit"]["x-mcp-header"], "Limit");
    assert_eq!(properties["dry_run"]["x-mcp-header"], "Dry-Run");
    let call = |arguments| Post::call("query_zone", arguments);
    let zone = call(json!({"zone": "a"})).with("Mcp-Param-Zone", "a");
    assert_eq!(text(&site.send(&zone).await.json()), "a None false");
    let all = call(json!({"zone": "a", "limit": 42, "dry_run": true}))
        .with("Mcp-Param-Zone", "a")
        .with("Mcp-Param-Limit", "42.0")
        .with("Mcp-Param-Dry-Run", "true");
    assert_eq!(text(&site.send(&all).await.json()), "a Some(42) true");
    for post in [
        call(json!({"zone": "a"})),
        all.clone().with("Mcp-Param-Zone", "b"),
        all.clone().with("Mcp-Param-Limit", "43"),
        all.clone().with("Mcp-Param-Dry-Run", "false"),
        all.without("Mcp-Param-Dry-Run"),
    ] {
        assert_eq!(site.send(&post).await.refusal(), (400, -32020));
    }
}

/// What routes by the header must not be got past by another spelling of the argument.
#[tokio::test]
async fn another_name_of_a_parameter_is_compared_too() {
    let site = open().await;
    let call = Post::call("query_zone", json!({"area": "a"}));
    assert_eq!(site.send(&call).await.refusal(), (400, -32020));
    let other = call.clone().with("Mcp-Param-Zone", "b");
    assert_eq!(site.send(&other).await.refusal(), (400, -32020));
    let same = call.with("Mcp-Param-Zone", "a");
    assert_eq!(text(&site.send(&same).await.json()), "a None false");
}
