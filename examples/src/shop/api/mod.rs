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
