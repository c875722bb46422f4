//! Every feature that a server can offer: `everything --http 127.0.0.1:3000` serves HTTP at `/mcp`, without
//! options it serves standard input and output.

use std::net::SocketAddr;

use clap::Parser;
use mcp_examples::{everything, logging};

/// A server that shows every feature.
#[derive(Parser)]
struct Cli {
    /// Serve HTTP at this address, in place of standard input and output.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cli = Cli::parse();
    logging::start();
    let server = everything::server()?;
    match cli.http {
        Some(address) => server.serve_http(address).await?,
        None => server.serve_stdio().await?,
    }
    Ok(())
}
