//! Sessions: what every message says, how they end, and what is sent beside requests.

use std::time::Duration;

use mcp_client::{Answer, Eras, Error, HttpTransport, Revision};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::support::{
    JSON, NEWEST, answer, begin, connect, connect_quiet, connect_to, done, event, initialized,
    is_in_session,
};
use crate::support::{Server, builder, call};

#[tokio::test]
async fn all_that_follows_the_handshake_says_session_and_version() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let server = Server::start().await;
        let transport = HttpTransport::new(server.url("/mcp"))
            .header("x-tenant", "acme")
            .header("mcp-session-id", "own")
            .header("last-event-id", "own");
        let begun = connect_to(server, builder(), transport, version, Some("s-1")).await;
        assert_eq!(begun.get.header("x-tenant"), Some("acme"));
        begun.get.respond("405 Method Not Allowed", "", "").await;
        let (client, server) = (begun.client, begun.server);
        assert_eq!(client.revision().as_str(), version);

        let calling = call(&client, "t", json!({}));
        let post = server.request("tools/call").await;
        is_in_session(&post, version, Some("s-1"));
        assert_eq!(post.header("x-tenant"), Some("acme"));
        assert_eq!(
            post.header("accept"),
            Some("application/json, text/event-stream")
        );
        post.reply(&done("ok")).await;
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");

        let ended = async {
            let delete = server.next().await;
            assert!(delete.is("DELETE"), "{}", delete.head);
            is_in_session(&delete, version, Some("s-1"));
            assert_eq!(delete.header("x-tenant"), Some("acme"));
            delete.respond("200 OK", "", "").await;
        };
        tokio::join!(client.close(), ended);
    }
}

#[tokio::test]
async fn a_server_without_sessions_gets_no_id_and_no_end() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp"));
    let begun = connect_to(server, builder(), transport, NEWEST, None).await;
    begun.get.respond("404 Not Found", "", "").await;
    let calling = call(&begun.client, "t", json!({}));
    let post = begun.server.request("tools/call").await;
    is_in_session(&post, NEWEST, None);
    // Without a session there is none that could have ended.
    post.respond("404 Not Found", "", "").await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(
            error,
            Error::RequestFailed {
                status: Some(404),
                ..
            }
        ),
        "{error}"
    );
    begun.client.close().await;
    begun.server.hears_nothing().await;
}

#[tokio::test]
async fn an_id_that_cannot_be_sent_back_fails_the_handshake() {
    let server = Server::start().await;
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        let post = server.request("initialize").await;
        let body = json!({"jsonrpc": "2.0", "id": post.id(), "result": initialized(NEWEST)});
        let headers = format!("{JSON}mcp-session-id: hunter 2\r\n");
        post.respond("200 OK", &headers, body.to_string()).await;
    };
    let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
    let (client, ()) = tokio::join!(connecting, answering);
    let error = client.unwrap_err().to_string();
    assert!(error.contains("session id"), "{error}");
    assert!(!error.contains("hunter"), "{error}");
    server.hears_nothing().await;
}

#[tokio::test]
async fn a_server_may_refuse_the_end_or_ignore_it() {
    for status in ["405 Method Not Allowed", "404 Not Found", "500 Oops", ""] {
        let (client, server) = connect_quiet(builder()).await;
        let ended = async {
            let delete = server.next().await;
            assert!(delete.is("DELETE"), "{}", delete.head);
            match status {
                "" => drop(delete.closed().await),
                status => delete.respond(status, "", "").await,
            }
        };
        let closing = timeout(Duration::from_secs(8), client.close());
        let (closed, ()) = tokio::join!(closing, ended);
        closed.unwrap();
    }
}

#[tokio::test]
async fn a_session_ends_even_if_the_server_did_not_take_its_beginning() {
    let server = Server::start().await;
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        let post = server.request("initialize").await;
        let body = json!({"jsonrpc": "2.0", "id": post.id(), "result": initialized(NEWEST)});
        let headers = format!("{JSON}mcp-session-id: s-1\r\n");
        post.respond("200 OK", &headers, body.to_string()).await;
        server.request("notifications/initialized").await
    };
    let connecting = builder().connect(HttpTransport::new(server.url("/mcp")));
    let (client, _unanswered) = tokio::join!(connecting, answering);
    let client = client.unwrap();
    let ended = async {
        let delete = server.next().await;
        assert!(delete.is("DELETE"), "{}", delete.head);
        assert_eq!(delete.header("mcp-session-id"), Some("s-1"));
        delete.respond("200 OK", "", "").await;
    };
    tokio::join!(client.close(), ended);
}

