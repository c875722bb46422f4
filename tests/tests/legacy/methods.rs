//! What each revision gets: results, errors, progress and log messages.

use mcp_core::Revision::{self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25};
use mcp_tests::{
    earlier::Earlier,
    wire::{code, text, tool_error},
};
use serde_json::{Value, json};

use crate::everything::{capabilities, connect, server};

/// The entry of this name in a list.
fn entry<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut entries = list.as_array().unwrap().iter();
    entries.find(|entry| entry["name"] == name).unwrap()
}

#[tokio::test]
async fn the_handshake() {
    for revision in Revision::LEGACY {
        let client = connect(*revision).await;
        let mut expected = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": {
                "logging": {},
                "completions": {},
                "tools": {"listChanged": true},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
            },
            "serverInfo": {
                "name": "shop", "title": "A shop", "version": "1.2.3", "description": "Sells things.",
            },
            "instructions": "Ask first.",
        });
        let mut leave = |of: &str, member: &str| {
            expected[of].as_object_mut().unwrap().remove(member);
        };
        if *revision < V2025_11_25 {
            leave("serverInfo", "description");
        }
        if *revision < V2025_06_18 {
            leave("serverInfo", "title");
        }
        if *revision < V2025_03_26 {
            leave("capabilities", "completions");
        }
        assert_eq!(client.hello, expected);
    }
}

#[tokio::test]
async fn what_is_answered_at_once() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        for (method, params) in [
            ("ping", json!({})),
            ("logging/setLevel", json!({"level": "error"})),
            ("resources/subscribe", json!({"uri": "test://text"})),
            ("resources/unsubscribe", json!({"uri": "test://text"})),
        ] {
            assert_eq!(client.request(method, params).await["result"], json!({}));
        }
        // What only the newest revision has, or none.
        for method in [
            "server/discover",
            "subscriptions/listen",
            "tasks/list",
            "no/such",
        ] {
            let answer = client.request(method, json!({})).await;
            assert_eq!(code(&answer), -32601, "{method}");
        }
    }
}

#[tokio::test]
async fn lists() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let tools = client.request("tools/list", json!({})).await;
        let stock = entry(&tools["result"]["tools"], "stock");
        let members: Vec<&String> = stock.as_object().unwrap().keys().collect();
        let expected: &[&str] = match revision {
            V2024_11_05 => &["description", "inputSchema", "name"],
            V2025_03_26 => &["annotations", "description", "inputSchema", "name"],
            V2025_06_18 => &[
                "annotations",
                "description",
                "inputSchema",
                "name",
                "outputSchema",
                "title",
            ],
            _ => &[
                "annotations",
                "description",
                "icons",
                "inputSchema",
                "name",
                "outputSchema",
                "title",
            ],
        };
        assert_eq!(members, expected, "{revision}");
        if *revision == V2025_03_26 {
            let hints = json!({
                "title": "Stock of an article", "readOnlyHint": true, "destructiveHint": false,
            });
            assert_eq!(stock["annotations"], hints);
        }

        let prompts = client.request("prompts/list", json!({})).await;
        let talk = entry(&prompts["result"]["prompts"], "talk");
        let has = |of: &Value, member: &str| of.get(member).is_some();
        assert_eq!(has(talk, "title"), *revision >= V2025_06_18);
        assert_eq!(has(talk, "icons"), *revision >= V2025_11_25);
        assert_eq!(talk["arguments"][0]["description"], "About what.");

        let resources = client.request("resources/list", json!({})).await;
        let text = entry(&resources["result"]["resources"], "text");
        let templates = client.request("resources/templates/list", json!({})).await;
        let item = entry(&templates["result"]["resourceTemplates"], "item");
        for listed in [text, item] {
            assert_eq!(has(listed, "title"), *revision >= V2025_06_18);
            let hints = &listed["annotations"];
            assert!(has(hints, "priority"), "{hints}");
            assert_eq!(has(hints, "lastModified"), *revision >= V2025_06_18);
        }
        assert_eq!(has(text, "icons"), *revision >= V2025_11_25);
        assert_eq!(text["size"], 4);
    }
}

