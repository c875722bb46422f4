//! A server for clients on other SDKs, and over HTTP for those that stand between: a proxy, a browser.
//!
//! Without arguments it serves standard input and output. `peer-server ADDRESS [--keys FILE] [--origin ORIGIN]` takes the keys of its states from a file, so that instances
//! can share and rotate them, and lets pages of one more origin call.

use std::{io, path::Path, time::Duration};

use mcp_server::{
    prelude::*,
    state::{Keys, Sealing},
};

#[derive(Deserialize, JsonSchema, Form)]
struct Destination {
    /// Where it goes.
    city: String,
}

#[derive(Deserialize, JsonSchema, Form)]
struct Consent {
    /// Check to send it.
    send: bool,
}

/// Sends a parcel. Asks where to and then, in a round of its own, whether it may go there.
#[tool]
async fn send_parcel(
    parcel: String,
    #[elicit("Where does {parcel} go?")] to: Resolve<Destination>,
    #[elicit("Send {parcel} to {}?", to.city)] consent: Elicit<Consent>,
) -> String {
    match consent {
        Elicit::Accept(Consent { send: true }) => format!("Sent {parcel} to {}.", to.city),
        _ => format!("Kept {parcel}."),
    }
}

/// Reports that it waits, and waits until there is such a file.
#[tool]
async fn wait_for(path: &str, ctx: Context) -> &'static str {
    ctx.progress(1.0);
    while !Path::new(path).exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    "there it is"
}

/// Says that the list of tools has changed.
#[tool]
fn change(ctx: Context) -> &'static str {
    ctx.server().notify().tools_changed();
    "changed"
}

/// Begins to shut the server down.
#[tool]
fn shut_down(ctx: Context) -> &'static str {
    ctx.server().shutdown().begin();
    "shutting down"
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.get(at + 1)
    };
    let sealing = match given("--keys") {
        Some(file) => Sealing::encrypted(Keys::file(file).map_err(io::Error::other)?),
        None => Sealing::generated(),
    };
    let server = Server::builder("peer-server", "1.0.0")
        .request_state(sealing)
        .tools(tools![send_parcel, wait_for, change, shut_down])
        .build()
        .map_err(io::Error::other)?;
    let Some(address) = arguments.first() else {
        return server.serve_stdio().await;
    };
    let http = server.http().allowed_origins(given("--origin"));
    http.serve(address).await
}
