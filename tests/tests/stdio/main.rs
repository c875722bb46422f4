//! Serving over standard input and output, with a real child process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod blocking;
mod cancelling;
mod ending;
mod lines;
mod stray;
mod streams;

use mcp_tests::wire::Wire;

/// The server, with these arguments.
fn launch(arguments: &[&str]) -> Wire {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"));
    command.args(arguments);
    Wire::launch(command)
}
