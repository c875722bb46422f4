//! Measures the processor time of a call over stdio: this framework's server beside a floor written by hand and
//! beside the official Rust SDK, all in one run, in turns. See benches/README.md.

mod options;
mod peers;
mod table;

use std::process::Command;
use std::time::Duration;

use mcp_benches::{Error, Peer, Script, Until, Usage};
use options::Options;
use table::Table;

/// How many calls are under way: one at a time, and as many as a busy host may have.
const IN_FLIGHT: [usize; 2] = [1, 64];

/// Calls that warm a server up before the first round.
const WARM_UP: Until = Until::Elapsed(Duration::from_millis(200));

/// A server under measurement, with what its right replies are.
struct System {
    peer: Peer,
    scripts: Vec<Script>,
}

fn main() -> Result<(), Error> {
    let Some(options) = Options::parse(std::env::args().skip(1))? else {
        println!("{}", options::USAGE);
        return Ok(());
    };
    if !std::path::Path::new("/proc/self/stat").exists() {
        println!(
            "skipped: the processor time of a server is read from /proc, which only Linux has"
        );
        return Ok(());
    }
    let mut commands = vec![
        ("floor", Command::new(env!("CARGO_BIN_EXE_floor"))),
        (
            "mcp-server",
            Command::new(env!("CARGO_BIN_EXE_bench-server")),
        ),
    ];
    if options.peers {
        match peers::rmcp() {
            Ok(program) => commands.push(("rmcp", Command::new(program))),
            Err(why) => println!("rmcp: skipped, it could not be built: {why}"),
        }
    } else {
        println!("rmcp: skipped, because of --no-peers");
    }
    let table = measure(commands, &options)?;
    print!("{table}");
    Ok(())
}

fn measure(commands: Vec<(&'static str, Command)>, options: &Options) -> Result<Table, Error> {
    let mut names = Vec::new();
    let mut systems = Vec::new();
    for (name, mut command) in commands {
        let mut peer = Peer::start(&mut command)?;
        peer.discover()
            .map_err(|error| format!("{name}: {error}"))?;
        let scripts = options.workloads.iter().map(|w| Script::new(*w)).collect();
        names.push(name);
        systems.push(System { peer, scripts });
    }
    let mut table = Table::new(&names);
    let seconds = Until::Elapsed(options.time);
    for round in 0..=options.rounds {
        for (at, workload) in options.workloads.iter().enumerate() {
            for in_flight in IN_FLIGHT {
                let row = table.row(*workload, in_flight);
                for (column, system) in systems.iter_mut().enumerate() {
                    let until = if round == 0 { WARM_UP } else { seconds };
                    let taken = call_time(system, at, in_flight, until)
                        .map_err(|error| format!("{}: {error}", names[column]))?;
                    if round > 0 {
                        table.add(row, column, taken);
                    }
                }
            }
        }
        eprintln!(
            "round {round} of {}{}",
            options.rounds,
            if round == 0 { " (warming up)" } else { "" }
        );
    }
    for (name, system) in names.iter().zip(systems) {
        system
            .peer
            .finish()
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(table)
}

/// The server's processor time for one call of a run, in microseconds.
fn call_time(
    system: &mut System,
    workload: usize,
    in_flight: usize,
    until: Until,
) -> Result<f64, Error> {
    let System { peer, scripts } = system;
    let before = Usage::of(peer.id())?;
    let calls = peer.run(&mut scripts[workload], in_flight, until)?;
    // The last reply may be here before the server has gone back to sleep and its time was counted.
    std::thread::sleep(Duration::from_millis(2));
    let used = Usage::of(peer.id())?.since(&before);
    Ok(used.as_secs_f64() * 1e6 / calls as f64)
}
