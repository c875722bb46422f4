//! A server that has everything.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use mcp_core::Revision;
use mcp_server::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, LoggingLevel,
    Progress, PromptMessage, ResourceLink, Roots, Sampled, TextContent,
    core::rpc::RpcError,
    prelude::*,
    protocol::{
        Annotations, BlobResourceContents, CreateMessageRequestParams, Icon, Meta, Resource, Role,
        SamplingContent, SamplingMessage, TextResourceContents, Tool,
    },
};
use mcp_tests::earlier::Earlier;
use serde_json::{Value, json};

/// Everything that a client of any revision can declare.
pub(crate) fn capabilities() -> Value {
    json!({
        "roots": {"listChanged": true},
        "sampling": {"context": {}, "tools": {}},
        "elicitation": {"form": {}, "url": {}},
    })
}

/// A client of the server below that can be asked for everything.
pub(crate) async fn connect(revision: Revision) -> Earlier {
    Earlier::connect(&server(), revision, capabilities()).await
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Stock {
    /// How many are left.
    left: u64,
}

/// Looks into the store.
#[tool(
    title = "Stock of an article",
    read_only,
    destructive = false,
    icons(icon(src = "https://example.com/stock.png", sizes = ["48x48"], theme = "dark"))
)]
async fn stock(
    /// The article.
    sku: String,
) -> Json<Stock> {
    assert!(!sku.is_empty());
    Json(Stock {
        left: 9_007_199_254_740_993,
    })
}

/// Takes anything, and gives no object.
#[tool]
async fn numbers(anything: serde_json::Value) -> Json<Vec<u64>> {
    assert!(!anything.is_null());
    Json(vec![u64::MAX])
}

/// Structured content of any kind, and nothing else.
#[tool]
async fn structured(json: serde_json::Value) -> CallToolResult {
    CallToolResult {
        structured_content: Some(json.into()),
        ..CallToolResult::default()
    }
}

fn meta() -> Option<Meta> {
    let mut meta = Meta::new();
    meta.insert("com.example/own".to_owned(), json!({"n": 1}));
    Some(meta)
}

fn annotations() -> Option<Annotations> {
    Some(Annotations {
        audience: Some(vec![Role::User]),
        priority: Some(0.5),
        last_modified: Some("2026-07-28T10:00:00Z".to_owned()),
    })
}

/// A block of each kind, with everything.
pub(crate) fn blocks() -> Vec<ContentBlock> {
    vec![
        TextContent {
            annotations: annotations(),
            meta: meta(),
            ..TextContent::new("text")
        }
        .into(),
        ImageContent {
            annotations: annotations(),
            meta: meta(),
            ..ImageContent::new("aGk=", "image/png")
        }
        .into(),
        AudioContent {
            annotations: annotations(),
            meta: meta(),
            ..AudioContent::new("aGk=", "audio/wav")
        }
        .into(),
        ResourceLink::from(Resource {
            title: Some("The report".to_owned()),
            description: Some("What happened".to_owned()),
            mime_type: Some("text/plain".to_owned()),
            icons: Some(vec![Icon::new("https://example.com/report.png")]),
            annotations: annotations(),
            size: Some(7),
            meta: meta(),
            ..Resource::new("file:///report.txt", "report")
        })
        .into(),
        EmbeddedResource {
            annotations: annotations(),
            meta: meta(),
            ..EmbeddedResource::new(BlobResourceContents {
                mime_type: Some("application/octet-stream".to_owned()),
                meta: meta(),
                ..BlobResourceContents::new("file:///report.bin", "aGk=")
            })
        }
        .into(),
    ]
}

/// Shows what a result can be.
#[tool]
async fn show() -> CallToolResult {
    CallToolResult {
        meta: meta(),
        ..CallToolResult::new(blocks())
    }
}

/// Says how far it is, and logs.
#[tool]
async fn work(ctx: Context) -> &'static str {
    ctx.progress(Progress::new(1.0).total(2.0).message("half"));
    ctx.log(LoggingLevel::Debug, "details");
    ctx.log(LoggingLevel::Warning, json!({"left": 1}));
    "worked"
}

/// Waits, and gives back what it gets.
#[tool]
async fn wait(ms: u64, text: String) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    text
}

/// Fails.
#[tool]
async fn fail(protocol: bool) -> Result<String, ToolError> {
    if protocol {
        return Err(ToolError::protocol(RpcError::new(-32001, "own")));
    }
    Err(ToolError::new("it did not work"))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema, Form)]
#[serde(rename_all = "snake_case")]
enum Colour {
    #[form(title = "As the sky")]
    Blue,
    #[form(title = "As a rose")]
    Red,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema, Form)]
struct Order {
    colour: Colour,
    #[serde(default = "one")]
    count: u32,
    #[serde(default)]
    gift: bool,
    note: Option<String>,
}

fn one() -> u32 {
    1
}

