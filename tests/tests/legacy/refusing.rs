//! What cannot work with an earlier client says so, and says what can be done.

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text, tool_error};
use serde_json::{Value, json};

use crate::support::{Confirm, REVISIONS, confirm, connect, list_roots, server, write_line};

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema, Form)]
enum Colour {
    Red,
    Green,
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
struct Colours {
    /// Which ones?
    colours: Vec<Colour>,
}

/// Paints in the colours that the user likes.
#[tool]
async fn paint(#[elicit("Which colours?")] colours: Resolve<Colours>) -> String {
    format!("{:?}", colours.colours)
}

/// Paints in all colours where the user cannot be asked.
#[tool]
async fn paint_anyway(#[resolve(colours())] colours: Resolve<Colours>) -> String {
    format!("{:?}", colours.colours)
}

fn colours() -> Ask<Colours> {
    Ask::form("Which colours?").or_if_unsupported(Colours {
        colours: vec![Colour::Green],
    })
}

/// Opens a page.
#[tool]
async fn open(#[resolve(page())] done: Resolve<u8>) -> String {
    format!("{}", *done)
}

fn page() -> Ask<u8> {
    Ask::url("Open it.", "https://shop.example/")
}

/// Needs the client's model by hand.
#[tool]
async fn by_hand(ctx: Context) -> Result<String, ToolError> {
    ctx.require(Kind::Sampling)?;
    Ok("there is one".to_owned())
}

/// Needs a page by hand.
#[tool]
async fn page_by_hand(ctx: Context) -> Result<String, ToolError> {
    ctx.require(Kind::Url)?;
    Ok("there is one".to_owned())
}

/// Asks before it says anything.
#[prompt]
async fn greet(#[elicit("May I?")] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

/// Asks before it shows anything.
#[resource("shop://secret")]
async fn secret(#[elicit("May I?")] answer: Elicit<Confirm>) -> String {
    format!("{answer:?}")
}

/// A client that can do this and nothing else.
async fn client(server: &Server, revision: &'static str, capabilities: Value) -> Wire {
    let mut wire = Wire::open(server);
    wire.shake_hands(revision, capabilities).await;
    wire
}

#[tokio::test]
async fn a_capability_that_is_missing_is_named_in_the_result() {
    let server = server(tools![
        confirm,
        write_line,
        list_roots,
        by_hand,
        page_by_hand,
        open
    ]);
    for revision in REVISIONS {
        let mut wire = client(&server, revision, json!({})).await;
        for (tool, capability) in [
            ("confirm", form_of(revision)),
            ("write_line", "`sampling`".to_owned()),
            ("list_roots", "`roots`".to_owned()),
            ("by_hand", "`sampling`".to_owned()),
            ("open", page_of(revision)),
            ("page_by_hand", page_of(revision)),
        ] {
            let answer = wire.call(tool, arguments_of(tool)).await;
            let said = tool_error(&answer);
            assert!(
                said.contains(&capability) && said.contains("use a client"),
                "{revision} {tool}: {said}"
            );
        }
    }
    // What a revision does not have is not there, whatever is declared.
    let declared = json!({"elicitation": {"form": {}, "url": {}}});
    for (revision, tools) in [
        ("2024-11-05", &["confirm", "open", "page_by_hand"][..]),
        ("2025-03-26", &["confirm", "open", "page_by_hand"]),
        ("2025-06-18", &["open", "page_by_hand"]),
    ] {
        let mut wire = client(&server, revision, declared.clone()).await;
        for tool in tools {
            let answer = wire.call(tool, arguments_of(tool)).await;
            let said = tool_error(&answer);
            assert!(
                said.contains(&format!("protocol version {revision} cannot express")),
                "{tool}: {said}"
            );
            assert!(!said.contains("did not declare"), "{tool}: {said}");
        }
    }
}

fn arguments_of(tool: &str) -> Value {
    match tool {
        "confirm" => json!({"what": "it"}),
        _ => json!({}),
    }
}

/// What is said where a form cannot be asked. 2025-06-18 has elicitation, and forms are all of it.
fn form_of(revision: &str) -> String {
    match revision {
        "2025-06-18" => "did not declare the capability `elicitation` ".to_owned(),
        "2025-11-25" => "did not declare the capability `elicitation.form` ".to_owned(),
        _ => beyond(revision, "a question to the user"),
    }
}

/// Likewise a page, which came with 2025-11-25.
fn page_of(revision: &str) -> String {
    match revision {
        "2025-11-25" => "did not declare the capability `elicitation.url` ".to_owned(),
        _ => beyond(revision, "a page to open"),
    }
}

fn beyond(revision: &str, what: &str) -> String {
    format!("{what}, which the client's protocol version {revision} cannot express")
}

/// Prompts and resources have no result to say it in, and the codes of today's revision are not theirs.
#[tokio::test]
async fn prompts_and_resources_answer_with_an_error_of_all_times() {
    let server = Server::builder("shop", "1.0.0")
        .prompts(prompts![greet])
        .resources(resources![secret])
        .build()
        .unwrap();
    for revision in REVISIONS {
        let mut wire = client(&server, revision, json!({"sampling": {}})).await;
        for (method, params) in [
            ("prompts/get", json!({"name": "greet"})),
            ("resources/read", json!({"uri": "shop://secret"})),
        ] {
            let answer = wire.request(method, params).await;
            assert_eq!(code(&answer), -32602, "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(&form_of(revision)), "{message}");
        }
    }
    // Where the user can be asked, they do.
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut wire = connect(&server, revision).await;
        wire.begin("prompts/get", json!({"name": "greet"})).await;
        let asked = wire.expect_request("elicitation/create").await;
        wire.answer(&asked, json!({"action": "decline"})).await;
        let answer = wire.receive().await;
        assert_eq!(
            answer["result"]["messages"][0]["content"]["text"],
            "Decline"
        );
        wire.begin("resources/read", json!({"uri": "shop://secret"}))
            .await;
        let asked = wire.expect_request("elicitation/create").await;
        let error = json!({"code": -1, "message": "not now"});
        wire.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}))
            .await;
        let answer = wire.receive().await;
        assert_eq!(code(&answer), -32603);
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("not now")
        );
    }
}

/// A choice of several values came with 2025-11-25.
#[tokio::test]
async fn a_question_that_a_revision_cannot_express_is_not_asked() {
    let server = server(tools![paint, paint_anyway]);
    let mut wire = connect(&server, "2025-06-18").await;
    let answer = wire.call("paint", json!({})).await;
    let said = tool_error(&answer);
    assert!(
        said.contains("several values")
            && said.contains("2025-06-18")
            && said.contains("use a client"),
        "{said}"
    );
    let answer = wire.call("paint_anyway", json!({})).await;
    assert_eq!(text(&answer), "[Green]");
    let mut wire = connect(&server, "2025-11-25").await;
    for tool in ["paint", "paint_anyway"] {
        wire.begin("tools/call", json!({"name": tool})).await;
        let asked = wire.expect_request("elicitation/create").await;
        let colours = json!({"colours": ["Red"]});
        wire.answer(&asked, json!({"action": "accept", "content": colours}))
            .await;
        assert_eq!(text(&wire.receive().await), "[Red]");
    }
}

#[tokio::test]
async fn a_fallback_is_taken_where_nobody_can_be_asked() {
    let server = server(tools![paint_anyway]);
    for revision in REVISIONS {
        let mut wire = client(&server, revision, json!({})).await;
        let answer = wire.call("paint_anyway", json!({})).await;
        assert_eq!(text(&answer), "[Green]", "{revision}");
    }
}