#[tokio::test]
async fn content() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let kinds: &[&str] = match revision {
            V2024_11_05 => &["text", "image", "resource", "text", "resource"],
            V2025_03_26 => &["text", "image", "audio", "text", "resource"],
            _ => &["text", "image", "audio", "resource_link", "resource"],
        };
        let shown = client.call("show", json!({})).await;
        let blocks: Vec<Value> = shown["result"]["content"].as_array().unwrap().clone();
        let found: Vec<&Value> = blocks.iter().map(|block| &block["type"]).collect();
        assert_eq!(found, kinds, "{revision}");
        assert_eq!(
            shown["result"]["_meta"],
            json!({"com.example/own": {"n": 1}})
        );
        for block in &blocks {
            assert_eq!(block["annotations"]["priority"], 0.5, "{block}");
        }
        if *revision == V2024_11_05 {
            let contents = json!({"uri": "cid:audio-1", "mimeType": "audio/wav", "blob": "aGk="});
            assert_eq!(blocks[2]["resource"], contents);
        }
        if *revision < V2025_06_18 {
            let link: Value = serde_json::from_str(blocks[3]["text"].as_str().unwrap()).unwrap();
            assert_eq!(link["uri"], "file:///report.txt");
            assert_eq!(link["description"], "What happened");
        }

        let params = json!({"name": "talk", "arguments": {"subject": "wine"}});
        let got = client.request("prompts/get", params).await;
        let messages = got["result"]["messages"].as_array().unwrap();
        assert_eq!(messages[0]["content"]["text"], "wine");
        let found: Vec<&Value> = messages[1..]
            .iter()
            .map(|m| &m["content"]["type"])
            .collect();
        assert_eq!(found, kinds, "{revision}");
    }
}

#[tokio::test]
async fn structured_content() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let is_known = *revision >= V2025_06_18;
        for (tool, arguments, json) in [
            ("stock", json!({"sku": "a"}), r#"{"left":9007199254740993}"#),
            (
                "numbers",
                json!({"anything": 1}),
                r#"{"result":[18446744073709551615]}"#,
            ),
            (
                "structured",
                json!({"json": {"b": 1, "a": []}}),
                r#"{"a":[],"b":1}"#,
            ),
        ] {
            let answer = client.call(tool, arguments).await;
            assert_eq!(text(&answer), json);
            let structured = answer["result"].get("structuredContent");
            let expected: Value = serde_json::from_str(json).unwrap();
            assert_eq!(structured, is_known.then_some(&expected), "{revision}");
        }
        for json in [json!([1, 2]), json!(null), json!("x")] {
            let answer = client.call("structured", json!({"json": json})).await;
            let expected = json!({"content": [{"type": "text", "text": json.to_string()}]});
            assert_eq!(answer["result"], expected, "{revision}");
        }
    }
}

#[tokio::test]
async fn resources_and_proposals() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let read = client
            .request("resources/read", json!({"uri": "test://text"}))
            .await;
        assert_eq!(read["result"]["contents"][0]["text"], "text");
        let read = client
            .request("resources/read", json!({"uri": "test://item/7"}))
            .await;
        assert_eq!(
            read["result"],
            json!({"contents": [{"uri": "test://item/7", "blob": "Nw=="}]})
        );
        for (reference, argument, values) in [
            (
                json!({"type": "ref/prompt", "name": "talk"}),
                "subject",
                json!(["weather", "wine"]),
            ),
            (
                json!({"type": "ref/resource", "uri": "test://item/{id}"}),
                "id",
                json!([]),
            ),
        ] {
            let params = json!({"ref": reference, "argument": {"name": argument, "value": "w"}});
            let proposed = client.request("completion/complete", params).await;
            assert_eq!(proposed["result"]["completion"]["values"], values);
        }
    }
}

