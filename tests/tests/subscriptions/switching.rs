//! Tools that are switched while the server runs: list and call agree at every moment, and clients are told.

use mcp_server::prelude::*;
use mcp_tests::wire::{Wire, code, text};
use serde_json::{Value, json};

use crate::{TOOLS_CHANGED, listen, server, tools_changed};

macro_rules! tools_named {
    ($($name:ident)*) => {$(
        /// One of several.
        #[tool]
        async fn $name() -> &'static str {
            stringify!($name)
        }
    )*};
}

tools_named! { one two three four five }

/// Switches a tool.
#[tool]
async fn switch(name: String, on: bool, ctx: Context) -> Result<&'static str, ToolError> {
    let tools = ctx.server().tools();
    if on {
        tools.enable(&name)?;
    } else {
        tools.disable(&name)?;
    }
    Ok("switched")
}

fn of_five(page_size: usize) -> Server {
    Server::builder("five", "1.0.0")
        .tools(tools![one, two, three, four, five])
        .page_size(page_size)
        .build()
        .unwrap()
}

/// The names on one page, and the next cursor.
async fn page(wire: &mut Wire, cursor: Option<&Value>) -> (Vec<String>, Option<Value>) {
    let params = match cursor {
        Some(cursor) => json!({"cursor": cursor}),
        None => json!({}),
    };
    let answer = wire.request("tools/list", params).await;
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["name"].as_str().unwrap().to_owned());
    (names.collect(), answer["result"].get("nextCursor").cloned())
}

#[tokio::test]
async fn what_is_off_is_neither_listed_nor_called() {
    let server = of_five(100);
    let mut wire = Wire::open(&server);
    assert_eq!(text(&wire.call("two", json!({})).await), "two");
    server.tools().disable("two").unwrap();
    assert_eq!(server.tools().is_enabled("two"), Ok(false));
    let listed = page(&mut wire, None).await;
    assert_eq!(
        listed,
        (
            ["one", "three", "four", "five"].map(String::from).into(),
            None
        )
    );
    let refused = wire.call("two", json!({})).await;
    let unknown = wire.call("six", json!({})).await;
    assert_eq!(code(&refused), code(&unknown));
    let refused = refused["error"]["message"].as_str().unwrap();
    let unknown = unknown["error"]["message"].as_str().unwrap();
    assert_eq!(refused, unknown.replace("six", "two"));

    server.tools().enable("two").unwrap();
    let listed = page(&mut wire, None).await;
    assert_eq!(listed.0, ["one", "two", "three", "four", "five"]);
    assert_eq!(text(&wire.call("two", json!({})).await), "two");
}

#[tokio::test]
async fn a_list_that_is_empty_is_still_a_list() {
    let server = of_five(2);
    let mut wire = Wire::open(&server);
    for name in server.tools().keys() {
        server.tools().disable(name).unwrap();
    }
    assert_eq!(page(&mut wire, None).await, (vec![], None));
    let answer = wire.request("server/discover", json!({})).await;
    let tools = &answer["result"]["capabilities"]["tools"];
    assert_eq!(*tools, json!({"listChanged": true}));
}

#[tokio::test]
async fn what_there_is_not_cannot_be_switched() {
    let server = of_five(2);
    let error = server.tools().disable("six").unwrap_err();
    assert_eq!(error.to_string(), "the server has no tool `six`");
    assert!(server.prompts().enable("one").is_err());
    assert!(server.resources().is_enabled("one").is_err());
}

