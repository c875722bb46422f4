//! Results of every kind, their size, and their schemas.

use mcp_server::prelude::*;
use mcp_server::{
    Audio, AudioContent, CallToolResult, ContentBlock, EmbeddedResource, Image, ImageContent,
    LoggingLevel, ResourceLink, TextContent, core::protocol::TextResourceContents,
};
use mcp_tests::wire::{Wire, text, tool_error};
use serde_json::{Value, json};

use crate::open;

/// Gives nothing.
#[tool]
async fn nothing() {}

/// Gives static text.
#[tool]
async fn fixed() -> &'static str {
    "fixed"
}

/// Gives a number.
#[tool]
async fn number() -> f64 {
    1.5
}

/// Gives a large number.
#[tool]
async fn large() -> u128 {
    u128::MAX
}

/// Gives yes or no.
#[tool]
async fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, Deserialize, JsonSchema, PartialEq)]
struct Row {
    /// Which one.
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Gives a struct.
#[tool]
async fn row() -> Json<Row> {
    Json(Row {
        id: 9_007_199_254_740_993,
        note: Some("é🎉\n\"".to_owned()),
    })
}

/// Gives a list.
#[tool]
async fn rows() -> Json<Vec<Row>> {
    Json(vec![Row { id: 1, note: None }])
}

/// Gives a bare number.
#[tool]
async fn count() -> Json<i64> {
    Json(-7)
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Found {
    One { id: u64 },
    Nothing,
}

/// Gives one of several.
#[tool]
async fn found(any: bool) -> Result<Json<Found>, ToolError> {
    Ok(Json(if any {
        Found::One { id: 1 }
    } else {
        Found::Nothing
    }))
}

/// Gives nothing structured.
#[tool]
async fn maybe() -> Json<Option<i64>> {
    Json(None)
}

/// Gives an image.
#[tool]
async fn image() -> Image {
    Image {
        bytes: vec![0xff, 0, 0xfe],
        mime_type: "image/png".into(),
    }
}

/// Gives a sound.
#[tool]
async fn sound() -> Audio {
    Audio {
        bytes: vec![1, 2],
        mime_type: "audio/wav".into(),
    }
}

/// Gives several blocks.
#[tool]
async fn several() -> Vec<ContentBlock> {
    vec![
        TextContent::new("one").into(),
        ImageContent::new("AAAA", "image/gif").into(),
        AudioContent::new("AAAA", "audio/ogg").into(),
        ResourceLink::new("note://1", "first").into(),
        EmbeddedResource::new(TextResourceContents::new("note://1", "text")).into(),
    ]
}

/// Makes its result by hand.
#[tool]
async fn by_hand() -> CallToolResult {
    let mut result = CallToolResult::text("by hand");
    let meta = json!({"example.com/trace": "t-1", "io.modelcontextprotocol/serverInfo": {"name": "forged", "version": "0"}});
    result.meta = meta.as_object().cloned();
    result
}

/// Fails or not.
#[tool]
async fn fails(fail: bool) -> Result<String, ToolError> {
    if fail {
        Err(ToolError::new("no such order; take one from find_order"))
    } else {
        Ok("ok".to_owned())
    }
}

fn all() -> Wire {
    open(tools![
        nothing, fixed, number, large, yes, row, rows, count, found, maybe, image, sound, several,
        by_hand, fails
    ])
}

#[tokio::test]
async fn plain_values_become_text() {
    let mut wire = all();
    let answer = wire.call("nothing", json!({})).await;
    assert_eq!(answer["result"]["content"], json!([]));
    for (tool, expected) in [
        ("fixed", "fixed".to_owned()),
        ("number", "1.5".to_owned()),
        ("large", u128::MAX.to_string()),
        ("yes", "true".to_owned()),
    ] {
        let answer = wire.call(tool, json!({})).await;
        assert_eq!(text(&answer), expected);
        assert_eq!(answer["result"].get("structuredContent"), None);
        assert_eq!(answer["result"].get("isError"), None);
        assert_eq!(answer["result"]["resultType"], "complete");
    }
}

/// Passes on what it got from elsewhere.
#[derive(Serialize, JsonSchema)]
struct Passed {
    #[schemars(with = "Value")]
    body: Box<serde_json::value::RawValue>,
}

const PRETTY: &str = "{\r\n  \"a\": [1,\n2]\n}";

/// Passes on JSON as it came.
#[tool]
async fn pass_on(ctx: Context) -> Json<Passed> {
    let body: Box<serde_json::value::RawValue> = serde_json::from_str(PRETTY).unwrap();
    ctx.log(LoggingLevel::Info, &body);
    Json(Passed { body })
}

/// Passes on a whole result as it came.
#[tool]
async fn pass_on_all() -> CallToolResult {
    serde_json::from_str(&format!(
        "{{\"content\":[],\"structuredContent\":{PRETTY}}}"
    ))
    .unwrap()
}

/// A message is one line, whatever raw JSON a tool puts into it.
#[tokio::test]
async fn raw_json_of_several_lines_is_sent_as_one() {
    let mut wire = open(tools![pass_on, pass_on_all]);
    wire.meta["io.modelcontextprotocol/logLevel"] = json!("debug");
    wire.begin("tools/call", json!({"name": "pass_on"})).await;
    let log = wire.receive().await;
    assert_eq!(log["params"]["data"], json!({"a": [1, 2]}));
    let answer = wire.receive().await;
    let structured = json!({"body": {"a": [1, 2]}});
    assert_eq!(answer["result"]["structuredContent"], structured);
    let answer = wire.call("pass_on_all", json!({})).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"a": [1, 2]}));
}

