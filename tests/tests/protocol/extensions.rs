//! Extensions, and what else travels in `_meta`. Specification: basic/versioning, Extension Negotiation; basic/index, `_meta`.

use mcp_server::{Extension, RpcError, prelude::*};
use mcp_tests::wire::{Wire, code, text};
use serde_json::{Value, json};

const CLOCK: &str = "com.example/clock";

struct Clock;

impl Extension for Clock {
    fn name(&self) -> &str {
        CLOCK
    }

    fn settings(&self) -> Value {
        json!({"zones": ["UTC"]})
    }

    fn methods(&self) -> &[&str] {
        &["clock/now", "clock/fail", "clock/list", "clock/panic"]
    }

    async fn request(&self, method: &str, params: Value, ctx: &Context) -> Result<Value, RpcError> {
        tokio::task::yield_now().await;
        // None of these is there for a function only.
        assert_eq!(
            (ctx.method(), ctx.target(), ctx.name()),
            (method, method, "extension")
        );
        match method {
            "clock/now" => Ok(json!({
                "now": 12,
                "params": params,
                "settings": ctx.client_extension(CLOCK),
                "_meta": {"com.example/clock": "ours", "io.modelcontextprotocol/serverInfo": "not ours"},
            })),
            "clock/list" => Ok(json!([1, 2])),
            "clock/panic" => panic!("the clock stands"),
            _ => Err(RpcError::new(-31_000, "the clock stands")),
        }
    }
}

/// An extension that only says that it is there.
struct Quiet(&'static str);

impl Extension for Quiet {
    fn name(&self) -> &str {
        self.0
    }
}

/// Shows a chart, where the client can.
#[tool(read_only)]
async fn chart(ctx: Context) -> String {
    match ctx.client_extension("com.example/charts") {
        Some(settings) => format!("a chart: {}", settings["size"]),
        None => "a table".to_owned(),
    }
}

/// Shows a chart, or nothing.
#[tool(read_only)]
async fn only_chart(ctx: Context) -> Result<String, ToolError> {
    ctx.require_extension("com.example/charts")?;
    Ok("a chart".to_owned())
}

/// Says which trace it is part of.
#[tool(read_only)]
async fn trace(ctx: Context) -> String {
    format!("{:?}", ctx.trace_context())
}

fn server() -> Server {
    Server::builder("shop", "1.0.0")
        .tools(tools![chart, only_chart, trace])
        .extension(Clock)
        .extension(Quiet("com.example/quiet"))
        .build()
        .unwrap()
}

/// A client that has the extension.
fn with_clock() -> Wire {
    let mut wire = Wire::open(&server());
    wire.declare(json!({"extensions": {CLOCK: {"ticks": true}}}));
    wire
}

#[tokio::test]
async fn extensions_are_declared_with_their_settings() {
    let mut wire = Wire::open(&server());
    let answer = wire.request("server/discover", json!({})).await;
    assert_eq!(
        answer["result"]["capabilities"]["extensions"],
        json!({CLOCK: {"zones": ["UTC"]}, "com.example/quiet": {}})
    );
    let bare = Server::builder("shop", "1.0.0").build().unwrap();
    let answer = Wire::open(&bare)
        .request("server/discover", json!({}))
        .await;
    assert_eq!(answer["result"]["capabilities"].get("extensions"), None);
}

#[tokio::test]
async fn a_method_of_an_extension_gets_its_params_and_gives_a_whole_result() {
    let answer = with_clock()
        .request("clock/now", json!({"zone": "UTC", "n": [1]}))
        .await;
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "now": 12,
            "params": {"zone": "UTC", "n": [1]},
            "settings": {"ticks": true},
            "_meta": {
                "com.example/clock": "ours",
                "io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "1.0.0"},
            },
        })
    );
}

