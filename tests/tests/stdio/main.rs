//! Serving over standard input and output, with a real child process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod blocking;
mod cancelling;
mod earlier;
mod ending;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod stray;
mod streams;
mod subscribing;

use mcp_tests::wire::Wire;

/// The server, with these arguments.
fn launch(arguments: &[&str]) -> Wire {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_test-server"));
    command.args(arguments);
    Wire::launch(command)
}

/// The most memory that a process has had so far.
#[cfg(target_os = "linux")]
fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = peak.unwrap().split_whitespace().nth(1);
    kib.unwrap().parse().unwrap()
}
