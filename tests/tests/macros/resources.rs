//! `#[resource]`, seen by a client: URIs, templates, contents, questions, methods.

use std::sync::Arc;

use mcp_client::Error;
use mcp_server::{
    Fault, ResourceContents, RpcError, SafePath, prelude::*, protocol::TextResourceContents,
};
use mcp_tests::guide::rounds;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema, Form, Debug)]
struct Consent {
    agreed: bool,
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
enum Part {
    Head,
    Body,
}

/// All notes.
#[resource(
    "note://all",
    title = "Notes",
    mime_type = "text/markdown",
    size = 7,
    audience("user", "assistant"),
    priority = 0.5,
    last_modified = "2025-01-12T15:00:58Z"
)]
async fn all() -> &'static str {
    "- first"
}

/// A part of a note.
#[resource("note://notes/{id}/{part}{?line,width}", mime_type = "text/plain")]
fn part(
    id: u32,
    part: Part,
    line: Option<u8>,
    #[serde(default = "eighty")] width: u32,
    ctx: &Context,
) -> Option<String> {
    let _ = ctx;
    (id != 404).then(|| format!("{id} {part:?} {line:?} {width}"))
}

fn eighty() -> u32 {
    80
}

#[resource("note://tags/{tag}")]
async fn tag(tag: &str) -> String {
    format!("<{tag}>")
}

#[resource("file:///{+path}")]
async fn file(path: SafePath, root: State<String>) -> String {
    path.under(root.as_str()).display().to_string()
}

#[resource("blob://small", mime_type = "application/octet-stream")]
fn blob() -> Vec<u8> {
    vec![0xFB, 0xFF, 0xFE]
}

#[resource("json://price")]
async fn price() -> Json<u32> {
    Json(250)
}

#[resource("note://both")]
async fn both() -> Vec<ResourceContents> {
    vec![
        TextResourceContents::new("note://1", "one").into(),
        TextResourceContents::new("note://2", "two").into(),
    ]
}

#[resource("note://secret/{id}")]
async fn secret(
    id: u32,
    #[elicit("Show secret {id}?")] consent: Resolve<Consent>,
) -> Result<String, ToolError> {
    if consent.agreed {
        Ok(format!("secret {id}"))
    } else {
        Err(ToolError::new("the user keeps it"))
    }
}

struct Shop {
    name: &'static str,
}

#[tool]
#[prompt]
#[resource]
impl Shop {
    #[tool]
    async fn quote(&self) -> &'static str {
        self.name
    }

    #[prompt]
    async fn advertise(&self) -> &'static str {
        self.name
    }

    /// The shelves.
    #[resource("shop://shelves/{number}", name = "A shelf")]
    async fn shelf(self: Arc<Self>, number: u8) -> String {
        format!("{} {number}", self.name)
    }
}

fn server() -> Server {
    let shop = Arc::new(Shop { name: "corner" });
    Server::builder("tests", "1.0.0")
        .state("/srv".to_owned())
        .resources(resources![all, part, tag, file, blob, price, both, secret])
        .resources(Arc::clone(&shop))
        .prompts(Arc::clone(&shop))
        .tools(shop)
        .build()
        .unwrap()
}