/// JSON that has no value: it is not taken for parameters that are not there.
#[tokio::test]
async fn params_that_cannot_be_read_are_refused() {
    let mut wire = with_clock();
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (id, json) in [r#""\ud800""#, "1e999", &deep, r#"{"a":["\udc00"]}"#]
        .into_iter()
        .enumerate()
    {
        for (member, meta) in [(json, "0"), ("0", json)] {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"clock/now","params":{{"note":{member},"_meta":{{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28","com.example/x":{meta},
                "io.modelcontextprotocol/clientCapabilities":{{"extensions":{{"{CLOCK}":{{}}}}}}}}}}}}"#
            );
            wire.write(line.replace('\n', " ").as_bytes()).await;
            wire.write(b"\n").await;
            let answer = wire.receive().await;
            assert_eq!(code(&answer), -32602, "{line}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with("`params`: "), "{message}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_in_meta_takes_nothing_else_with_it() {
    let mut wire = Wire::open(&server());
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chart","_meta":{"a":"\ud800",
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","com.example/n":1e999,
        "io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/charts":{"size":7}}}}}}"#;
    wire.write(line.replace('\n', " ").as_bytes()).await;
    wire.write(b"\n").await;
    assert_eq!(text(&wire.receive().await), "a chart: 7");
}

/// Specification: basic/index, Capabilities: `data.requiredCapabilities` lists what is missing.
#[tokio::test]
async fn a_client_that_has_not_declared_an_extension_is_told_which() {
    let required = |name: &str| json!({"requiredCapabilities": {"extensions": {name: {}}}});
    let mut wire = Wire::open(&server());
    for capabilities in [json!({}), json!({"extensions": {"com.example/quiet": {}}})] {
        wire.declare(capabilities);
        let answer = wire.request("clock/now", json!({})).await;
        assert_eq!(code(&answer), -32021, "{answer}");
        assert_eq!(answer["error"]["data"], required(CLOCK));
        let answer = wire.call("only_chart", json!({})).await;
        assert_eq!(code(&answer), -32021, "{answer}");
        assert_eq!(answer["error"]["data"], required("com.example/charts"));
    }
}

#[tokio::test]
async fn tools_see_what_the_client_has_declared_on_this_very_request() {
    let mut wire = Wire::open(&server());
    wire.declare(json!({"extensions": {"com.example/charts": {"size": 7}}}));
    assert_eq!(text(&wire.call("chart", json!({})).await), "a chart: 7");
    assert_eq!(text(&wire.call("only_chart", json!({})).await), "a chart");
    wire.declare(json!({}));
    assert_eq!(text(&wire.call("chart", json!({})).await), "a table");
}

#[tokio::test]
async fn errors_of_an_extension_are_its_own() {
    let mut wire = with_clock();
    let answer = wire.request("clock/fail", json!({})).await;
    assert_eq!(
        answer["error"],
        json!({"code": -31_000, "message": "the clock stands"})
    );
    for method in ["clock/list", "clock/panic"] {
        let answer = wire.request(method, json!({})).await;
        assert_eq!(code(&answer), -32603, "{method}: {answer}");
    }
    // The connection goes on.
    assert_eq!(
        wire.request("clock/now", json!({})).await["result"]["now"],
        12
    );
}

#[tokio::test]
async fn methods_that_no_extension_has_are_not_found() {
    let mut wire = with_clock();
    for method in ["clock/then", "quiet/now"] {
        let answer = wire.request(method, json!({})).await;
        assert_eq!(code(&answer), -32601, "{answer}");
    }
}

fn faults(extensions: impl IntoIterator<Item = Quiet>) -> Vec<String> {
    let mut builder = Server::builder("shop", "1.0.0");
    for extension in extensions {
        builder = builder.extension(extension);
    }
    match builder.build() {
        Ok(_) => Vec::new(),
        Err(error) => error
            .faults()
            .iter()
            .map(|fault| fault.text.clone())
            .collect(),
    }
}

/// Specification: basic/index, `_meta`, Key name format; with a mandatory prefix.
#[test]
fn the_name_of_an_extension_is_checked() {
    for good in [
        "com.example/thing",
        "io.modelcontextprotocol/tasks",
        "a/b",
        "a-1.b2/x_y.z-9",
        "com.example/",
    ] {
        assert_eq!(faults([Quiet(good)]), Vec::<String>::new(), "{good}");
    }
    for bad in [
        "",
        "thing",
        "/thing",
        "com..example/thing",
        ".com/thing",
        "1com/thing",
        "com-/thing",
        "com.exa_mple/thing",
        "com.example/-thing",
        "com.example/thing.",
        "com.example/a/b",
        "com.example/a b",
        "com.exämple/thing",
    ] {
        let faults = faults([Quiet(bad)]);
        assert_eq!(faults.len(), 1, "{bad}: {faults:?}");
        assert!(faults[0].contains("com.example/thing"), "{faults:?}");
    }
}

