//! What is printed by mistake does not reach the client.

use mcp_tests::wire::text;
use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::launch;

#[tokio::test]
async fn prints_of_tools_and_their_children_go_to_standard_error() {
    let mut wire = launch(&[]);
    let mut stderr = wire.child().stderr.take().unwrap();
    for _ in 0..2 {
        let answer = wire.call("chatty", json!({"text": "hello"})).await;
        assert_eq!(text(&answer), "hello");
        let answer = wire
            .call("chatty_sync", json!({"text": "from a thread"}))
            .await;
        assert_eq!(text(&answer), "from a thread");
    }
    // The child's `cat` ends at once: the client's messages are not its input.
    let answer = wire.call("child", json!({})).await;
    assert_eq!(text(&answer), "the child ended: true");
    let answer = wire.call("echo", json!({"text": "still here"})).await;
    assert_eq!(text(&answer), "still here");
    wire.close_input().await;
    assert_eq!(wire.line().await, None);
    assert_eq!(wire.ended().await.code(), Some(0));
    let mut said = String::new();
    stderr.read_to_string(&mut said).await.unwrap();
    for printed in ["printed: hello", "from a thread", "from the child"] {
        assert!(said.contains(printed), "{printed} is not in {said}");
    }
}
