//! The keys of `#[tool(..)]`, and what a tool is beside its arguments.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::prelude::*;
use serde_json::{Value, json};

use crate::host::{host, none, serving};

/// Finds an order.
///
/// By its id:
///   exactly.
#[tool(
    name = "orders.find-one",
    title = "Find an order",
    read_only,
    idempotent = true,
    open_world = false,
    icons(
        "https://example.com/a.png",
        icon(src = "data:image/png;base64,AA==", mime_type = "image/png", sizes = ["48x48", "any"], theme = "dark"),
    )
)]
async fn find() {}

/// Not this.
#[tool(description = concat!("But ", "this."), destructive)]
async fn described() {}

/// The type's own words.
#[derive(Deserialize, JsonSchema)]
struct Described {
    text: String,
}

/// Not these either.
#[tool(description = "")]
async fn undescribed(#[schemars(description = "")] described: Described) -> String {
    described.text
}

#[tool]
async fn r#match() {}

#[tokio::test]
async fn a_tool_is_listed_as_its_keys_say() {
    let host = host(tools![find, described, undescribed, r#match], none()).await;
    let found = host.listed("orders.find-one").await;
    assert_eq!(found["title"], "Find an order");
    assert_eq!(
        found["description"],
        "Finds an order.\n\nBy its id:\n  exactly."
    );
    assert_eq!(
        found["annotations"],
        json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false})
    );
    assert_eq!(
        found["icons"],
        json!([
            {"src": "https://example.com/a.png"},
            {"src": "data:image/png;base64,AA==", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"},
        ])
    );
    let described = host.listed("described").await;
    assert_eq!(described["description"], "But this.");
    assert_eq!(described["annotations"], json!({"destructiveHint": true}));
    // Nothing is said where nothing is to be said.
    let undescribed = host.listed("undescribed").await;
    assert_eq!(undescribed["description"], "");
    let argument = &undescribed["inputSchema"]["properties"]["described"];
    assert_eq!(argument["description"], "");

    let plain = host.listed("match").await;
    assert_eq!(plain.get("description"), None);
    assert_eq!(plain.get("annotations"), None);
}

/// Ignores what it does not know.
#[tool(extra = "ignore")]
async fn lenient(text: &str) -> String {
    text.to_owned()
}

/// Has a schema of its own.
#[tool(input_schema = json!({"type": "object", "properties": {"text": {"type": ["string", "null"]}}}))]
async fn verbatim(text: Option<String>) -> String {
    text.unwrap_or_default()
}

/// Takes too long.
#[tool(timeout = "20ms")]
async fn slow() -> String {
    tokio::time::sleep(Duration::from_secs(60)).await;
    String::new()
}

#[tokio::test]
async fn extra_schema_and_timeout_have_their_effect() {
    let host = host(tools![lenient, verbatim, slow], none()).await;
    assert_eq!(
        host.text("lenient", json!({"text": "a", "b": 1})).await,
        "a"
    );
    assert_ne!(
        host.listed("lenient").await["inputSchema"]["additionalProperties"],
        false
    );
    assert_eq!(
        host.property("verbatim", "text").await,
        json!({"type": ["string", "null"]})
    );
    assert_eq!(host.text("verbatim", json!({"text": null})).await, "");
    assert!(host.error("slow", none()).await.contains("20ms"));
}

/// Pays once a reference.
#[tool(once = reference)]
async fn pay(reference: String, amount: u32) -> String {
    format!("{reference}: {amount}")
}

/// Pays once a reference and day, off the async threads.
#[tool(once = format!("{reference}/{day}"))]
fn pay_daily(reference: &str, day: u8) -> String {
    format!("{reference} on {day}")
}

#[tokio::test]
async fn a_key_is_spent_once() {
    let host = host(tools![pay, pay_daily], none()).await;
    assert_eq!(
        host.text("pay", json!({"reference": "r1", "amount": 1}))
            .await,
        "r1: 1"
    );
    let again = host
        .error("pay", json!({"reference": "r1", "amount": 2}))
        .await;
    assert!(again.contains("already done"), "{again}");
    assert_eq!(
        host.text("pay", json!({"reference": "r2", "amount": 2}))
            .await,
        "r2: 2"
    );
    assert_eq!(
        host.text("pay_daily", json!({"reference": "a", "day": 1}))
            .await,
        "a on 1"
    );
    assert_eq!(
        host.text("pay_daily", json!({"reference": "a", "day": 2}))
            .await,
        "a on 2"
    );
    host.error("pay_daily", json!({"reference": "a", "day": 1}))
        .await;
}

trait Clock: Send + Sync {
    fn now(&self) -> u32;
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> u32 {
        12
    }
}

/// Tells the time.
#[tool]
fn time(names: State<Vec<String>>, clock: State<dyn Clock>) -> String {
    format!("{names:?} {}", clock.now())
}

#[tokio::test]
async fn state_is_bound_by_type() {
    let server = Server::builder("tests", "1.0.0")
        .state(vec!["a".to_owned()])
        .shared_state::<dyn Clock>(Arc::new(Noon))
        .tools(tools![time])
        .build()
        .unwrap();
    assert_eq!(
        serving(server, none()).await.text("time", none()).await,
        r#"State(["a"]) 12"#
    );
    let fault = Server::builder("tests", "1.0.0")
        .state(vec!["a".to_owned()])
        .tools(tools![time])
        .build();
    let fault = fault.unwrap_err().to_string();
    assert!(fault.contains("time") && fault.contains("clock"), "{fault}");
}

/// Where does it run?
#[tool]
fn thread() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}

/// Where does this run?
#[tool]
async fn task() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn synchronous_functions_run_off_the_async_threads() {
    let host = host(tools![thread, task], none()).await;
    let here = std::thread::current().name().unwrap_or_default().to_owned();
    assert_eq!(host.text("task", none()).await, here);
    assert_ne!(host.text("thread", none()).await, here);
}

#[cfg(any())]
#[tool]
fn gone(text: Missing) {}

/// One of the two is there.
#[tool]
#[cfg(not(any()))]
async fn configured() -> &'static str {
    "not"
}

#[cfg(any())]
#[tool]
async fn configured(text: Missing) -> String {
    text
}

/// Used to be here.
#[deprecated]
#[tool]
fn old() -> i64 {
    1
}

#[tokio::test]
async fn attributes_of_the_function_hold_for_the_tool() {
    assert_eq!(
        host(tools![configured, old], none())
            .await
            .text("configured", none())
            .await,
        "not"
    );
}

mod find_by_name {
    use mcp_server::prelude::*;

    /// Finds by name.
    #[tool(handle = FindByName)]
    pub(crate) fn find_by_name(name: &str) -> String {
        name.to_owned()
    }
}

use find_by_name::{FindByName, find_by_name};

#[tokio::test]
async fn a_handle_goes_where_the_name_is_taken() {
    assert_eq!(find_by_name("a"), "a");
    let host = host(tools![FindByName], none()).await;
    assert_eq!(host.text("find_by_name", json!({"name": "b"})).await, "b");
    assert_eq!(
        host.listed("find_by_name").await["inputSchema"]["required"],
        Value::from(vec!["name"])
    );
}
