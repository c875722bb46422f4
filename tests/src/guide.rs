//! What the examples of the guide run on: a server and a client in one process.

use mcp_client::{Answer, Builder, Client, Error, HandlerError, IoTransport, ToolCall};
use mcp_server::{RpcError, Server};
use serde_json::{Map, Value, json};

/// Connects a client to a server in this process.
///
/// # Panics
///
/// Where they do not come together.
pub async fn connect(server: &Server, client: Builder) -> Client {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(near);
    let connected = client.connect(IoTransport::new(reader, writer)).await;
    connected.expect("both speak the same revision")
}

/// The server's tools by name, as `tools/list` has them.
///
/// # Panics
///
/// Where the list is none.
pub fn list(server: &Server) -> Map<String, Value> {
    block_on(async {
        let client = connect(server, Client::builder("guide", "1.0.0")).await;
        let list = client.session().request("tools/list", json!({})).await;
        let list: Value = serde_json::from_str(list.expect("a list").get()).expect("a result");
        let tools = list["tools"].as_array().expect("tools").iter();
        tools
            .map(|tool| {
                (
                    tool["name"].as_str().unwrap_or_default().to_owned(),
                    tool.clone(),
                )
            })
            .collect()
    })
}

/// Calls a tool that asks nothing.
///
/// # Panics
///
/// Where there is no result.
pub fn call(server: &Server, tool: &str, arguments: Value) -> ToolCall {
    call_as(Client::builder("guide", "1.0.0"), server, tool, arguments)
}

/// Calls a tool with a client that can be asked.
///
/// # Panics
///
/// Where there is no result.
pub fn call_as(client: Builder, server: &Server, tool: &str, arguments: Value) -> ToolCall {
    block_on(async {
        let client = connect(server, client).await;
        let called = client.call_tool(tool, arguments).await;
        called.expect("a result")
    })
}

/// Sends one request, and gives its result.
///
/// # Panics
///
/// Where there is none.
pub fn request(server: &Server, method: &str, params: Value) -> Value {
    request_as(server, method, params, &json!({}))
}

/// Sends a request whose questions get these answers, by key, and gives the result in the end.
///
/// # Panics
///
/// Where there is none.
pub fn request_as(server: &Server, method: &str, params: Value, answers: &Value) -> Value {
    block_on(async {
        let rounds = rounds(server, method, params, answers).await;
        rounds.expect("a result")
    })
}

/// Sends one request that is refused, and gives the error.
///
/// # Panics
///
/// Where it is not.
pub fn refusal(server: &Server, method: &str, params: Value) -> RpcError {
    block_on(async {
        match rounds(server, method, params, &json!({})).await {
            Err(Error::Rpc(error) | Error::MissingCapability { error, .. }) => error,
            other => panic!("expected an error of the server, got {other:?}"),
        }
    })
}

/// A request through all its rounds, by hand: the answers go with the next request.
///
/// # Errors
///
/// The server's, or what went wrong on the way.
pub async fn rounds(
    server: &Server,
    method: &str,
    mut params: Value,
    answers: &Value,
) -> Result<Value, Error> {
    // A handler for forms declares that they can be shown; sessions do not call it.
    let client = Client::builder("guide", "1.0.0")
        .on_form(|_| async { Ok::<_, HandlerError>(Answer::Decline) });
    let client = connect(server, client).await;
    loop {
        let result = client.session().request(method, &params).await?;
        let mut result: Value = serde_json::from_str(result.get()).expect("JSON");
        if result["resultType"] != "input_required" {
            return Ok(result);
        }
        let asked = result["inputRequests"].as_object().expect("questions");
        params["inputResponses"] = asked
            .keys()
            .map(|key| {
                let content = answers.get(key).expect("an answer to each question");
                (
                    key.clone(),
                    json!({ "action": "accept", "content": content }),
                )
            })
            .collect();
        params["requestState"] = result["requestState"].take();
    }
}

/// Reads JSON that is encoded as base64url without padding.
///
/// # Panics
///
/// Where it is something else.
pub fn base64url(text: &str) -> Value {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for digit in text.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => panic!("no base64url"),
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    serde_json::from_slice(&bytes).expect("JSON")
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a run time").block_on(work)
}
