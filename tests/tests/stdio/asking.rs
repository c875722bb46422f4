//! The main rules of asking, over a real pipe and through a real client.

use mcp_server::prelude::*;
use mcp_server::testing::{ChildProcess, TestHost};
use mcp_tests::official::call;
use serde_json::json;

fn host() -> TestHost {
    TestHost::child(ChildProcess::new(env!("CARGO_BIN_EXE_test-server")))
}

#[tokio::test]
async fn a_call_asks_and_goes_on() {
    let host = host().answer("answer", json!({"confirm": true}));
    let done = call(&host, "confirm", json!({"what": "é🎉"})).await;
    done.assert_text("é🎉: Accept(Confirm { confirm: true })");
    done.assert_asked(["answer"]);
    assert_eq!(done.rounds, 2);
    assert_eq!(done.question("answer").message, "Go on with é🎉?");
    host.close().await;
}

#[tokio::test]
async fn refusals_and_unfit_answers() {
    let declined = host().decline("answer");
    call(&declined, "confirm", json!({"what": "it"}))
        .await
        .assert_text("it: Decline");
    let closed = host().cancel("answer");
    call(&closed, "confirm", json!({"what": "it"}))
        .await
        .assert_text("it: Cancel");
    let unfit = host()
        .respond(
            "answer",
            json!({"action": "accept", "content": {"confirm": "yes"}}),
        )
        .answer("answer", json!({"confirm": false}));
    let done = call(&unfit, "confirm", json!({"what": "it"})).await;
    done.assert_asked(["answer", "answer"]);
    done.assert_text("it: Accept(Confirm { confirm: false })");
    let wrong = host().respond("answer", json!({"action": "maybe"}));
    call(&wrong, "confirm", json!({"what": "it"}))
        .await
        .assert_rpc_error(-32602);
}

#[tokio::test]
async fn capabilities_count_here_too() {
    for kinds in [vec![], vec![Kind::Url], vec![Kind::Sampling, Kind::Roots]] {
        let host = host().can_ask(kinds);
        let refused = call(&host, "confirm", json!({"what": "it"})).await;
        let error = refused.assert_rpc_error(-32021);
        assert_eq!(
            error.data.as_ref().unwrap()["requiredCapabilities"],
            json!({"elicitation": {"form": {}}})
        );
    }
}

#[tokio::test]
async fn a_state_that_was_changed_or_is_for_another_call_is_refused() {
    let mut wire = crate::launch(&[]);
    let asked = wire.call("confirm", json!({"what": "a"})).await;
    let yes = json!({"answer": {"action": "accept", "content": {"confirm": true}}});
    let other = wire
        .retry("confirm", json!({"what": "b"}), &asked, yes.clone())
        .await;
    assert_eq!(other["error"]["code"], -32602);
    assert_eq!(other["error"]["message"], "Invalid or expired requestState");
    let mut changed = asked.clone();
    let state = changed["result"]["requestState"].as_str().unwrap();
    let last = if state.ends_with('A') { "Q" } else { "A" };
    let state = format!("{}{last}", &state[..state.len() - 1]);
    changed["result"]["requestState"] = json!(state);
    let refused = wire
        .retry("confirm", json!({"what": "a"}), &changed, yes.clone())
        .await;
    assert_eq!(
        refused["error"]["message"],
        "Invalid or expired requestState"
    );
    // Another process without a configured key has a key of its own.
    let mut other = crate::launch(&[]);
    let refused = other
        .retry("confirm", json!({"what": "a"}), &asked, yes)
        .await;
    assert_eq!(
        refused["error"]["message"],
        "Invalid or expired requestState"
    );
}
