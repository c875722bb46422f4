//! One measurement of one server, for scripts: see [`USAGE`].

#[cfg(unix)]
use std::process::Command;
#[cfg(unix)]
use std::time::{Duration, Instant};

#[cfg(unix)]
use mcp_bench_drive::{Error, HttpPeer, Peer, Script, Until, Workload, resident_kib};

#[cfg(unix)]
const USAGE: &str = "usage:
  drive calls WORKLOAD COUNT COMMAND..   makes COUNT calls, one at a time, and checks each reply
  drive http WORKLOAD COUNT COMMAND..    the same over HTTP, at the port that the command is told in PORT
  drive start TIMES COMMAND..            the median time from start to the first discover, in microseconds
  drive idle COMMAND..                   the resident memory of a server that was asked once, in KiB";

#[cfg(unix)]
fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        ["calls", workload, count, program, rest @ ..] => {
            let calls = Until::Calls(count.parse()?);
            let mut peer = Peer::start(Command::new(program).args(rest))?;
            peer.discover()?;
            peer.run(&mut Script::new(Workload::parse(workload)?), 1, calls)?;
            peer.finish()
        }
        ["http", workload, count, program, rest @ ..] => {
            let calls = Until::Calls(count.parse()?);
            let mut peer = HttpPeer::start(Command::new(program).args(rest))?;
            peer.run(&mut Script::new(Workload::parse(workload)?), 1, calls)?;
            peer.finish()
        }
        ["start", times, program, rest @ ..] => {
            let mut taken = Vec::new();
            for _ in 0..times.parse::<usize>()?.max(1) {
                let begun = Instant::now();
                let mut peer = Peer::start(Command::new(program).args(rest))?;
                peer.discover()?;
                taken.push(begun.elapsed().as_micros());
            }
            taken.sort_unstable();
            println!("{}", taken[taken.len() / 2]);
            Ok(())
        }
        ["idle", program, rest @ ..] => {
            let mut peer = Peer::start(Command::new(program).args(rest))?;
            peer.discover()?;
            std::thread::sleep(Duration::from_millis(300));
            println!("{}", resident_kib(peer.id())?);
            peer.finish()
        }
        _ => Err(USAGE.into()),
    }
}

#[cfg(not(unix))]
fn main() {
    eprintln!("this needs a Unix system: it waits for the server's pipes with `poll`");
}
