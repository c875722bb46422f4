//! The scripted host, with the same script in every revision.

use mcp_client::Revision;
use mcp_server::prelude::*;
use mcp_server::testing::{BodyCount, TestHost};
use serde_json::json;

use crate::support::{ASKING, confirm, list_roots, order, write_line};

fn server() -> (Server, BodyCount) {
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![confirm, order, write_line, list_roots])
        .layer(bodies.clone())
        .build()
        .unwrap();
    (server, bodies)
}

fn asking() -> impl Iterator<Item = Revision> {
    ASKING.into_iter().chain([Revision::LATEST])
}

#[tokio::test]
async fn a_tool_cannot_tell_which_client_it_asks() {
    for revision in asking() {
        let (server, bodies) = server();
        let host = TestHost::new(&server)
            .revision(revision)
            .answer("amount", json!({"amount": 2}))
            .answer("wrapped", json!({"confirm": false}))
            .answer("really", json!({"confirm": true}));
        let call = host.call("order", json!({})).await;
        call.assert_text("2 false true");
        call.assert_asked(["amount", "wrapped", "really"]);
        call.assert_all_used();
        assert_eq!(call.rounds, 3, "{revision}");
        let really = call.question("really");
        assert_eq!(really.message, "Really 2, wrapped: false?");
        assert_eq!(really.round, 2);
        bodies.assert_ran("order", 1);
    }
}

#[tokio::test]
async fn refusals_and_careless_answers_are_the_same() {
    for revision in asking() {
        let (server, bodies) = server();
        let host = TestHost::new(&server).revision(revision).decline("answer");
        let call = host.call("confirm", json!({"what": "it"})).await;
        call.assert_text("it: declined");
        let host = TestHost::new(&server)
            .revision(revision)
            .respond(
                "amount",
                json!({"action": "accept", "content": {"amount": 12}}),
            )
            .answer("amount", json!({"amount": 9}))
            .answer("wrapped", json!({"confirm": true}))
            .answer("really", json!({"confirm": true}));
        let call = host.call("order", json!({})).await;
        call.assert_text("9 true true");
        let asked: Vec<_> = call.questions.iter().map(|q| q.key.as_str()).collect();
        assert_eq!(
            asked.iter().filter(|key| **key == "amount").count(),
            2,
            "{revision}"
        );
        bodies.assert_ran("order", 1);
    }
}

#[tokio::test]
async fn completions_and_roots_are_scripted_in_every_revision() {
    for revision in Revision::SUPPORTED {
        let (server, _) = server();
        let said = json!({"role": "assistant", "content": {"type": "text", "text": "Round."}, "model": "m-1"});
        let host = TestHost::new(&server)
            .revision(*revision)
            .can_ask([Kind::Sampling, Kind::Roots])
            .respond("line", said)
            .respond("roots", json!({"roots": [{"uri": "file:///a"}]}));
        let call = host.call("write_line", json!({})).await;
        call.assert_text("\"Round.\" by m-1");
        let call = host.call("list_roots", json!({})).await;
        call.assert_text("file:///a");
        call.assert_asked(["roots"]);
    }
}