/// Field report: fifty tools that change in a loop are one change.
#[tokio::test]
async fn clients_are_told_of_what_was_switched_and_once_for_many() {
    let server = of_five(100);
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    for _ in 0..10 {
        for name in server.tools().keys() {
            server.tools().disable(name).unwrap();
        }
    }
    tools_changed(&mut wire, id).await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    wire.begin("tools/list", json!({})).await;
    let mut more = 0;
    let answer = loop {
        let message = wire.receive().await;
        if message["method"] != TOOLS_CHANGED {
            break message;
        }
        more += 1;
    };
    assert!(more <= 2, "{more} more");
    // Whoever lists after the notice sees what it was about.
    assert_eq!(answer["result"]["tools"], json!([]));

    // What changes nothing is not told.
    server.tools().disable("one").unwrap();
    wire.assert_silent(std::time::Duration::from_millis(100))
        .await;
}

#[tokio::test]
async fn a_tool_may_switch_others() {
    let server = Server::builder("switches", "1.0.0")
        .tools(tools![one, switch])
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let id = listen(&mut wire, json!({"toolsListChanged": true})).await;
    for on in [false, true] {
        wire.call("switch", json!({"name": "one", "on": on})).await;
        tools_changed(&mut wire, id).await;
        assert_eq!(
            page(&mut wire, None).await.0.contains(&"one".to_owned()),
            on
        );
    }
}

#[tokio::test]
async fn a_call_under_way_goes_on() {
    let server = server();
    let mut wire = Wire::open(&server);
    let call = wire
        .begin(
            "tools/call",
            json!({"name": "wait", "arguments": {"ms": 200}}),
        )
        .await;
    wire.call("echo", json!({"text": "a"})).await;
    server.tools().disable("wait").unwrap();
    let answer = wire.receive().await;
    assert_eq!(answer["id"], call);
    assert_eq!(text(&answer), "waited for 200");
}

/// A cursor means the same whatever was switched since: nothing is listed twice, and nothing that stayed is left out.
#[tokio::test]
async fn cursors_outlive_what_is_switched() {
    for (switched, expected) in [
        (&[][..], &["three", "four"][..]),
        // The entry that the cursor names.
        (&["three"], &["four", "five"]),
        (&["three", "four"], &["five"]),
        (&["three", "four", "five"], &[]),
        // One before it, so that pages begin elsewhere.
        (&["one"], &["three", "four"]),
    ] {
        let server = of_five(2);
        let mut wire = Wire::open(&server);
        let (first, cursor) = page(&mut wire, None).await;
        assert_eq!(first, ["one", "two"]);
        for name in switched {
            server.tools().disable(name).unwrap();
        }
        let (second, next) = page(&mut wire, cursor.as_ref()).await;
        assert_eq!(second, expected, "without {switched:?}");
        let left = 5 - 2 - switched.iter().filter(|name| **name != "one").count();
        assert_eq!(next.is_some(), left > 2, "without {switched:?}");
        for name in switched {
            server.tools().enable(name).unwrap();
        }
        let (second, _) = page(&mut wire, cursor.as_ref()).await;
        assert_eq!(second, ["three", "four"]);
    }
    let mut wire = Wire::open(&of_five(2));
    for cursor in ["", "c2l4", "?"] {
        let answer = wire.request("tools/list", json!({"cursor": cursor})).await;
        assert_eq!(code(&answer), -32602, "{cursor:?}");
    }
}

/// Lists and calls from many threads while somebody switches: each sees one state or the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switching_disturbs_nobody() {
    let server = of_five(2);
    let switching = std::thread::spawn({
        let server = server.clone();
        move || {
            for _ in 0..500 {
                server.tools().disable("two").unwrap();
                server.tools().enable("two").unwrap();
            }
        }
    });
    let mut wire = Wire::open(&server);
    while !switching.is_finished() {
        let (mut names, mut cursor) = page(&mut wire, None).await;
        while let Some(next) = cursor {
            let more = page(&mut wire, Some(&next)).await;
            names.extend(more.0);
            cursor = more.1;
        }
        names.retain(|name| name != "two");
        names.dedup();
        assert_eq!(names, ["one", "three", "four", "five"]);
    }
    switching.join().unwrap();
    assert_eq!(page(&mut wire, None).await.0, ["one", "two"]);
}
