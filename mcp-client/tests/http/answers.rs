//! What counts as an answer: media types, statuses, bodies.

use mcp_client::Error;
use serde_json::json;

use crate::support::{builder, call, connect_listed, done, response};

#[tokio::test]
async fn media_types_are_compared_without_case_and_parameters() {
    let (client, server) = connect_listed(builder()).await;
    for (media_type, streamed) in [
        ("application/json", false),
        ("Application/JSON; charset=UTF-8", false),
        ("application/json;charset=utf-8", false),
        ("text/event-stream", true),
        ("text/event-stream;charset=utf-8", true),
        ("Text/Event-Stream ; charset=\"utf-8\"", true),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let message = response(&post.id(), &done(media_type));
        let body = if streamed {
            format!("data: {message}\n\n")
        } else {
            message
        };
        post.respond("200 OK", &format!("Content-Type: {media_type}\r\n"), body)
            .await;
        assert_eq!(calling.await.unwrap().unwrap().text(), media_type);
    }
}

#[tokio::test]
async fn a_body_may_be_set_out_over_lines_and_begin_with_a_mark() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let message = json!({"jsonrpc": "2.0", "id": post.id(), "result": done("ok")});
    let body = format!(
        "\u{feff}{}\r\n",
        serde_json::to_string_pretty(&message).unwrap()
    );
    post.respond("200 OK", "content-type: application/json\r\n", body)
        .await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn an_error_is_the_answer_whatever_the_status() {
    let (client, server) = connect_listed(builder()).await;
    for (status, code) in [
        ("200 OK", -32602),
        ("400 Bad Request", -32602),
        ("404 Not Found", -32601),
        ("413 Content Too Large", -32600),
        ("500 Internal Server Error", -32603),
        ("503 Service Unavailable", -32000),
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.fail(
            status,
            json!({"code": code, "message": "no", "data": {"a": 1}}),
        )
        .await;
        let error = calling.await.unwrap().unwrap_err();
        let Error::Rpc(error) = error else {
            panic!("{error}")
        };
        assert_eq!((error.code, &*error.message), (code, "no"));
        assert_eq!(error.data, Some(json!({"a": 1})));
    }
}

#[tokio::test]
async fn an_error_without_our_id_belongs_to_the_request_that_it_answers() {
    let (client, server) = connect_listed(builder()).await;
    for id in ["", r#""id":null,"#, r#""id":"server-error","#] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        let body = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"no"}}}}"#);
        post.respond(
            "400 Bad Request",
            "content-type: application/json\r\n",
            body,
        )
        .await;
        assert_eq!(calling.await.unwrap().unwrap_err().code(), Some(-32700));
    }
}

#[tokio::test]
async fn a_missing_capability_is_named() {
    let (client, server) = connect_listed(builder()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let data = json!({"requiredCapabilities": {"sampling": {}}});
    post.fail(
        "400 Bad Request",
        json!({"code": -32021, "message": "no", "data": data}),
    )
    .await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, Error::MissingCapability { required, .. } if *required == json!({"sampling": {}}))
    );
}

#[tokio::test]
async fn what_is_no_response_to_the_request_fails_it() {
    let (client, server) = connect_listed(builder()).await;
    for body in [
        r#"{"jsonrpc":"2.0","id":999999,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        r#"{"jsonrpc":"2.0","id":1,"#,
        "<html></html>",
        "",
        "\u{0}",
    ] {
        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        post.respond("200 OK", "content-type: application/json\r\n", body)
            .await;
        let error = calling.await.unwrap().unwrap_err();
        assert!(
            matches!(error, Error::InvalidResult { .. }),
            "{body}: {error}"
        );
    }
    assert!(!client.is_closed());
}

#[tokio::test]
async fn a_result_is_kept_to_the_last_digit() {
    let (client, server) = connect_listed(builder().without_output_validation()).await;
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    let id = post.id();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{{"n":9007199254740993}}}}}}"#
    );
    post.respond("200 OK", "content-type: application/json\r\n", body)
        .await;
    #[derive(serde::Deserialize)]
    struct Number {
        n: u64,
    }
    let number: Number = calling.await.unwrap().unwrap().structured().unwrap();
    assert_eq!(number.n, 9_007_199_254_740_993);
}
