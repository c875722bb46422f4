//! Logging of all examples: to standard error, since standard output belongs to the protocol.

use tracing_subscriber::EnvFilter;

/// Starts logging. Errors, and where HTTP is served, unless `RUST_LOG` says otherwise.
pub fn start() {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("error,mcp_server::transport::http=info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
