//! `#[prompt]`, seen by a client: arguments that come as text, questions, methods.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_client::Error;
use mcp_server::{GetPromptResult, PromptMessage, RpcError, prelude::*};
use mcp_tests::guide::rounds;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema, Form, Debug)]
struct Strictness {
    strict: bool,
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "snake_case")]
enum Tone {
    VeryKind,
    Plain,
}

/// Reviews code.
///
/// In any language.
#[prompt(title = "Review", icons("https://example.com/review.svg"))]
async fn review(
    /// The code.
    code: &str,
    #[serde(rename = "maxIssues")] max_issues: u8,
    half: f64,
    brief: bool,
    tone: Tone,
    /// Who asks.
    author: Option<String>,
    #[serde(default = "eighty")] width: u32,
) -> String {
    format!("{code} {max_issues} {half} {brief} {tone:?} {author:?} {width}")
}

fn eighty() -> u32 {
    80
}

#[prompt(extra = "ignore")]
async fn lenient(code: String) -> String {
    code
}

#[derive(Deserialize, JsonSchema)]
struct Whole {
    /// The number.
    number: u32,
    note: Option<String>,
}

#[prompt]
async fn whole(whole: Args<Whole>) -> String {
    format!("{} {:?}", whole.number, whole.note)
}

#[prompt]
fn conversation(ctx: &Context) -> Result<[PromptMessage; 2], ToolError> {
    let _ = ctx;
    Ok([
        PromptMessage::user("Hello?"),
        PromptMessage::assistant("Yes."),
    ])
}

#[prompt]
async fn made_by_hand() -> GetPromptResult {
    GetPromptResult {
        description: Some("Made by hand.".to_owned()),
        messages: vec![PromptMessage::user("Hello?")],
        ..GetPromptResult::default()
    }
}

struct Runs(AtomicU32);

#[prompt]
async fn asking(
    change: u32,
    runs: State<Runs>,
    #[elicit("How is change {change} to be reviewed?")] how: Resolve<Strictness>,
    #[resolve(sure(change, how))] sure: Elicit<Option<Strictness>>,
) -> String {
    let runs = runs.0.fetch_add(1, Ordering::SeqCst) + 1;
    format!("{change} {} {sure:?} {runs}", how.strict)
}

fn sure(change: u32, how: &Strictness) -> Option<Ask<Strictness>> {
    how.strict
        .then(|| Ask::form(format!("Strictly, change {change}?")))
}

struct Reviews {
    style: &'static str,
}

#[tool]
#[prompt]
impl Reviews {
    /// The style.
    #[tool(read_only)]
    async fn style(&self) -> &'static str {
        self.style
    }

    /// Reviews by the style.
    #[prompt(name = "by style")]
    fn by_style(
        self: Arc<Self>,
        code: &str,
        #[elicit("By our style ('{}')?", self.style)] answer: Elicit<Strictness>,
    ) -> String {
        format!(
            "{} {code} {}",
            self.style,
            matches!(answer, Elicit::Accept(_))
        )
    }
}

fn server() -> Server {
    let reviews = Arc::new(Reviews { style: "kind" });
    Server::builder("tests", "1.0.0")
        .state(Runs(AtomicU32::new(0)))
        .prompts(prompts![
            review,
            lenient,
            whole,
            conversation,
            made_by_hand,
            asking
        ])
        .prompts(Arc::clone(&reviews))
        .tools(reviews)
        .build()
        .unwrap()
}

