//! A desk in the shop: the shop's API, a server of its tools as a child process, and a client.

use std::env;

use mcp_client::{ChildProcess, Client, Trace};
use serde_json::json;

use super::{out::say, person::Person, wire::Wire};
use crate::{
    AnyError,
    shop::{
        api::Api,
        model::{Order, Quote},
        serve::API_VARIABLE,
    },
};

pub(super) struct Desk {
    pub(super) client: Client,
    /// Everything that passes between client and server.
    pub(super) wire: Wire,
    pub(super) person: Person,
    /// Ends with the desk.
    _api: Api,
}

impl Desk {
    /// Starts a shop, and launches this very program with `--serve` as its server.
    pub(super) async fn open(person: Person) -> Result<Self, AnyError> {
        let api = Api::start().await?;
        let server = ChildProcess::new(env::current_exe()?)
            .arg("--serve")
            .env(API_VARIABLE, &api.url);
        let wire = Wire::default();
        let client = Client::builder("support-host", env!("CARGO_PKG_VERSION"))
            .on_form(move |question| async move { person.fill_in(question).await })
            .on_url(move |question| async move { person.open(question).await })
            .connect(Trace::wrap(server, wire.clone()))
            .await?;
        Ok(Self {
            client,
            wire,
            person,
            _api: api,
        })
    }

    /// Finds an order and quotes a refund of all of it.
    pub(super) async fn quote(&self, order_id: &str) -> Result<Quote, AnyError> {
        let arguments = json!({ "order_id": order_id });
        let order: Order = self
            .client
            .call_tool("find_order", &arguments)
            .await?
            .structured()?;
        let quote: Quote = self
            .client
            .call_tool("quote_refund", &arguments)
            .await?
            .structured()?;
        say!(
            "order {} over {}: quote {} for a refund of {}",
            order.id,
            order.total_cents,
            quote.id,
            quote.amount_cents
        );
        Ok(quote)
    }

    /// Returns when the server's process has ended.
    pub(super) async fn close(self) {
        self.client.close().await;
    }
}