async fn read_with(uri: &str, answers: Value) -> Result<Value, RpcError> {
    let params = json!({ "uri": uri });
    match rounds(&server(), "resources/read", params, &answers).await {
        Ok(mut result) => Ok(result["contents"].take()),
        Err(Error::Rpc(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn read(uri: &str) -> Value {
    let read = read_with(uri, json!({})).await;
    read.unwrap_or_else(|error| panic!("{uri}: {error}"))
}

async fn text(uri: &str) -> String {
    let contents = read(uri).await;
    assert_eq!(contents[0]["uri"], uri);
    contents[0]["text"].as_str().unwrap().to_owned()
}

async fn refused(uri: &str) -> RpcError {
    match read_with(uri, json!({})).await {
        Err(error) => error,
        Ok(contents) => panic!("{uri} gave {contents}"),
    }
}

#[tokio::test]
async fn the_lists_say_what_attributes_and_comments_say() {
    let listed = rounds(&server(), "resources/list", json!({}), &json!({}))
        .await
        .unwrap();
    let resources = listed["resources"].as_array().unwrap();
    let found = resources.iter().find(|one| one["uri"] == "note://all");
    assert_eq!(
        *found.unwrap(),
        json!({
            "uri": "note://all",
            "name": "all",
            "title": "Notes",
            "description": "All notes.",
            "mimeType": "text/markdown",
            "size": 7,
            "annotations": {
                "audience": ["user", "assistant"],
                "priority": 0.5,
                "lastModified": "2025-01-12T15:00:58Z"
            }
        })
    );
    assert_eq!(resources.len(), 4);
    let listed = rounds(&server(), "resources/templates/list", json!({}), &json!({}))
        .await
        .unwrap();
    let templates = listed["resourceTemplates"].as_array().unwrap();
    let named = |name: &str| {
        let found = templates.iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not listed"))
    };
    assert_eq!(
        *named("part"),
        json!({
            "uriTemplate": "note://notes/{id}/{part}{?line,width}",
            "name": "part",
            "description": "A part of a note.",
            "mimeType": "text/plain"
        })
    );
    assert_eq!(named("A shelf")["uriTemplate"], "shop://shelves/{number}");
    assert_eq!(templates.len(), 5);
}

#[tokio::test]
async fn a_resource_without_variables_has_one_uri() {
    assert_eq!(
        read("note://all").await,
        json!([{ "uri": "note://all", "mimeType": "text/markdown", "text": "- first" }])
    );
    assert_eq!(refused("note://all/").await.code, -32602);
}

#[tokio::test]
async fn variables_are_read_from_text_by_their_type() {
    assert_eq!(text("note://notes/7/head").await, "7 Head None 80");
    assert_eq!(
        text("note://notes/7/body?width=120&line=3").await,
        "7 Body Some(3) 120"
    );
    assert_eq!(text("note://tags/a%26b%20c").await, "<a&b c>");
    for wrong in [
        "note://notes/seven/head",
        "note://notes/7/foot",
        "note://notes/7/head?line=256",
        "note://notes/7/head?colour=red",
        "note://notes//head",
    ] {
        assert_eq!(refused(wrong).await.code, -32602, "{wrong}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let error = refused("note://notes/404/head").await;
    assert_eq!(error.code, -32602);
    assert_eq!(error.data, Some(json!({ "uri": "note://notes/404/head" })));
}

#[tokio::test]
async fn both_spellings_of_a_character_are_one_value() {
    assert_eq!(text("note://tags/ü").await, "<ü>");
    assert_eq!(text("note://tags/%C3%BC").await, "<ü>");
    // Decoded once.
    assert_eq!(text("note://tags/%2525").await, "<%25>");
}

#[tokio::test]
async fn a_segment_never_leads_elsewhere() {
    for wrong in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2e%2e",
        "..",
        "a%2Fb",
        "a/b",
        "a%00b",
        "..%5Cx",
        "%ZZ",
        "%C3%28",
    ] {
        let uri = format!("note://tags/{wrong}");
        assert_eq!(refused(&uri).await.code, -32602, "{uri}");
    }
}

#[tokio::test]
async fn a_path_leads_nowhere_but_down() {
    assert_eq!(text("file:///a/b.txt").await, "/srv/a/b.txt");
    assert_eq!(text("file:///a%20b/c").await, "/srv/a b/c");
    for wrong in [
        "..",
        "a/../../etc/passwd",
        "..%2Fetc",
        "a//b",
        "a/./b",
        "/etc/passwd",
        "a%5C..",
        "a%00",
        "C:/x",
        "",
    ] {
        let uri = format!("file:///{wrong}");
        assert_eq!(refused(&uri).await.code, -32602, "{uri}");
    }
}

#[tokio::test]
async fn bytes_json_and_several_contents() {
    // Specification: server/resources, Binary Content; standard Base64.
    assert_eq!(
        read("blob://small").await,
        json!([{ "uri": "blob://small", "mimeType": "application/octet-stream", "blob": "+//+" }])
    );
    assert_eq!(
        read("json://price").await,
        json!([{ "uri": "json://price", "mimeType": "application/json", "text": "250" }])
    );
    let both = read("note://both").await;
    assert_eq!(
        (&both[0]["uri"], &both[1]["text"]),
        (&json!("note://1"), &json!("two"))
    );
}

#[tokio::test]
async fn a_resource_asks() {
    let read = read_with("note://secret/3", json!({ "consent": { "agreed": true } })).await;
    assert_eq!(read.unwrap()[0]["text"], "secret 3");
    let refused = read_with("note://secret/3", json!({ "consent": { "agreed": false } })).await;
    let error = refused.unwrap_err();
    assert!(error.message.contains("the user keeps it"), "{error:?}");
}

#[tokio::test]
async fn methods_of_three_kinds_stand_in_one_block() {
    assert_eq!(text("shop://shelves/4").await, "corner 4");
    let got = rounds(
        &server(),
        "prompts/get",
        json!({ "name": "advertise" }),
        &json!({}),
    )
    .await;
    assert_eq!(got.unwrap()["messages"][0]["content"]["text"], "corner");
    let called = rounds(
        &server(),
        "tools/call",
        json!({ "name": "quote" }),
        &json!({}),
    )
    .await;
    assert_eq!(called.unwrap()["content"][0]["text"], "corner");
}

#[derive(Deserialize, JsonSchema)]
struct Where {
    id: u32,
    line: Option<u8>,
}

#[resource("log://{id}{?line}")]
async fn log(at: Args<Where>) -> String {
    format!("{} {:?}", at.id, at.line)
}

#[resource("log://{file}")]
async fn other_log(file: String) -> String {
    file
}

#[tokio::test]
async fn a_struct_takes_all_variables() {
    let server = Server::builder("tests", "1.0.0")
        .resources(resources![log])
        .build()
        .unwrap();
    let params = json!({ "uri": "log://3?line=4" });
    let read = rounds(&server, "resources/read", params, &json!({})).await;
    assert_eq!(read.unwrap()["contents"][0]["text"], "3 Some(4)");
}

#[test]
fn templates_that_share_uris_are_a_fault() {
    let built = Server::builder("tests", "1.0.0")
        .resources(resources![log, other_log])
        .build();
    let faults: Vec<Fault> = built.unwrap_err().faults().to_vec();
    assert!(
        faults
            .iter()
            .any(|fault| fault.to_string().contains("other_log")),
        "{faults:?}"
    );
}

#[resource("log://{folder}/{id}")]
async fn log_of_folder(at: Args<Where>) -> String {
    at.id.to_string()
}

#[test]
fn a_struct_that_does_not_take_a_variable_is_a_fault() {
    let built = Server::builder("tests", "1.0.0")
        .resources(resources![log_of_folder])
        .build();
    let error = built.unwrap_err().to_string();
    assert!(error.contains("`{folder}`"), "{error}");
}
