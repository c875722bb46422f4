//! Resources: their lists, reading them, and what is in them.

use mcp_client::protocol::ReadResourceResult;
use mcp_client::{Answer, Client, Error, Kind, Round};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{answering, asks, builder, confirm, connect};

fn read(client: &Client, uri: &str) -> JoinHandle<Result<ReadResourceResult, Error>> {
    let (client, uri) = (client.clone(), uri.to_owned());
    tokio::spawn(async move { client.read_resource(uri).await })
}

fn text(text: &str) -> Value {
    json!({"contents": [{"uri": "x://a", "text": text}], "ttlMs": 0, "cacheScope": "private"})
}

#[tokio::test(start_paused = true)]
async fn resources_and_templates_are_listed_from_all_pages() {
    let (client, mut fake) = connect(builder()).await;
    let lists = tokio::spawn(async move {
        let resources = client.list_resources().await?;
        Ok::<_, Error>((resources, client.list_resource_templates().await?))
    });
    let request = fake.request("resources/list").await;
    let page = json!({"resources": [{"uri": "x://a", "name": "a"}, 5], "nextCursor": "2"});
    fake.reply(&request, page).await;
    let request = fake.request("resources/list").await;
    assert_eq!(request.params()["cursor"], "2");
    let page = json!({"resources": [{"uri": "x://b", "name": "b"}]});
    fake.reply(&request, page).await;
    let request = fake.request("resources/templates/list").await;
    let page = json!({"resourceTemplates": [{"uriTemplate": "x://{id}", "name": "t"}, {}]});
    fake.reply(&request, page).await;
    let (resources, templates) = lists.await.unwrap().unwrap();
    let uris: Vec<_> = resources
        .iter()
        .map(|resource| resource.uri.as_str())
        .collect();
    assert_eq!(uris, ["x://a", "x://b"]);
    assert_eq!(templates.len(), 1);
    assert_eq!(templates[0].uri_template, "x://{id}");
}

#[tokio::test(start_paused = true)]
async fn text_is_text_and_a_blob_is_bytes() {
    let (client, mut fake) = connect(builder()).await;
    let reading = read(&client, "x://dir");
    let request = fake.request("resources/read").await;
    assert_eq!(request.params()["uri"], "x://dir");
    let contents = json!([
        {"uri": "x://t", "text": "h\u{e9}"},
        {"uri": "x://b", "blob": "+//+"},
        // Unpadded, in the other alphabet, and text by its MIME type: still bytes.
        {"uri": "x://u", "blob": "-_8", "mimeType": "text/plain"},
        {"uri": "x://e", "blob": ""},
        {"uri": "x://w", "blob": "*"},
    ]);
    fake.reply(&request, json!({"contents": contents})).await;
    let contents = reading.await.unwrap().unwrap().contents;
    assert_eq!(contents[0].text(), Some("h\u{e9}"));
    assert_eq!(contents[0].bytes().unwrap(), "h\u{e9}".as_bytes());
    assert_eq!(contents[0].mime_type(), None);
    let bytes: [&[u8]; 3] = [&[0xfb, 0xff, 0xfe], &[0xfb, 0xff], &[]];
    for (contents, expected) in contents[1..4].iter().zip(bytes) {
        assert_eq!(contents.text(), None);
        assert_eq!(&*contents.bytes().unwrap(), expected);
    }
    assert!(contents[4].bytes().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_resource_may_ask_and_the_answers_and_the_state_go_back() {
    let (builder, shown) = answering(json!({"confirm": true}));
    let (client, mut fake) = connect(builder).await;
    let reading = read(&client, "x://a");
    let first = fake.request("resources/read").await;
    fake.reply(&first, asks(json!({"k": confirm("Open it?")}), json!("s")))
        .await;
    let second = fake.request("resources/read").await;
    assert_eq!(second.params()["uri"], "x://a");
    assert_eq!(second.params()["requestState"], "s");
    assert_eq!(second.params()["inputResponses"]["k"]["action"], "accept");
    fake.reply(&second, text("opened")).await;
    let contents = reading.await.unwrap().unwrap().contents;
    assert_eq!(contents[0].text(), Some("opened"));
    assert_eq!(*shown.lock().unwrap(), ["Open it?"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_hands_the_questions_of_a_resource_back() {
    let (client, mut fake) = connect(builder()).await;
    let session = client.session().declare(Kind::Form);
    let asking = session.clone();
    let reading = tokio::spawn(async move { asking.read_resource("x://a").await });
    let first = fake.request("resources/read").await;
    fake.reply(&first, asks(json!({"k": confirm("?")}), json!("s")))
        .await;
    let Round::InputRequired(mut paused) = reading.await.unwrap().unwrap() else {
        panic!("it asked")
    };
    paused.answer("k", Answer::Cancel).unwrap();
    let resuming = tokio::spawn(async move { paused.resume_resource(&session).await });
    let second = fake.request("resources/read").await;
    assert_eq!(
        second.params()["inputResponses"]["k"],
        json!({"action": "cancel"})
    );
    fake.reply(&second, text("kept shut")).await;
    let Round::Complete(read) = resuming.await.unwrap().unwrap() else {
        panic!("it was answered")
    };
    assert_eq!(read.contents[0].text(), Some("kept shut"));
}

async fn failure(error: Value) -> Error {
    let (client, mut fake) = connect(builder()).await;
    let reading = read(&client, "x://gone");
    let request = fake.request("resources/read").await;
    fake.fail(&request, error).await;
    reading.await.unwrap().unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_missing_resource_is_an_error_of_its_own_also_from_older_servers() {
    for error in [
        json!({"code": -32602, "message": "m", "data": {"uri": "x://gone"}}),
        json!({"code": -32002, "message": "m", "data": {"uri": "x://gone"}}),
        json!({"code": -32002, "message": "m"}),
    ] {
        let code = error["code"].as_i64();
        let error = failure(error).await;
        assert!(
            matches!(&error, Error::ResourceNotFound { uri, .. } if uri == "x://gone"),
            "{error}"
        );
        assert_eq!(error.code().map(i64::from), code);
    }
    // Parameters that are wrong in another way.
    for error in [
        json!({"code": -32602, "message": "m"}),
        json!({"code": -32602, "message": "m", "data": {"uri": 5}}),
        json!({"code": -32603, "message": "m", "data": {"uri": "x://gone"}}),
    ] {
        let error = failure(error).await;
        assert!(matches!(error, Error::Rpc(_)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_errors_mean_something_else_on_other_methods() {
    let (client, mut fake) = connect(builder()).await;
    let getting = tokio::spawn(async move { client.get_prompt("p", ()).await });
    let request = fake.request("prompts/get").await;
    let error = json!({"code": -32602, "message": "m", "data": {"uri": "x://gone"}});
    fake.fail(&request, error).await;
    let error = getting.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Rpc(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_resource_is_no_missing_one() {
    let (client, mut fake) = connect(builder()).await;
    let reading = read(&client, "x://a");
    let request = fake.request("resources/read").await;
    fake.reply(
        &request,
        json!({"contents": [], "ttlMs": -5, "cacheScope": "x"}),
    )
    .await;
    let result = reading.await.unwrap().unwrap();
    assert_eq!((result.contents.len(), result.ttl_ms), (0, Some(0)));
}
