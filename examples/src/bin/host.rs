//! A host for the terminal; see `host --help`.

use std::{error::Error, io, process::ExitCode};

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
        Err(error) if is_unread(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            // It may quote the server.
            eprintln!("error: {}", clean(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Whoever reads the output has seen enough.
fn is_unread(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
