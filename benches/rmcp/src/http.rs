//! The same over HTTP, at `/mcp` of 127.0.0.1 and the port in `PORT`: in stateless mode, with answers in JSON and without
//! delay in TCP.

use std::error::Error;
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::Bench;

/// Serves on as many threads as there are cores, or on one with `RT=current`.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    let port = std::env::var("PORT").map_or(Ok(8000), |port| port.parse::<u16>())?;
    let mut runtime = match std::env::var("RT").as_deref() {
        Ok("current") => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let server = Bench::new()?;
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = false;
    config.json_response = true;
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    runtime.enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        let listener = listener.tap_io(|tcp| {
            let _ = tcp.set_nodelay(true);
        });
        axum::serve(listener, router).await?;
        Ok(())
    })
}