/// Long enough for a request to arrive on a machine that has much to do.
const IMPATIENT: Duration = Duration::from_secs(2);

/// The response names the session, and brings no answer.
#[tokio::test]
async fn a_session_ends_although_its_handshake_was_given_up() {
    let server = Server::start().await;
    let answering = async {
        let mut post = server.request("initialize").await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
        post.write(format!("{head}mcp-session-id: s-1\r\n\r\n"))
            .await;
        let delete = server.next().await;
        assert!(delete.is("DELETE"), "{}", delete.head);
        assert_eq!(delete.header("mcp-session-id"), Some("s-1"));
        delete.respond("200 OK", "", "").await;
        post.closed().await;
    };
    let pinned = builder()
        .revision(Revision::V2025_11_25)
        .probe_timeout(IMPATIENT);
    let connecting = pinned.connect(HttpTransport::new(server.url("/mcp")));
    let (client, ()) = tokio::join!(connecting, answering);
    let error = client.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
}

#[tokio::test]
async fn a_handshake_that_was_answered_with_an_error_leaves_no_session_to_end() {
    let server = Server::start().await;
    let answering = async {
        let post = server.request("initialize").await;
        let error = json!({"code": -32603, "message": "starting"});
        let body = json!({"jsonrpc": "2.0", "id": post.id(), "error": error});
        let headers = format!("{JSON}mcp-session-id: s-1\r\n");
        post.respond("200 OK", &headers, body.to_string()).await;
    };
    let pinned = builder().revision(Revision::V2025_11_25);
    let connecting = pinned.connect(HttpTransport::new(server.url("/mcp")));
    let (client, ()) = tokio::join!(connecting, answering);
    let error = client.unwrap_err();
    assert!(matches!(error, Error::Handshake { .. }), "{error}");
    server.hears_nothing().await;
}

