//! The shop as a server: its tools over standard input and output, or over HTTP.

use std::{env, net::SocketAddr};

use mcp_server::{
    Server,
    state::{Keys, Sealing},
};

use super::{Shop, api::Api, tools};
use crate::AnyError;

/// Names the keys under which questions on their way are sealed: hexadecimal digits or base64, with
/// commas between several. Replicas share them; without one a server makes its own.
pub const KEY_VARIABLE: &str = "SHOP_REQUEST_STATE_KEY";

/// Names the shop's API, for servers that share one; without it a server starts its own.
pub const API_VARIABLE: &str = "SHOP_API_URL";

/// Names the clerk who works with this server; `lea` unless set.
pub const CLERK_VARIABLE: &str = "SHOP_CLERK";

/// Serves one client until it closes standard input or, if there is an address, clients over HTTP.
///
/// # Errors
///
/// A variable has a value that cannot be used, standard input cannot be read, or the address cannot
/// be listened on.
pub async fn serve(http: Option<SocketAddr>) -> Result<(), AnyError> {
    let (url, _own_api) = match env::var(API_VARIABLE) {
        Ok(url) => (url, None),
        Err(_) => {
            let api = Api::start().await?;
            (api.url.clone(), Some(api))
        }
    };
    let clerk = env::var(CLERK_VARIABLE).unwrap_or_else(|_| "lea".to_owned());
    let server = server(Shop::new(&url, clerk)?)?;
    match http {
        Some(address) => server.serve_http(address).await?,
        None => server.serve_stdio().await?,
    }
    Ok(())
}

fn server(shop: Shop) -> Result<Server, AnyError> {
    let sealing = match env::var_os(KEY_VARIABLE) {
        Some(_) => Sealing::encrypted(Keys::env(KEY_VARIABLE)?),
        None => Sealing::generated(),
    };
    let server = Server::builder("shop", env!("CARGO_PKG_VERSION"))
        .description("Orders, refunds and returns of a shop for kitchen and garden goods")
        .instructions("Quote a refund before you issue it. Pay only refunds that are requested.")
        .request_state(sealing)
        .state(shop)
        .tools(tools::all())
        .build()?;
    Ok(server)
}