/// What is structured stands there twice: for programs, and as the same JSON for models that read text alone.
#[tokio::test]
async fn structured_results_carry_the_same_json_as_text_and_fit_their_schema() {
    let mut wire = all();
    let listed = wire.request("tools/list", json!({})).await;
    for (tool, arguments, expected) in [
        (
            "row",
            json!({}),
            json!({"id": 9_007_199_254_740_993_u64, "note": "é🎉\n\""}),
        ),
        ("rows", json!({}), json!({"result": [{"id": 1}]})),
        ("count", json!({}), json!({"result": -7})),
        (
            "found",
            json!({"any": true}),
            json!({"result": {"kind": "one", "id": 1}}),
        ),
        (
            "found",
            json!({"any": false}),
            json!({"result": {"kind": "nothing"}}),
        ),
        ("maybe", json!({}), json!({"result": null})),
    ] {
        let answer = wire.call(tool, arguments).await;
        let structured = &answer["result"]["structuredContent"];
        let same: Value = serde_json::from_str(text(&answer)).unwrap();
        assert_eq!(&same, structured, "{tool}");
        let schema = listed["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|listed| listed["name"] == tool)
            .map(|listed| &listed["outputSchema"])
            .unwrap();
        // Clients of the last revision take nothing but an object at the root.
        assert_eq!(schema["type"], "object", "{tool}");
        assert!(
            jsonschema::is_valid(schema, structured),
            "{tool}: {schema} {structured}"
        );
        if tool == "found" && structured.get("result").is_none() {
            // A tagged enum is an object already, so it may also stand unwrapped.
            assert_eq!(structured, &expected["result"]);
        } else {
            assert_eq!(structured, &expected, "{tool}");
        }
    }
}

#[tokio::test]
async fn media_links_and_resources_are_blocks() {
    let mut wire = all();
    let content = async |wire: &mut Wire, tool: &str| {
        wire.call(tool, json!({})).await["result"]["content"].clone()
    };
    assert_eq!(
        content(&mut wire, "image").await,
        json!([{"type": "image", "data": "/wD+", "mimeType": "image/png"}])
    );
    assert_eq!(
        content(&mut wire, "sound").await,
        json!([{"type": "audio", "data": "AQI=", "mimeType": "audio/wav"}])
    );
    assert_eq!(
        content(&mut wire, "several").await,
        json!([
            {"type": "text", "text": "one"},
            {"type": "image", "data": "AAAA", "mimeType": "image/gif"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/ogg"},
            {"type": "resource_link", "uri": "note://1", "name": "first"},
            {"type": "resource", "resource": {"uri": "note://1", "text": "text"}},
        ])
    );
}

/// A tool may add to `_meta`, and cannot speak for the server.
#[tokio::test]
async fn a_result_made_by_hand_keeps_its_meta_but_not_the_servers_name() {
    let mut wire = all();
    let answer = wire.call("by_hand", json!({})).await;
    assert_eq!(text(&answer), "by hand");
    let meta = &answer["result"]["_meta"];
    assert_eq!(meta["example.com/trace"], "t-1");
    assert_eq!(meta["io.modelcontextprotocol/serverInfo"]["name"], "shop");
}

#[tokio::test]
async fn an_error_of_a_tool_is_a_result_for_the_model() {
    let mut wire = all();
    let answer = wire.call("fails", json!({"fail": true})).await;
    assert_eq!(
        tool_error(&answer),
        "no such order; take one from find_order"
    );
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"].get("structuredContent"), None);
    assert_eq!(
        text(&wire.call("fails", json!({"fail": false})).await),
        "ok"
    );
}

/// Gives as much as is asked for.
#[tool]
async fn much(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Likewise, structured.
#[tool]
async fn much_structured(bytes: usize) -> Json<Vec<String>> {
    Json(vec!["x".repeat(bytes)])
}

/// Likewise, as an image.
#[tool]
async fn much_image(bytes: usize) -> Image {
    Image {
        bytes: vec![0; bytes],
        mime_type: "image/png".into(),
    }
}

#[tokio::test]
async fn a_result_over_the_limit_is_an_error_that_says_so() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![much, much_structured, much_image])
        .max_result_bytes(10_000)
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    for tool in ["much", "much_structured", "much_image"] {
        let small = wire.call(tool, json!({"bytes": 2000})).await;
        assert_eq!(small["result"].get("isError"), None, "{tool}");
        let large = wire.call(tool, json!({"bytes": 20_000})).await;
        assert!(
            tool_error(&large).contains("10000 bytes"),
            "{tool}: {large}"
        );
        assert_eq!(large["result"].get("structuredContent"), None);
    }
    let mut wire = open(tools![much]);
    let large = wire.call("much", json!({"bytes": 2_000_000})).await;
    assert_eq!(text(&large).len(), 2_000_000);
}

/// Its schema promises text where it gives a number.
#[derive(Serialize, JsonSchema)]
struct Wrong {
    #[schemars(with = "String")]
    secret: u32,
}

/// Breaks its promise.
#[tool]
async fn wrong() -> Json<Wrong> {
    Json(Wrong { secret: 4711 })
}

/// What does not fit is kept from the client, which would refuse it anyway, and explained in the log.
#[tokio::test]
async fn a_structured_result_is_compared_with_its_schema() {
    let server = |validate: bool| {
        Server::builder("shop", "1.0.0")
            .tools(tools![wrong, row])
            .validate_results(validate)
            .build()
            .unwrap()
    };
    let mut wire = Wire::open(&server(true));
    let answer = wire.call("wrong", json!({})).await;
    let error = tool_error(&answer);
    assert!(error.contains("does not fit its own schema"), "{error}");
    assert!(!answer.to_string().contains("4711"), "{answer}");
    assert_eq!(answer["result"].get("structuredContent"), None);
    assert_eq!(
        wire.call("row", json!({})).await["result"].get("isError"),
        None
    );
    let mut wire = Wire::open(&server(false));
    let answer = wire.call("wrong", json!({})).await;
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"secret": 4711})
    );
}

/// Fails although it has an output schema.
#[tool]
async fn find_row(id: u64) -> Result<Json<Row>, ToolError> {
    match id {
        1 => Ok(Json(Row { id, note: None })),
        _ => Err(ToolError::new("there is no such row")),
    }
}

/// An error has no structured content, and no client may ask it to fit the schema.
#[tokio::test]
async fn an_error_of_a_tool_with_a_schema_passes_a_validating_client() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![find_row])
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    let client = mcp_client::Client::builder("host", "1.0.0")
        .connect(mcp_client::IoTransport::new(reader, writer))
        .await
        .unwrap();
    let failed = client
        .call_tool("find_row", json!({"id": 2}))
        .await
        .unwrap();
    assert!(failed.is_error());
    assert_eq!(failed.text(), "there is no such row");
    let found = client
        .call_tool("find_row", json!({"id": 1}))
        .await
        .unwrap();
    assert_eq!(
        found.structured::<Row>().unwrap(),
        Row { id: 1, note: None }
    );
}