/// The server is known to want a handshake, and does not answer the first one.
#[tokio::test]
async fn a_handshake_that_was_given_up_has_ended_when_another_one_comes() {
    let eras = Eras::new();
    let server = Server::start().await;
    let transport = || HttpTransport::new(server.url("/mcp"));
    let answering = async {
        let probe = server.request("server/discover").await;
        probe.respond("400 Bad Request", "", "").await;
        let get = begin(&server, NEWEST, None).await;
        get.respond("405 Method Not Allowed", "", "").await;
    };
    let (client, ()) = tokio::join!(builder().eras(&eras).connect(transport()), answering);
    client.unwrap().close().await;

    let answering = async {
        let given_up = server.request("initialize").await;
        let probe = server.request("server/discover").await;
        given_up.closed().await;
        probe.respond("400 Bad Request", "", "").await;
        begin(&server, NEWEST, Some("s-1")).await
    };
    let impatient = builder().eras(&eras).probe_timeout(IMPATIENT);
    let (client, get) = tokio::join!(impatient.connect(transport()), answering);
    get.respond("405 Method Not Allowed", "", "").await;
    let client = client.unwrap();
    let calling = call(&client, "t", json!({}));
    let post = server.request("tools/call").await;
    is_in_session(&post, NEWEST, Some("s-1"));
    post.reply(&done("ok")).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn errors_do_not_repeat_the_session() {
    let begun = connect(builder(), "hunter2").await;
    begun.get.respond("405 Method Not Allowed", "", "").await;
    let calling = call(&begun.client, "t", json!({}));
    let post = begun.server.request("tools/call").await;
    post.respond(
        "400 Bad Request",
        "content-type: text/plain\r\n",
        "bad: hunter2",
    )
    .await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("bad: "), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    assert!(!format!("{:?}", begun.client).contains("hunter2"));
}

#[tokio::test]
async fn giving_up_closes_the_stream_and_says_so() {
    let (client, server) = connect_quiet(builder()).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    let id = post.id();
    post.begin_stream().await;
    post.write("id: 1\ndata: \n\n").await;
    calling.abort();
    post.closed().await;
    let cancelled = server.request("notifications/cancelled").await;
    is_in_session(&cancelled, NEWEST, Some("s-1"));
    assert_eq!(cancelled.json()["params"]["requestId"], id);
    cancelled.respond("202 Accepted", "", "").await;
    // Nothing is taken up again.
    server.hears_nothing().await;
}

#[tokio::test]
async fn questions_on_the_stream_of_a_call_are_answered_by_messages() {
    let asking = builder().on_form(|_| async { Ok(Answer::accept(json!({"name": "Ada"}))?) });
    let (client, server) = connect_quiet(asking).await;
    for accepted in ["202 Accepted", "200 OK", "204 No Content"] {
        let calling = call(&client, "t", json!({}));
        let mut post = server.request("tools/call").await;
        post.begin_stream().await;
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let question = json!({"jsonrpc": "2.0", "id": "q-1", "method": "elicitation/create",
            "params": {"message": "Who?", "requestedSchema": schema}});
        post.write(event("1", &question)).await;
        let answered = server.next().await;
        assert!(answered.is("POST"));
        is_in_session(&answered, NEWEST, Some("s-1"));
        let expected = json!({"jsonrpc": "2.0", "id": "q-1",
            "result": {"action": "accept", "content": {"name": "Ada"}}});
        assert_eq!(answered.json(), expected);
        answered.respond(accepted, "", "").await;
        let last = answer(&post.id(), "ok");
        post.write(event("2", &last)).await;
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_delivered_ends_nothing() {
    let asking = builder().on_form(|_| async { Ok(Answer::accept(json!({}))?) });
    let (client, server) = connect_quiet(asking).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    post.begin_stream().await;
    let question = json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
    post.write(event("1", &question)).await;
    let answered = server.next().await;
    answered.respond("400 Bad Request", "", "").await;
    let last = answer(&post.id(), "without");
    post.write(event("2", &last)).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "without");
}

#[tokio::test]
async fn an_answer_that_is_lost_on_the_way_is_sent_again() {
    let asking = builder().on_form(|_| async { Ok(Answer::accept(json!({}))?) });
    let (client, server) = connect_quiet(asking).await;
    let calling = call(&client, "t", json!({}));
    let mut post = server.request("tools/call").await;
    post.begin_stream().await;
    let question = json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
    post.write(event("1", &question)).await;
    let lost = server.next().await;
    let said = lost.json();
    drop(lost);
    let refused = server.next().await;
    assert_eq!(refused.json(), said);
    refused.respond("503 Service Unavailable", "", "").await;
    let answered = server.next().await;
    assert_eq!(answered.json(), said);
    answered.respond("202 Accepted", "", "").await;
    let last = answer(&post.id(), "ok");
    post.write(event("2", &last)).await;
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    server.hears_nothing().await;
}

#[tokio::test]
async fn batches_are_taken_apart() {
    let server = Server::start().await;
    let transport = HttpTransport::new(server.url("/mcp"));
    let begun = connect_to(server, builder(), transport, "2025-03-26", None).await;
    begun.get.respond("405 Method Not Allowed", "", "").await;
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "info", "data": "half way"}});
    for streamed in [false, true] {
        let calling = call(&begun.client, "t", json!({}));
        let post = begun.server.request("tools/call").await;
        let batch = json!([log, answer(&post.id(), "ok")]).to_string();
        match streamed {
            false => post.respond("200 OK", JSON, batch).await,
            true => post.stream(format!("data: {batch}\n\n")).await,
        }
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    }
    let calling = call(&begun.client, "t", json!({}));
    let post = begun.server.request("tools/call").await;
    post.respond("200 OK", JSON, json!([log]).to_string()).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("without the answer"), "{error}");
    assert_eq!(begun.client.skipped_lines(), 0);
}