#[test]
fn an_extension_is_registered_once() {
    let faults = faults([Quiet("com.example/a"), Quiet("com.example/a")]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("twice"), "{faults:?}");
}

/// An extension with every fault but its name.
struct Faulty;

impl Extension for Faulty {
    fn name(&self) -> &str {
        "com.example/faulty"
    }

    fn settings(&self) -> Value {
        json!([])
    }

    fn methods(&self) -> &[&str] {
        // The third is another extension's.
        &["tools/call", "resources/read", "clock/now", "faulty/fine"]
    }
}

#[test]
fn settings_are_an_object_and_methods_do_not_take_the_place_of_others() {
    let built = Server::builder("shop", "1.0.0")
        .extension(Clock)
        .extension(Faulty)
        .build();
    let error = built.unwrap_err();
    let text = error.to_string();
    for part in [
        "no object",
        "`tools/call`",
        "`resources/read`",
        "`clock/now`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(error.faults().len(), 4, "{text}");
}

/// Specification: basic/index, OpenTelemetry trace context.
#[tokio::test]
async fn a_tool_sees_the_trace_that_the_request_is_part_of() {
    let mut wire = Wire::open(&server());
    let nothing = text(&wire.call("trace", json!({})).await).to_owned();
    assert_eq!(
        nothing,
        "TraceContext { traceparent: None, tracestate: None, baggage: None }"
    );
    wire.meta["traceparent"] = json!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01");
    wire.meta["tracestate"] = json!("vendor=1");
    wire.meta["baggage"] = json!("userId=alice");
    let whole = text(&wire.call("trace", json!({})).await).to_owned();
    assert_eq!(
        whole,
        "TraceContext { traceparent: Some(\"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\"), \
         tracestate: Some(\"vendor=1\"), baggage: Some(\"userId=alice\") }"
    );
}

#[prompt]
async fn greet() -> &'static str {
    "Greet me."
}

#[resource("shop://catalogue")]
async fn catalogue() -> &'static str {
    "kettles"
}

#[resource("shop://orders/{id}")]
async fn order(id: u32) -> String {
    id.to_string()
}

#[tokio::test]
async fn sets_add_to_the_meta_of_what_they_list() {
    let server = Server::builder("shop", "1.0.0")
        .tools(
            tools![chart]
                .meta("com.example/ui", json!({"page": "ui://chart"}))
                .meta("com.example/n", 1),
        )
        .tools(tools![trace])
        .prompts(prompts![greet].meta("com.example/ui", "prompt"))
        .resources(resources![catalogue, order].meta("com.example/ui", "resource"))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.request("tools/list", json!({})).await;
    let tools = &answer["result"]["tools"];
    assert_eq!(
        tools[0]["_meta"],
        json!({"com.example/n": 1, "com.example/ui": {"page": "ui://chart"}})
    );
    assert_eq!(tools[1].get("_meta"), None);
    for (method, member, value) in [
        ("prompts/list", "prompts", "prompt"),
        ("resources/list", "resources", "resource"),
        ("resources/templates/list", "resourceTemplates", "resource"),
    ] {
        let answer = wire.request(method, json!({})).await;
        assert_eq!(
            answer["result"][member][0]["_meta"],
            json!({"com.example/ui": value})
        );
    }
}

#[test]
fn names_in_the_meta_of_a_set_are_checked() {
    let built = Server::builder("shop", "1.0.0")
        .tools(tools![chart].meta("com.example/a/b", 1))
        .build();
    let text = built.unwrap_err().to_string();
    assert!(
        text.contains("`com.example/a/b`") && text.contains("chart"),
        "{text}"
    );
}
