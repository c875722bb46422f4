//! The shop's own HTTP API, on loopback: what a business has before it has any tools.
//!
//! Whoever runs on this machine may call it; it is a demo. Its state lives as long as the process.

mod books;
mod page;
mod routes;

use std::io;

use tokio::{net::TcpListener, task::JoinHandle};

/// A running API, which ends when this is dropped.
#[derive(Debug)]
pub struct Api {
    /// Where it is, such as `http://127.0.0.1:40123`.
    pub url: String,
    task: JoinHandle<()>,
}

impl Api {
    /// Starts it on a free port of the loopback interface.
    ///
    /// # Errors
    ///
    /// There is no free port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes::router()).await {
                tracing::error!(%error, "the shop's API has ended");
            }
        });
        Ok(Self { url, task })
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reqwest::{Client, StatusCode};
    use serde_json::{Value, json};

    use super::*;

    /// Sends a request; the answer's body is `null` where it is no JSON.
    async fn post(api: &Api, path: &str, body: Value) -> (StatusCode, Value) {
        let client = Client::builder().no_proxy().build().unwrap();
        let url = format!("{}{path}", api.url);
        let response = client.post(url).json(&body).send().await.unwrap();
        (response.status(), response.json().await.unwrap_or_default())
    }

    async fn refund(api: &Api, order: &str) -> Value {
        let (_, quote) = post(api, "/quotes", json!({ "order_id": order })).await;
        let (status, refund) = post(api, "/refunds", json!({ "quote_id": quote["id"] })).await;
        assert_eq!(status, StatusCode::OK);
        refund
    }

    #[tokio::test]
    async fn a_held_refund_is_confirmed_once() {
        let api = Api::start().await.unwrap();
        let held = refund(&api, "O-2289").await;
        assert_eq!(held["status"], "needs_confirmation");
        assert_eq!(held["amount_cents"], 18000);
        let (status, confirmed) = post(&api, "/refunds/R-0111/confirm", json!({})).await;
        assert_eq!(
            (status, &confirmed["status"]),
            (StatusCode::OK, &json!("requested"))
        );
        for step in ["confirm", "cancel"] {
            let (status, _) = post(&api, &format!("/refunds/R-0111/{step}"), json!({})).await;
            assert_eq!(status, StatusCode::CONFLICT, "{step}");
        }
    }

    #[tokio::test]
    async fn a_held_refund_is_cancelled_once() {
        let api = Api::start().await.unwrap();
        refund(&api, "O-1145").await;
        let (status, cancelled) = post(&api, "/refunds/R-0111/cancel", json!({})).await;
        assert_eq!(
            (status, &cancelled["status"]),
            (StatusCode::OK, &json!("cancelled"))
        );
        for step in ["confirm", "cancel", "pay"] {
            let (status, _) = post(&api, &format!("/refunds/R-0111/{step}"), json!({})).await;
            assert_eq!(status, StatusCode::CONFLICT, "{step}");
        }
    }

    #[tokio::test]
    async fn a_small_refund_is_not_held() {
        let api = Api::start().await.unwrap();
        assert_eq!(refund(&api, "O-3310").await["status"], "requested");
        let (status, _) = post(&api, "/refunds/R-0111/confirm", json!({})).await;
        assert_eq!(status, StatusCode::CONFLICT);
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        let api = Api::start().await.unwrap();
        for (path, body) in [
            ("/quotes", json!({ "order_id": "O-1" })),
            ("/refunds", json!({ "quote_id": "Q-1" })),
            ("/refunds/R-0111/confirm", json!({})),
        ] {
            assert_eq!(
                post(&api, path, body).await.0,
                StatusCode::NOT_FOUND,
                "{path}"
            );
        }
    }
}