async fn get(name: &str, arguments: Value, answers: Value) -> Result<Value, RpcError> {
    let params = json!({ "name": name, "arguments": arguments });
    match rounds(&server(), "prompts/get", params, &answers).await {
        Ok(result) => Ok(result),
        Err(Error::Rpc(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn text(name: &str, arguments: Value, answers: Value) -> String {
    let got = get(name, arguments, answers).await.unwrap();
    assert_eq!(got["messages"].as_array().unwrap().len(), 1);
    assert_eq!(got["messages"][0]["role"], "user");
    let text = &got["messages"][0]["content"]["text"];
    text.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn arguments_are_read_from_text_by_their_type() {
    let arguments = json!({
        "code": "fn", "maxIssues": "3", "half": "0.5", "brief": "true", "tone": "very_kind", "author": "5"
    });
    let read = text("review", arguments, json!({})).await;
    assert_eq!(read, r#"fn 3 0.5 true VeryKind Some("5") 80"#);
    let arguments = json!({
        "code": "", "maxIssues": "0", "half": "-1", "brief": "false", "tone": "plain", "width": "120"
    });
    let read = text("review", arguments, json!({})).await;
    assert_eq!(read, " 0 -1 false Plain None 120");
}

#[tokio::test]
async fn text_that_does_not_fit_is_invalid_and_the_argument_is_named() {
    let right = json!({
        "code": "fn", "maxIssues": "3", "half": "0.5", "brief": "true", "tone": "plain"
    });
    for (name, value) in [
        ("maxIssues", json!("256")),
        ("maxIssues", json!("three")),
        ("half", json!("")),
        ("brief", json!("yes")),
        ("tone", json!("rude")),
        ("half", json!("NaN")),
        ("half", json!("inf")),
        // Arguments of prompts are text, also where they stand for numbers.
        ("maxIssues", json!(3)),
        ("brief", json!(true)),
        ("code", json!(["fn"])),
        ("width", json!("wide")),
        ("code", Value::Null),
    ] {
        let mut arguments = right.clone();
        if value.is_null() {
            arguments.as_object_mut().unwrap().remove(name);
        } else {
            arguments[name] = value;
        }
        let error = get("review", arguments, json!({})).await.unwrap_err();
        assert_eq!(error.code, -32602, "{error:?}");
        assert!(error.message.contains(name), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn unknown_arguments_are_refused_unless_they_are_ignored() {
    let arguments = json!({ "code": "fn", "colour": "red" });
    let error = get("whole", arguments.clone(), json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code, -32602, "{error:?}");
    assert_eq!(text("lenient", arguments, json!({})).await, "fn");
    let error = get(
        "asking",
        json!({ "change": "1", "colour": "red" }),
        json!({}),
    )
    .await;
    let error = error.unwrap_err();
    assert_eq!(error.code, -32602, "{error:?}");
    assert!(error.message.contains("`colour`"), "{error:?}");
}

#[tokio::test]
async fn a_struct_takes_all_arguments() {
    let arguments = json!({ "number": "12", "note": "3" });
    let read = text("whole", arguments, json!({})).await;
    assert_eq!(read, r#"12 Some("3")"#);
}

#[tokio::test]
async fn the_list_says_what_signature_and_comments_say() {
    let listed = rounds(&server(), "prompts/list", json!({}), &json!({}))
        .await
        .unwrap();
    let prompts = listed["prompts"].as_array().unwrap();
    let named = |name: &str| {
        let found = prompts.iter().find(|prompt| prompt["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not listed"))
    };
    assert_eq!(
        *named("review"),
        json!({
            "name": "review",
            "title": "Review",
            "description": "Reviews code.\n\nIn any language.",
            "icons": [{ "src": "https://example.com/review.svg" }],
            "arguments": [
                { "name": "code", "description": "The code.", "required": true },
                { "name": "maxIssues", "required": true },
                { "name": "half", "required": true },
                { "name": "brief", "required": true },
                { "name": "tone", "required": true },
                { "name": "author", "description": "Who asks.", "required": false },
                { "name": "width", "required": false }
            ]
        })
    );
    assert_eq!(
        named("whole")["arguments"],
        json!([
            { "name": "number", "description": "The number.", "required": true },
            { "name": "note", "required": false }
        ])
    );
    assert_eq!(
        named("asking")["arguments"],
        json!([{ "name": "change", "required": true }])
    );
    assert_eq!(named("conversation").get("arguments"), None);
    assert_eq!(named("by style")["arguments"][0]["name"], "code");
    assert_eq!(prompts.len(), 7);
}

#[tokio::test]
async fn messages_of_both_speakers_and_results_by_hand() {
    let got = get("conversation", json!({}), json!({})).await.unwrap();
    assert_eq!(
        got["messages"],
        json!([
            { "role": "user", "content": { "type": "text", "text": "Hello?" } },
            { "role": "assistant", "content": { "type": "text", "text": "Yes." } }
        ])
    );
    let got = get("made_by_hand", json!({}), json!({})).await.unwrap();
    assert_eq!(got["description"], "Made by hand.");
}

#[tokio::test]
async fn a_prompt_asks_and_its_body_runs_once() {
    let arguments = json!({ "change": "12" });
    let answers = json!({ "how": { "strict": true }, "sure": { "strict": false } });
    let read = text("asking", arguments.clone(), answers).await;
    assert_eq!(read, "12 true Accept(Some(Strictness { strict: false })) 1");
    let answers = json!({ "how": { "strict": false } });
    let read = text("asking", arguments, answers).await;
    assert_eq!(read, "12 false Accept(None) 1");
}

#[tokio::test]
async fn methods_are_prompts_beside_tools() {
    let answers = json!({ "answer": { "strict": true } });
    let read = text("by style", json!({ "code": "fn" }), answers).await;
    assert_eq!(read, "kind fn true");
}

#[tokio::test]
async fn a_prompt_is_still_a_function() {
    let arguments = Whole {
        number: 1,
        note: None,
    };
    assert_eq!(whole(Args(arguments)).await, "1 None");
}