/// Orders something.
#[tool]
async fn order(#[elicit("What shall it be?")] order: Elicit<Order>) -> String {
    match order {
        Elicit::Accept(order) => format!("{} {:?}", order.count, order.colour),
        Elicit::Decline => "declined".to_owned(),
        Elicit::Cancel => "cancelled".to_owned(),
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema, Form)]
struct Palette {
    colours: Vec<Colour>,
}

/// Chooses several.
#[tool]
async fn palette(#[elicit("Which ones?")] palette: Resolve<Palette>) -> String {
    format!("{:?}", palette.colours)
}

/// What the user does on a page.
#[derive(Default)]
pub(crate) struct Account(pub(crate) AtomicBool);

/// Needs a page.
#[tool]
async fn connect_account(
    account: State<Account>,
    #[resolve(page(&account))] name: Resolve<String>,
) -> String {
    format!("connected {}", *name)
}

fn page(account: &Account) -> Ask<String> {
    match account.0.load(Ordering::SeqCst) {
        true => Ask::ready("mine".to_owned()),
        false => Ask::url("Connect your account.", "https://example.com/connect"),
    }
}

/// A conversation with more than one block a message, and with a tool where that is wanted.
fn sample(tool: bool) -> Ask<Sampled> {
    let message = SamplingMessage {
        content: SamplingContent::Many(vec![
            TextContent {
                annotations: annotations(),
                ..TextContent::new("Say")
            }
            .into(),
            TextContent::new("something").into(),
        ]),
        ..SamplingMessage::new(Role::User, TextContent::new(""))
    };
    let mut params = CreateMessageRequestParams::new(vec![message], 100);
    params.system_prompt = Some("Be brief".to_owned());
    if tool {
        let schema = json!({"type": "object", "properties": {"any": true}});
        let tool = Tool::new("look", schema.as_object().unwrap().clone());
        params.tools = Some(vec![tool]);
    }
    Ask::sample(params)
}

/// Has the model answer.
#[tool]
async fn think(tool: bool, #[resolve(sample(tool))] answer: Resolve<Sampled>) -> String {
    answer.text()
}

/// Asks for directories.
#[tool]
async fn roots(#[resolve(Ask::roots())] roots: Resolve<Roots>) -> String {
    roots.roots.iter().map(|root| root.uri.as_str()).collect()
}

/// Asks by hand, twice.
#[tool]
async fn by_hand(ctx: Context) -> Result<Outcome<String>, ToolError> {
    let state = ctx.request_state();
    if state.as_deref() == Some("second") {
        let answer = ctx.input_responses().form::<Order>("second")?;
        return Ok(Outcome::Complete(format!(
            "{:?}",
            answer.map(|_| ctx.round())
        )));
    }
    let next = if state.is_none() { "first" } else { "second" };
    let ask = InputRequired::new().form::<Order>(next, format!("The {next}?"));
    Ok(Outcome::InputRequired(ask.state(next)))
}

/// A conversation.
#[prompt(title = "A conversation", icons("https://example.com/talk.png"))]
async fn talk(
    /// About what.
    #[complete("weather", "wine")]
    subject: String,
) -> Vec<PromptMessage> {
    let said = std::iter::once(ContentBlock::text(subject));
    said.chain(blocks()).map(PromptMessage::user).collect()
}

/// Asks first.
#[prompt]
async fn ask_first(#[elicit("What shall it be?")] order: Resolve<Order>) -> String {
    format!("{:?}", order.colour)
}

/// What is to be read.
#[resource(
    "test://text",
    name = "text",
    title = "A text",
    mime_type = "text/plain",
    size = 4,
    audience("user"),
    priority = 0.5,
    last_modified = "2026-07-28T10:00:00Z",
    icons("https://example.com/text.png")
)]
async fn text() -> TextResourceContents {
    TextResourceContents {
        meta: meta(),
        ..TextResourceContents::new("test://text", "text")
    }
}

/// One of many.
#[resource(
    "test://item/{id}",
    title = "An item",
    priority = 1.0,
    last_modified = "2026-07-28T10:00:00Z"
)]
async fn item(
    /// Which one.
    #[complete("1", "12")]
    id: String,
) -> Option<Vec<u8>> {
    (id != "0").then(|| id.into_bytes())
}

/// Its resources alone.
pub(crate) fn resources() -> mcp_server::ResourceSet {
    resources![text, item]
}

/// The server.
pub(crate) fn server() -> Server {
    let account = Arc::new(Account::default());
    with(&account)
}

/// The same, with what the user does on the page in sight.
pub(crate) fn with(account: &Arc<Account>) -> Server {
    Server::builder("shop", "1.2.3")
        .title("A shop")
        .description("Sells things.")
        .instructions("Ask first.")
        .shared_state(Arc::clone(account))
        .tools(tools![
            stock,
            numbers,
            structured,
            show,
            work,
            wait,
            fail,
            order,
            palette,
            connect_account,
            think,
            roots,
            by_hand
        ])
        .prompts(prompts![talk, ask_first])
        .resources(resources())
        .build()
        .unwrap()
}
