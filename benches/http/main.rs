//! Measures the processor time of a call over HTTP: this framework's server beside two floors written by hand and
//! beside the official Rust SDK, all in one run, in turns. See benches/README.md.

use std::path::Path;
use std::process::Command;

use mcp_bench_drive::{Error, HttpPeer, Options, Usage, Workload, build_rmcp, measure};

/// How many calls are under way, each on a connection of its own.
const IN_FLIGHT: [usize; 2] = [1, 32];

const WORKLOADS: [Workload; 4] = [
    Workload::Echo100,
    Workload::Echo64k,
    Workload::List,
    Workload::Confirm,
];

fn main() -> Result<(), Error> {
    let Some(options) = Options::read(&WORKLOADS)? else {
        return Ok(());
    };
    if !Usage::is_known() {
        return Ok(());
    }
    let floor = Path::new(env!("CARGO_BIN_EXE_floor"));
    let ours = Path::new(env!("CARGO_BIN_EXE_bench-server"));
    let mut commands = vec![
        ("axum floor", command(floor, &["--http", "axum"])),
        ("hyper floor", command(floor, &["--http", "hyper"])),
        ("mcp-server", command(ours, &["--http"])),
    ];
    if let Some(program) = build_rmcp(floor, &options) {
        commands.push(("rmcp", command(&program, &["--http"])));
    }
    let mut servers = Vec::new();
    for (name, mut command) in commands {
        let peer = HttpPeer::start(&mut command).map_err(|error| format!("{name}: {error}"))?;
        servers.push((name, peer));
    }
    print!("{}", measure("HTTP", servers, &IN_FLIGHT, &options)?);
    Ok(())
}

fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