#[tokio::test]
async fn errors() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        for method in ["resources/read", "resources/subscribe"] {
            let answer = client.request(method, json!({"uri": "test://none"})).await;
            assert_eq!(code(&answer), -32002, "{method} at {revision}");
            assert_eq!(answer["error"]["data"], json!({"uri": "test://none"}));
            let answer = client.request(method, json!({})).await;
            assert_eq!(code(&answer), -32602, "{method} at {revision}");
        }
        let answer = client
            .request("resources/read", json!({"uri": "test://item/0"}))
            .await;
        assert_eq!(code(&answer), -32002);
        for (method, params) in [
            ("tools/call", json!({"name": "none"})),
            ("prompts/get", json!({"name": "none"})),
            ("prompts/get", json!({"name": "talk"})),
            ("tools/list", json!({"cursor": "none"})),
            ("logging/setLevel", json!({"level": "loud"})),
        ] {
            let answer = client.request(method, params).await;
            assert_eq!(code(&answer), -32602, "{method} at {revision}");
        }
        let answer = client.call("fail", json!({"protocol": false})).await;
        assert_eq!(tool_error(&answer), "it did not work");
        let answer = client.call("fail", json!({"protocol": true})).await;
        assert_eq!(code(&answer), -32001);
        let answer = client.call("fail", json!({"protocol": "perhaps"})).await;
        assert!(tool_error(&answer).contains("protocol"), "{answer}");
    }
}

#[tokio::test]
async fn progress_and_log_messages() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let params = json!({"name": "work", "_meta": {"progressToken": "p"}});
        for (level, logged) in [(None, 1), (Some("debug"), 2), (Some("error"), 0)] {
            if let Some(level) = level {
                let set = client.request("logging/setLevel", json!({"level": level}));
                assert_eq!(set.await["result"], json!({}));
            }
            client.heard.clear();
            let answer = client.request("tools/call", params.clone()).await;
            assert_eq!(text(&answer), "worked");
            let mut progress = json!({"progressToken": "p", "progress": 1, "total": 2});
            if *revision >= V2025_03_26 {
                progress["message"] = "half".into();
            }
            assert_eq!(client.heard[0]["params"], progress);
            assert_eq!(client.heard.len(), 1 + logged, "{revision} {level:?}");
            if let Some(last) = client.heard[1..].last() {
                let message = json!({"level": "warning", "logger": "work", "data": {"left": 1}});
                assert_eq!(last["params"], message);
            }
        }
        let params = json!({"name": "work", "_meta": {"progressToken": {}}});
        assert_eq!(code(&client.request("tools/call", params).await), -32602);
        // Without a token there is no progress.
        client.heard.clear();
        client.call("work", json!({})).await;
        assert_eq!(client.heard, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_has_no_answer() {
    for revision in Revision::LEGACY {
        let mut client = connect(*revision).await;
        let params = json!({"name": "wait", "arguments": {"ms": 60_000, "text": "late"}});
        let id = client.wire.begin("tools/call", params).await;
        client
            .notify(
                "notifications/cancelled",
                json!({"requestId": id, "reason": "r"}),
            )
            .await;
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    }
}

#[tokio::test]
async fn requests_before_the_client_has_said_that_it_is_ready() {
    for revision in Revision::LEGACY {
        let mut client = Earlier::open(&server(), *revision);
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
        let params = json!({
            "protocolVersion": revision.as_str(), "capabilities": capabilities(),
            "clientInfo": {"name": "eager", "version": "1"},
        });
        client.request("initialize", params).await;
        let set = client.request("logging/setLevel", json!({"level": "info"}));
        assert_eq!(set.await["result"], json!({}));
        let answer = client.call("stock", json!({"sku": "a"})).await;
        assert_eq!(text(&answer), r#"{"left":9007199254740993}"#);
    }
}
