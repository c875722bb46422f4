//! A host for the terminal; see `host --help`.

use std::process::ExitCode;

use clap::Parser;
use mcp_examples::{
    host::{self, clean::clean, cli::Cli},
    logging,
};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start();
    match host::run(cli).await {
        Ok(code) => code,
        Err(error) => {
            // It may quote the server.
            eprintln!("error: {}", clean(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}
