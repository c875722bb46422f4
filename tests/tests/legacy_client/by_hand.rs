//! Calls that a host drives itself.

use mcp_client::{Answer, Builder, Client, Kind, Round};
use mcp_server::prelude::*;
use serde_json::json;

use crate::support::{ASKING, connect, order};

#[tokio::test]
async fn the_open_call_looks_like_rounds() {
    let server = Server::builder("shop", "1.0.0")
        .tools(tools![order])
        .build()
        .unwrap();
    for revision in ASKING {
        let host: Builder = Client::builder("host", "1.0.0").declare(Kind::Form);
        let (client, record) = connect(&server, host, revision).await;
        let session = client.session();
        let mut round = session.call_tool("order", json!({})).await.unwrap();
        let mut asked = Vec::new();
        let called = loop {
            let mut paused = match round {
                Round::Complete(called) => break called,
                Round::InputRequired(paused) => paused,
            };
            let keys: Vec<_> = paused
                .requests()
                .iter()
                .map(|one| one.key().to_owned())
                .collect();
            for key in &keys {
                let content = match key.as_str() {
                    "amount" => json!({"amount": 3}),
                    _ => json!({"confirm": false}),
                };
                paused
                    .answer(key, Answer::accept(content).unwrap())
                    .unwrap();
            }
            asked.push(keys);
            round = paused.resume(&session).await.unwrap();
        };
        // Both questions of the first round come together, under the names of the parameters.
        assert_eq!(asked, [vec!["amount", "wrapped"], vec!["really"]]);
        assert_eq!(called.text(), "3 false false");
        assert_eq!(called.rounds, 3);
        record.check(revision);
    }
}
