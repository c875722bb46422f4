//! [`Shop`]: the shop's API as the tools see it.

use mcp_server::{Flow, ToolError};
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::model::{Order, Quote, Refund, Return, Visit};
use crate::AnyError;

/// A client of the shop's API, on behalf of the clerk who started the server.
///
/// It keeps nothing between calls: any number of servers can work on one shop.
#[derive(Debug)]
pub struct Shop {
    http: reqwest::Client,
    url: Url,
    clerk: String,
}

impl Shop {
    /// A client of the API at `url`.
    ///
    /// # Errors
    ///
    /// The URL is none.
    pub fn new(url: &str, clerk: impl Into<String>) -> Result<Self, AnyError> {
        Ok(Self {
            // The API is on this machine, where no proxy leads to.
            http: reqwest::Client::builder().no_proxy().build()?,
            url: url.parse()?,
            clerk: clerk.into(),
        })
    }

    pub(crate) async fn order(&self, id: &str) -> Result<Order, ToolError> {
        send(self.http.get(self.at(&["orders", id])?)).await
    }

    pub(crate) async fn quote_order(
        &self,
        order_id: &str,
        sku: Option<&str>,
    ) -> Result<Quote, ToolError> {
        let new = json!({ "order_id": order_id, "sku": sku });
        send(self.http.post(self.at(&["quotes"])?).json(&new)).await
    }

    pub(crate) async fn quote(&self, id: &str) -> Result<Quote, ToolError> {
        send(self.http.get(self.at(&["quotes", id])?)).await
    }

    pub(crate) async fn refund_quote(&self, quote_id: &str) -> Result<Refund, ToolError> {
        let new = json!({ "quote_id": quote_id });
        send(self.http.post(self.at(&["refunds"])?).json(&new)).await
    }

    pub(crate) async fn refund(&self, id: &str) -> Result<Refund, ToolError> {
        send(self.http.get(self.at(&["refunds", id])?)).await
    }

    pub(crate) async fn confirm(&self, refund_id: &str) -> Result<Refund, ToolError> {
        send(self.http.post(self.at(&["refunds", refund_id, "confirm"])?)).await
    }

    pub(crate) async fn cancel(&self, refund_id: &str) -> Result<Refund, ToolError> {
        send(self.http.post(self.at(&["refunds", refund_id, "cancel"])?)).await
    }

    pub(crate) async fn pay(&self, refund_id: &str) -> Result<Refund, ToolError> {
        send(self.http.post(self.at(&["refunds", refund_id, "pay"])?)).await
    }

    pub(crate) async fn record_return(&self, parcel: &Return) -> Result<(), ToolError> {
        send(self.http.post(self.at(&["returns"])?).json(parcel)).await
    }

    /// How far the visit to the payment page is. It is the clerk's own, whoever opens the page.
    pub(crate) async fn visit(&self, flow: &Flow) -> Result<Visit, ToolError> {
        let visitor = json!({ "clerk": self.clerk });
        send(
            self.http
                .put(self.at(&["visits", flow.id()])?)
                .json(&visitor),
        )
        .await
    }

    /// Where the clerk signs in.
    pub(crate) fn payment_page(&self, flow: &Flow) -> Result<Url, ToolError> {
        self.at(&["pay", flow.id()])
    }

    /// A URL of the API. Each segment is encoded: an id comes from a model and may hold anything. What
    /// stands for a directory cannot be encoded, and a URL would lose it.
    fn at(&self, segments: &[&str]) -> Result<Url, ToolError> {
        if let Some(id) = segments.iter().find(|id| matches!(**id, "" | "." | "..")) {
            return Err(ToolError::new(format!("there is no id {id:?}")));
        }
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        Ok(url)
    }
}

/// What the shop refuses, it says in words that are fit for the model; other failures are not.
async fn send<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, ToolError> {
    let response = request.send().await?;
    if response.status().is_client_error() {
        return Err(ToolError::new(response.text().await?));
    }
    Ok(response.error_for_status()?.json().await?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_id_cannot_leave_its_place_in_the_path() {
        let shop = Shop::new("http://127.0.0.1:9/", "lea").unwrap();
        for (id, path) in [
            ("R-0111", "/refunds/R-0111/confirm"),
            ("R-1/cancel?x=#", "/refunds/R-1%2Fcancel%3Fx=%23/confirm"),
            ("%2e%2e", "/refunds/%252e%252e/confirm"),
        ] {
            let url = shop.at(&["refunds", id, "confirm"]).unwrap();
            assert_eq!(url.path(), path);
        }
        for id in ["", ".", ".."] {
            assert!(shop.at(&["refunds", id, "confirm"]).is_err(), "{id}");
        }
    }
}
