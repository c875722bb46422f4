//! Bounds on arguments that come as text: those of prompts, and the variables of templates.

use mcp_server::{RpcError, prelude::*};
use mcp_tests::guide::rounds;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Whole {
    #[schemars(range(min = 1, max = 5))]
    number: u32,
    #[schemars(pattern("^[a-z]+$"))]
    word: Option<String>,
}

#[prompt]
async fn bounded(
    #[schemars(range(min = 1, max = 5))]
    #[serde(alias = "n")]
    number: u8,
    #[schemars(length(min = 2, max = 3))] text: String,
    #[schemars(range(min = -1.5, max = 1.5))] half: Option<f64>,
    free: Option<i64>,
) -> String {
    format!("{number} {text} {half:?} {free:?}")
}

#[derive(Deserialize, JsonSchema)]
struct Rating(#[schemars(range(min = 1, max = 5))] u8);

#[derive(Deserialize, JsonSchema)]
struct Plain(u8);

#[derive(Deserialize, JsonSchema)]
struct Outer(Rating);

#[derive(Deserialize, JsonSchema, Debug)]
#[schemars(rename = "Größe")]
struct Name(#[schemars(length(max = 3))] String);

#[prompt]
async fn named(
    rating: Option<Rating>,
    outer: Option<Outer>,
    #[schemars(range(max = 5))] plain: Option<Plain>,
    #[schemars(range(max = 3))] low: Option<Rating>,
    name: Option<Name>,
) -> String {
    let numbers = [
        rating.map(|rating| rating.0),
        outer.map(|outer| outer.0.0),
        plain.map(|plain| plain.0),
        low.map(|low| low.0),
    ];
    format!("{numbers:?} {:?}", name.map(|name| name.0))
}

#[derive(Deserialize, JsonSchema)]
struct Aliased {
    #[serde(alias = "n")]
    #[schemars(range(max = 5))]
    number: u32,
    rating: Option<Rating>,
}

#[prompt]
async fn aliased(aliased: Args<Aliased>) -> String {
    let rating = aliased.rating.as_ref().map(|rating| rating.0);
    format!("{} {rating:?}", aliased.number)
}

#[prompt]
async fn whole(whole: Args<Whole>) -> String {
    format!("{} {:?}", whole.number, whole.word)
}

#[resource("number://{number}{?word}")]
fn number(
    #[schemars(range(min = 1, max = 5))] number: i64,
    #[schemars(length(max = 3))] word: Option<String>,
) -> String {
    format!("{number} {word:?}")
}

fn server() -> Server {
    Server::builder("server", "1.0.0")
        .prompts(prompts![bounded, whole, named, aliased])
        .resources(resources![number])
        .build()
        .expect("nothing is wrong with it")
}

async fn get(name: &str, arguments: Value) -> Result<String, String> {
    let params = json!({"name": name, "arguments": arguments});
    let answer = rounds(&server(), "prompts/get", params, &json!({})).await;
    said(answer, |result| &result["messages"][0]["content"]["text"])
}

async fn read(uri: &str) -> Result<String, String> {
    let answer = rounds(&server(), "resources/read", json!({"uri": uri}), &json!({})).await;
    said(answer, |result| &result["contents"][0]["text"])
}

fn said(
    answer: Result<Value, mcp_client::Error>,
    text: impl Fn(&Value) -> &Value,
) -> Result<String, String> {
    match answer {
        Ok(result) => Ok(text(&result).as_str().expect("text").to_owned()),
        Err(mcp_client::Error::Rpc(RpcError { code, message, .. })) => {
            assert_eq!(code, -32602, "{message}");
            Err(message.into_owned())
        }
        Err(other) => panic!("{other}"),
    }
}

/// Each bound is compared with what the text stands for, and all that does not fit is named at once.
#[tokio::test]
async fn prompts_compare_their_bounds() {
    let fits = json!({"number": "5", "text": "abc", "half": "-1.5", "free": "9"});
    assert_eq!(
        get("bounded", fits).await,
        Ok("5 abc Some(-1.5) Some(9)".to_owned())
    );
    let fits = json!({"n": "+1", "text": "12"});
    assert_eq!(get("bounded", fits).await, Ok("1 12 None None".to_owned()));

    let refused = get("bounded", json!({"n": "6", "text": "a", "half": "1.75"})).await;
    let refused = refused.expect_err("three bounds are passed");
    for part in [
        "`/number` must be at most 5",
        "`/text` must be",
        "`/half` must be at most 1.5",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    let refused = get("bounded", json!({"number": "0", "text": "abcd"})).await;
    let refused = refused.expect_err("two bounds are passed");
    assert!(
        refused.contains("`/number` must be at least 1"),
        "{refused}"
    );
    assert!(refused.contains("at most 3 characters"), "{refused}");
    let refused = get("bounded", json!({"number": "five", "text": "abc"})).await;
    let refused = refused.expect_err("it is no number");
    assert!(refused.contains("`number`"), "{refused}");
}

#[tokio::test]
async fn structs_of_prompts_compare_theirs() {
    let fits = json!({"number": "5", "word": "abc"});
    assert_eq!(get("whole", fits).await, Ok("5 Some(\"abc\")".to_owned()));
    let refused = get("whole", json!({"number": "6", "word": "a1"})).await;
    let refused = refused.expect_err("two bounds are passed");
    assert!(refused.contains("`/number` must be at most 5"), "{refused}");
    assert!(
        refused.contains("`/word` must be a string that matches"),
        "{refused}"
    );
}

/// Bounds are in the type, on the parameter, or in both, and a name of the type's may stand in between.
#[tokio::test]
async fn bounds_of_named_types_are_compared_as_for_tools() {
    for (name, fits, passes) in [
        ("rating", "5", "6"),
        ("outer", "5", "6"),
        ("plain", "5", "6"),
        ("low", "3", "4"),
        ("name", "abc", "abcd"),
    ] {
        let accepted = get("named", json!({ name: fits })).await;
        assert!(accepted.is_ok(), "{name}: {accepted:?}");
        let refused = get("named", json!({ name: passes })).await;
        let refused = refused.expect_err(name);
        assert!(refused.contains(&format!("`/{name}` must be")), "{refused}");
    }
    for arguments in [
        json!({"n": "6"}),
        json!({"number": "6"}),
        json!({"n": "1", "rating": "6"}),
    ] {
        let refused = get("aliased", arguments.clone()).await;
        assert!(refused.is_err(), "{arguments}");
    }
    let fits = json!({"n": "5", "rating": "5"});
    assert_eq!(get("aliased", fits).await, Ok("5 Some(5)".to_owned()));
}

#[tokio::test]
async fn templates_compare_theirs() {
    assert_eq!(
        read("number://5?word=abc").await,
        Ok("5 Some(\"abc\")".to_owned())
    );
    let refused = read("number://6").await.expect_err("a bound is passed");
    assert!(refused.contains("`/number` must be at most 5"), "{refused}");
    let refused = read("number://5?word=abcd")
        .await
        .expect_err("a bound is passed");
    assert!(refused.contains("`/word` must be"), "{refused}");
}

#[test]
fn a_pattern_that_is_none_is_a_fault_of_the_prompt() {
    #[prompt]
    async fn odd(#[schemars(pattern("("))] word: String) -> String {
        word
    }
    let error = Server::builder("server", "1.0.0")
        .prompts(prompts![odd])
        .build();
    let error = error.expect_err("the pattern cannot be read").to_string();
    assert!(
        error.contains("prompt `odd`") && error.contains("bad pattern"),
        "{error}"
    );
}
