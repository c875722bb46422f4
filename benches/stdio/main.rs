//! Measures the processor time of a call over stdio: this framework's server beside a floor written by hand and
//! beside the official Rust SDK, all in one run, in turns. See benches/README.md.

use std::path::Path;
use std::process::Command;

use mcp_bench_drive::{Error, Options, Peer, Usage, Workload, build_rmcp, measure};

/// How many calls are under way: one at a time, and as many as a busy host may have.
const IN_FLIGHT: [usize; 2] = [1, 64];

fn main() -> Result<(), Error> {
    let Some(options) = Options::read(&Workload::ALL)? else {
        return Ok(());
    };
    if !Usage::is_known() {
        return Ok(());
    }
    let floor = Path::new(env!("CARGO_BIN_EXE_floor"));
    let mut commands = vec![
        ("floor", Command::new(floor)),
        (
            "mcp-server",
            Command::new(env!("CARGO_BIN_EXE_bench-server")),
        ),
    ];
    if let Some(program) = build_rmcp(floor, &options) {
        commands.push(("rmcp", Command::new(program)));
    }
    let mut servers = Vec::new();
    for (name, mut command) in commands {
        let mut peer = Peer::start(&mut command)?;
        peer.discover()
            .map_err(|error| format!("{name}: {error}"))?;
        servers.push((name, peer));
    }
    print!("{}", measure("stdio", servers, &IN_FLIGHT, &options)?);
    Ok(())
}