#[tokio::test]
async fn a_question_belongs_to_the_call_on_whose_stream_it_comes() {
    let (ask, mut asked) = mpsc::unbounded_channel();
    let (go_on, gate) = watch::channel(false);
    let asking = builder().on_form(move |question| {
        ask.send(question.asker.target).unwrap();
        let mut gate = gate.clone();
        async move {
            gate.wait_for(|open| *open).await?;
            Ok(Answer::accept(json!({}))?)
        }
    });
    let (client, server) = connect_quiet(asking).await;
    let first = call(&client, "first", json!({}));
    let mut first_post = server.request("tools/call").await;
    let second = call(&client, "second", json!({}));
    let second_post = server.request("tools/call").await;
    first_post.begin_stream().await;
    let question = json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
    first_post.write(event("1", &question)).await;
    assert_eq!(asked.recv().await.unwrap(), "first");
    // Another call that is given up takes its own questions along, and no others.
    second.abort();
    let cancelled = server.request("notifications/cancelled").await;
    assert_eq!(cancelled.json()["params"]["requestId"], second_post.id());
    cancelled.respond("202 Accepted", "", "").await;
    go_on.send(true).unwrap();
    let answered = server.next().await;
    assert_eq!(
        answered.json()["result"]["action"],
        "accept",
        "{}",
        answered.body
    );
    answered.respond("202 Accepted", "", "").await;
    let last = answer(&first_post.id(), "ok");
    first_post.write(event("2", &last)).await;
    assert_eq!(first.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test]
async fn a_question_of_a_session_that_is_over_is_not_answered_to_the_next_one() {
    let asking = builder().on_form(|_| async { Ok(Answer::accept(json!({}))?) });
    let (client, server) = connect_quiet(asking).await;
    let first = call(&client, "first", json!({}));
    let mut first_post = server.request("tools/call").await;
    first_post.begin_stream().await;
    let second = call(&client, "second", json!({}));
    let post = server.request("tools/call").await;
    post.respond("404 Not Found", "", "").await;
    let get = begin(&server, NEWEST, Some("s-2")).await;
    get.respond("405 Method Not Allowed", "", "").await;
    let mut second_post = server.request("tools/call").await;
    is_in_session(&second_post, NEWEST, Some("s-2"));
    second_post.begin_stream().await;
    // Its ids begin anew.
    let question = |message: &str| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create",
            "params": {"message": message, "requestedSchema": {"type": "object", "properties": {}}}})
    };
    first_post.write(event("1", &question("old"))).await;
    server.hears_nothing().await;
    second_post.write(event("1", &question("new"))).await;
    let answered = server.next().await;
    is_in_session(&answered, NEWEST, Some("s-2"));
    assert_eq!(answered.json()["result"]["action"], "accept");
    answered.respond("202 Accepted", "", "").await;
    // Answers of the old one are taken.
    for (mut post, calling) in [(first_post, first), (second_post, second)] {
        let last = answer(&post.id(), "ok");
        post.write(event("2", &last)).await;
        assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
    }
}

#[tokio::test]
async fn an_answer_on_another_stream_ends_the_request_on_its_own() {
    let begun = connect(builder(), "s-1").await;
    let (client, server, mut get) = (begun.client, begun.server, begun.get);
    get.begin_stream().await;
    let on_get = call(&client, "t", json!({}));
    let mut on_get_post = server.request("tools/call").await;
    on_get_post.begin_stream().await;
    let other = call(&client, "t", json!({}));
    let mut other_post = server.request("tools/call").await;
    other_post.begin_stream().await;
    get.write(event("1", &answer(&on_get_post.id(), "on the GET")))
        .await;
    assert_eq!(on_get.await.unwrap().unwrap().text(), "on the GET");
    on_get_post.closed().await;

    let on_other = call(&client, "t", json!({}));
    let on_other_post = server.request("tools/call").await;
    let said = answer(&on_other_post.id(), "on another call's");
    other_post.write(event("1", &said)).await;
    assert_eq!(on_other.await.unwrap().unwrap().text(), "on another call's");
    on_other_post.closed().await;
    let last = answer(&other_post.id(), "ok");
    other_post.write(event("2", &last)).await;
    assert_eq!(other.await.unwrap().unwrap().text(), "ok");
}
