//! Every kind of question, in every revision that has it, through the host's handlers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_client::{Answer, Client, Error, HandlerError, Revision};
use mcp_server::{GetPromptResult, prelude::*};
use serde_json::json;
use tokio::time::sleep;

use crate::support::{ASKING, Confirm, confirm, connect, host, list_roots, order, write_line};

/// Greets by the name that the user gives.
#[prompt]
async fn greeting(#[elicit("Formal?")] formal: Resolve<Confirm>) -> String {
    format!("formal: {}", formal.confirm)
}

/// What only those may read who confirm.
#[resource("shop://secret")]
async fn secret(#[elicit("Show it?")] show: Resolve<Confirm>) -> String {
    format!("shown: {}", show.confirm)
}

fn server() -> Server {
    Server::builder("shop", "1.0.0")
        .tools(tools![confirm, order, write_line, list_roots])
        .prompts(prompts![greeting])
        .resources(resources![secret])
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_form_is_filled_in_on_the_open_call() {
    for revision in ASKING {
        let (client, record) = connect(&server(), host(), revision).await;
        let called = client.call_tool("confirm", json!({"what": "it"})).await;
        assert_eq!(called.unwrap().text(), "it: true");
        assert_eq!(record.requests("elicitation/create"), 1);
        record.check(revision);
    }
}

#[tokio::test]
async fn refusals_reach_the_tool() {
    for revision in ASKING {
        for (answer, said) in [
            (Answer::Decline, "it: declined"),
            (Answer::Cancel, "it: closed"),
        ] {
            let host = Client::builder("host", "1.0.0").on_form(move |_| {
                let answer = answer.clone();
                async move { Ok(answer) }
            });
            let (client, record) = connect(&server(), host, revision).await;
            let called = client.call_tool("confirm", json!({"what": "it"})).await;
            assert_eq!(called.unwrap().text(), said);
            record.check(revision);
        }
    }
}

#[tokio::test]
async fn questions_may_depend_on_each_other() {
    for revision in ASKING {
        let (client, record) = connect(&server(), host(), revision).await;
        let called = client.call_tool("order", json!({})).await.unwrap();
        assert_eq!(called.text(), "7 true true");
        assert_eq!(record.requests("tools/call"), 1);
        assert_eq!(record.requests("elicitation/create"), 3);
        record.check(revision);
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_as_well() {
    for revision in ASKING {
        let (client, record) = connect(&server(), host(), revision).await;
        let prompt: GetPromptResult = client.get_prompt("greeting", ()).await.unwrap();
        let prompt = serde_json::to_value(&prompt.messages[0]).unwrap();
        assert_eq!(prompt["content"]["text"], "formal: true");
        let read = client.read_resource("shop://secret").await.unwrap();
        assert_eq!(read.contents[0].text(), Some("shown: true"));
        record.check(revision);
    }
}

#[tokio::test]
async fn completions_and_roots_reach_the_tool_in_every_revision() {
    for revision in Revision::LEGACY {
        let (client, record) = connect(&server(), host(), *revision).await;
        let called = client.call_tool("write_line", json!({})).await.unwrap();
        assert_eq!(called.text(), "\"Eggs are round.\" by m-1");
        let called = client.call_tool("list_roots", json!({})).await.unwrap();
        assert_eq!(called.text(), "file:///a file:///b");
        record.check(*revision);
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_tool_says_so() {
    for revision in Revision::LEGACY {
        let unable = Client::builder("host", "1.0.0");
        let (client, record) = connect(&server(), unable, *revision).await;
        for (tool, arguments) in [
            ("confirm", json!({"what": "it"})),
            ("write_line", json!({})),
            ("list_roots", json!({})),
        ] {
            let called = client.call_tool(tool, arguments).await.unwrap();
            assert!(called.is_error(), "{tool} in {revision}");
        }
        assert_eq!(record.requests("elicitation/create"), 0);
        record.check(*revision);
    }
    // The oldest revisions have no forms, whatever the host can show.
    for revision in [Revision::V2024_11_05, Revision::V2025_03_26] {
        let (client, _) = connect(&server(), host(), revision).await;
        let called = client.call_tool("confirm", json!({"what": "it"})).await;
        assert!(called.unwrap().is_error());
    }
}

#[tokio::test]
async fn a_handler_that_fails_ends_the_call_with_an_error_for_the_model() {
    for revision in ASKING {
        let failing = Client::builder("host", "1.0.0")
            .on_form(|_| async { Err::<Answer, HandlerError>("a secret".into()) });
        let (client, record) = connect(&server(), failing, revision).await;
        let called = client.call_tool("confirm", json!({"what": "it"})).await;
        let called = called.unwrap();
        assert!(called.is_error());
        assert!(!called.text().contains("a secret"));
        record.check(revision);
    }
}

#[tokio::test]
async fn people_may_take_longer_than_a_request() {
    for revision in ASKING {
        let slow = Client::builder("host", "1.0.0")
            .request_timeout(Duration::from_millis(300))
            .on_form(|_| async {
                sleep(Duration::from_millis(900)).await;
                Ok::<_, HandlerError>(Answer::accept(json!({"confirm": true}))?)
            });
        let (client, _) = connect(&server(), slow, revision).await;
        let called = client.call_tool("confirm", json!({"what": "it"})).await;
        assert_eq!(called.unwrap().text(), "it: true");
    }
}

#[tokio::test]
async fn calls_side_by_side_get_their_own_answers() {
    for revision in ASKING {
        let (client, record) = connect(&server(), host(), revision).await;
        let calls = ["a", "b", "c"].map(|what| {
            let client = client.clone();
            tokio::spawn(async move { client.call_tool("confirm", json!({"what": what})).await })
        });
        for (call, what) in calls.into_iter().zip(["a", "b", "c"]) {
            let called = call.await.unwrap().unwrap();
            assert_eq!(called.text(), format!("{what}: true"));
        }
        record.check(revision);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_question_along() {
    for revision in ASKING {
        let open = Arc::new(AtomicBool::new(false));
        let is_open = Arc::clone(&open);
        let waiting = Client::builder("host", "1.0.0")
            .overall_deadline(Duration::from_millis(300))
            .on_form(move |_| {
                struct Open(Arc<AtomicBool>);
                impl Drop for Open {
                    fn drop(&mut self) {
                        self.0.store(false, Ordering::SeqCst);
                    }
                }
                is_open.store(true, Ordering::SeqCst);
                let open = Open(Arc::clone(&is_open));
                async move {
                    let _open = open;
                    std::future::pending().await
                }
            });
        let (client, record) = connect(&server(), waiting, revision).await;
        let called = client.call_tool("confirm", json!({"what": "it"})).await;
        assert!(matches!(called, Err(Error::Deadline { .. })));
        sleep(Duration::from_millis(100)).await;
        assert!(!open.load(Ordering::SeqCst));
        record.check(revision);
        // The connection goes on.
        client.list_tools().await.unwrap();
    }
}
