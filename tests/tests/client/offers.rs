//! Prompts, resources and completions, from the macros to the client's functions.

use mcp_client::protocol::{CompletionReference, ContentBlock};
use mcp_client::{Answer, Error, Kind, Round, expand};
use mcp_server::prelude::*;
use serde_json::json;

use crate::support::{connect, host};

#[derive(Deserialize, JsonSchema, Form)]
struct Consent {
    agreed: bool,
}

/// Reviews code.
#[prompt]
async fn review(
    #[complete("Rust", "Ruby", "Python")] language: String,
    code: Option<String>,
) -> String {
    format!("{language}: {code:?}")
}

#[prompt]
async fn asking(#[elicit("Really?")] consent: Resolve<Consent>) -> String {
    format!("{}", consent.agreed)
}

#[resource("note://{id}{?part,line}")]
async fn note(id: &str, part: Option<String>, line: Option<u32>) -> Option<String> {
    (id != "gone").then(|| format!("{id} {part:?} {line:?}"))
}

#[resource("blob://small", mime_type = "text/plain")]
async fn small() -> Vec<u8> {
    vec![0xFB, 0xFF, 0xFE]
}

#[resource("note://secret/{id}")]
async fn secret(id: u32, #[elicit("Show {id}?")] consent: Resolve<Consent>) -> String {
    format!("{id} {}", consent.agreed)
}

fn server() -> Server {
    Server::builder("notes", "1.0.0")
        .list_ttl(std::time::Duration::from_secs(600))
        .prompts(prompts![review, asking])
        .resources(resources![note, small, secret])
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_prompt_is_listed_completed_and_filled_in() {
    let (client, _) = connect(&server(), host()).await;
    let prompts = client.list_prompts().await.unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["review", "asking"]);
    let reference = CompletionReference::prompt("review");
    let suggested = client.complete(reference, "language", "Ru", ()).await;
    assert_eq!(suggested.unwrap().values, ["Rust", "Ruby"]);
    let arguments = json!({"language": "Rust", "code": null});
    let prompt = client.get_prompt("review", arguments).await.unwrap();
    let ContentBlock::Text(text) = &prompt.messages[0].content else {
        panic!("text was meant")
    };
    assert_eq!(text.text, "Rust: None");
    let error = client.get_prompt("nobody", ()).await.unwrap_err();
    assert_eq!(error.code(), Some(-32602));
}

#[tokio::test]
async fn prompts_and_resources_ask_and_nothing_of_it_is_kept() {
    let asked = host().on_form(|_| async { Ok(Answer::accept(json!({"agreed": true}))?) });
    let (client, record) = connect(&server(), asked).await;
    let prompt = client.get_prompt("asking", ()).await.unwrap();
    assert_eq!(prompt.messages.len(), 1);
    for _ in 0..2 {
        let read = client.read_resource("note://secret/7").await.unwrap();
        assert_eq!(read.contents[0].text(), Some("7 true"));
    }
    assert_eq!(record.requests("resources/read"), 4);
}

#[tokio::test]
async fn a_session_goes_round_by_round() {
    let (client, _) = connect(&server(), host()).await;
    let session = client.session().declare(Kind::Form);
    let Round::InputRequired(mut paused) = session.read_resource("note://secret/7").await.unwrap()
    else {
        panic!("it asks first")
    };
    let answer = Answer::accept(json!({"agreed": false})).unwrap();
    paused.answer("consent", answer).unwrap();
    let Round::Complete(read) = paused.resume_resource(&session).await.unwrap() else {
        panic!("everything is answered")
    };
    assert_eq!(read.contents[0].text(), Some("7 false"));
}

/// Field reports: values with reserved characters, variables of a query left out or in any order.
#[tokio::test]
async fn what_the_client_expands_the_server_takes_apart() {
    let (client, _) = connect(&server(), host()).await;
    let templates = client.list_resource_templates().await.unwrap();
    let template = &templates[0].uri_template;
    for (values, expected) in [
        (vec![("id", "7")], "7 None None"),
        (vec![("line", "5"), ("id", "a b")], "a b None Some(5)"),
        (
            vec![("id", "é&?#"), ("part", "x&y=z"), ("line", "1")],
            r#"é&?# Some("x&y=z") Some(1)"#,
        ),
    ] {
        let uri = expand(template, values).unwrap();
        let read = client.read_resource(&uri).await.unwrap();
        assert_eq!(read.contents[0].text(), Some(expected), "{uri}");
    }
}

#[tokio::test]
async fn bytes_stay_bytes_and_what_is_not_there_is_an_error_of_its_own() {
    let (client, _) = connect(&server(), host()).await;
    let read = client.read_resource("blob://small").await.unwrap();
    assert_eq!(read.contents[0].text(), None);
    assert_eq!(&*read.contents[0].bytes().unwrap(), [0xFB, 0xFF, 0xFE]);
    for uri in ["note://gone", "nobody://knows"] {
        let error = client.read_resource(uri).await.unwrap_err();
        assert!(matches!(error, Error::ResourceNotFound { .. }), "{error}");
    }
}
