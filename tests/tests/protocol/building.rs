//! `build()` reports every fault at once, each with its tool, its parameter and the way out.

use std::sync::Arc;

use mcp_server::prelude::*;
use mcp_server::{Fault, Sampled};
use serde_json::{Value, json};

/// What it needs is not there.
#[tool]
async fn needs_state(notes: State<Vec<String>>, more: State<dyn Store>) -> String {
    format!("{} {}", notes.len(), more.name())
}

trait Store: Send + Sync {
    fn name(&self) -> String;
}

struct Shelf;

impl Store for Shelf {
    fn name(&self) -> String {
        "shelf".to_owned()
    }
}

/// Its name is taken.
#[tool(name = "needs_state")]
async fn namesake() {}

/// Nothing to claim.
#[tool(once)]
async fn claims_nothing() {}

fn list() -> Value {
    json!({"type": "array"})
}

/// Its schema is no object's.
#[tool(input_schema = list())]
async fn takes_a_list(args: Args<Value>) -> String {
    args.to_string()
}

type Completion = Sampled;

/// An alias hides what cannot be declined.
#[tool]
async fn cannot_be_declined(#[resolve(sample())] line: Elicit<Completion>) -> String {
    format!("{line:?}")
}

fn sample() -> Ask<Completion> {
    let params = json!({"messages": [], "maxTokens": 1});
    Ask::sample(serde_json::from_value(params).unwrap())
}

/// Neither tagged nor plain.
#[derive(Debug, Deserialize, JsonSchema)]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

/// Its argument has a tagging that no host reads well.
#[tool]
async fn draws(shape: Shape) -> String {
    match shape {
        Shape::Circle { radius } => radius.to_string(),
        Shape::Square { side } => side.to_string(),
    }
}

/// Nothing is wrong with it.
#[tool]
async fn fine() {}

fn of<'f>(faults: &'f [Fault], tool: &str) -> Vec<&'f Fault> {
    faults
        .iter()
        .filter(|fault| fault.function.as_deref() == Some(tool))
        .collect()
}

#[test]
fn a_function_that_is_listed_twice_says_so_and_nothing_else_twice() {
    let error = Server::builder("server", "1.0.0")
        .tools(tools![needs_state, fine, fine, needs_state])
        .build()
        .unwrap_err();
    let faults = error.faults();
    assert_eq!(of(faults, "fine").len(), 1, "{error}");
    assert!(
        of(faults, "fine")[0]
            .text
            .starts_with("it is listed twice, or another tool")
    );
    let states = of(faults, "needs_state");
    assert_eq!(states.len(), 3, "{error}");
    assert!(
        states[2]
            .text
            .starts_with("it is listed twice, or another tool")
    );
}

#[test]
fn all_faults_are_reported_at_once_with_their_place_and_the_way_out() {
    let error = Server::builder(" ", "1.0.0")
        .state(7u8)
        .state(8u8)
        .tools(tools![needs_state, fine, namesake])
        .tools(tools![
            claims_nothing,
            takes_a_list,
            cannot_be_declined,
            draws
        ])
        .build()
        .unwrap_err();
    let faults = error.faults();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("the server has {} faults\n- ", faults.len())),
        "{text}"
    );
    assert_eq!(text.lines().count(), faults.len() + 1, "{text}");

    let server: Vec<&str> = faults
        .iter()
        .filter(|fault| fault.function.is_none())
        .map(|fault| fault.text.as_str())
        .collect();
    assert_eq!(
        server,
        [
            "state of type `u8` is registered twice; wrap one in a type of its own",
            "the server has no name",
        ]
    );

    let states = of(faults, "needs_state");
    let parameters: Vec<Option<&str>> = states.iter().map(|f| f.parameter.as_deref()).collect();
    assert_eq!(parameters, [Some("notes"), Some("more"), None]);
    assert!(
        states[0].text.contains("Vec<alloc::string::String>")
            && states[0].text.contains("`.state(..)`")
    );
    assert!(
        states[1].text.contains("dyn ") && states[1].text.contains("Store"),
        "{}",
        states[1].text
    );
    let other = states[2].text.split(file!()).collect::<Vec<_>>();
    assert_eq!(other.len(), 2, "{}", states[2].text);
    assert_eq!(other[0], "another tool has this name, at ");
    assert!(
        other[1].ends_with("; write `#[tool(name = \"..\")]`"),
        "{}",
        other[1]
    );

    for (tool, parameter, part) in [
        ("claims_nothing", None, "write `once = expr`"),
        ("takes_a_list", None, "type `object`"),
        ("cannot_be_declined", Some("line"), "write `Resolve<..>`"),
        ("draws", None, "tag"),
    ] {
        let found = of(faults, tool);
        assert_eq!(found.len(), 1, "{tool}: {found:?}");
        assert_eq!(found[0].parameter.as_deref(), parameter, "{tool}");
        assert!(found[0].text.contains(part), "{tool}: {}", found[0].text);
        let line = text
            .lines()
            .find(|line| line.contains(&format!("tool `{tool}`")))
            .unwrap();
        assert!(line.contains("building.rs:"), "{line}");
    }
    assert_eq!(of(faults, "fine"), Vec::<&Fault>::new());
}

/// State is found by its type, trait objects too.
#[tokio::test]
async fn what_was_registered_is_bound() {
    let server = Server::builder("shop", "1.0.0")
        .state(vec!["a".to_owned(), "b".to_owned()])
        .shared_state::<dyn Store>(Arc::new(Shelf))
        .tools(tools![needs_state])
        .build()
        .unwrap();
    let mut wire = mcp_tests::wire::Wire::open(&server);
    let answer = wire.call("needs_state", json!({})).await;
    assert_eq!(mcp_tests::wire::text(&answer), "2 shelf");
    assert_eq!(server.tool_names().collect::<Vec<_>>(), ["needs_state"]);
}

/// Its pattern is none.
#[tool]
async fn has_a_bad_pattern(#[schemars(regex(pattern = "("))] code: String) -> String {
    code
}

/// Its result has a tagging that no host reads well.
#[tool]
async fn gives_a_shape() -> Json<Drawn> {
    Json(Drawn::Circle { radius: 1.0 })
}

#[derive(Serialize, JsonSchema)]
enum Drawn {
    Circle {
        radius: f64,
    },
    #[expect(dead_code, reason = "one of two")]
    Square {
        side: f64,
    },
}

/// A form that refuses its own default.
#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Contrary {
    /// How many?
    #[serde(default)]
    #[schemars(range(min = 5))]
    count: i64,
}

/// Asks it.
#[tool]
async fn asks_contrarily(#[elicit("How many?")] answer: Elicit<Contrary>) -> String {
    format!("{answer:?}")
}

#[test]
fn schemas_and_forms_are_checked_too() {
    let error = Server::builder("shop", "1.0.0")
        .tools(tools![has_a_bad_pattern, gives_a_shape, asks_contrarily])
        .build()
        .unwrap_err();
    let faults = error.faults();
    assert_eq!(faults.len(), 3, "{error}");
    assert!(
        of(faults, "has_a_bad_pattern")[0]
            .text
            .contains("bad pattern"),
        "{error}"
    );
    let shape = &of(faults, "gives_a_shape")[0].text;
    assert!(
        shape.starts_with("its result: ") && shape.contains("tag"),
        "{error}"
    );
    let contrary = of(faults, "asks_contrarily")[0];
    assert_eq!(contrary.parameter.as_deref(), Some("answer"));
    assert!(
        contrary.text.contains("`count`") && contrary.text.contains("default"),
        "{error}"
    );
}
