//! Several servers in one run, in turns.

use std::time::Duration;

use crate::{Error, HttpPeer, Options, Peer, Script, Table, Until, Usage};

/// Calls that warm a server up before the first round.
const WARM_UP: Until = Until::Elapsed(Duration::from_millis(200));

/// A server under measurement.
pub trait Measured {
    /// Its process.
    fn id(&self) -> u32;

    /// Keeps `in_flight` calls under way until the end, and says how many were answered.
    ///
    /// # Errors
    ///
    /// The server died, was silent for a minute, or a reply was wrong.
    fn run(&mut self, script: &mut Script, in_flight: usize, until: Until) -> Result<u64, Error>;

    /// Ends it.
    ///
    /// # Errors
    ///
    /// It ended with an error, or not in time.
    fn finish(self) -> Result<(), Error>;
}

/// A server with what its right replies are.
struct System<M> {
    peer: M,
    scripts: Vec<Script>,
}

/// Measures these servers with so many calls under way; the first one is the floor.
///
/// # Errors
///
/// As [`Measured::run`], with the name of the server.
pub fn measure<M: Measured>(
    transport: &'static str,
    servers: Vec<(&'static str, M)>,
    in_flight: &[usize],
    options: &Options,
) -> Result<Table, Error> {
    let mut names = Vec::new();
    let mut systems = Vec::new();
    for (name, peer) in servers {
        let scripts = options.workloads.iter().map(|w| Script::new(*w)).collect();
        names.push(name);
        systems.push(System { peer, scripts });
    }
    let mut table = Table::new(transport, &names);
    let seconds = Until::Elapsed(options.time);
    for round in 0..=options.rounds {
        for (at, workload) in options.workloads.iter().enumerate() {
            for &in_flight in in_flight {
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
fn call_time<M: Measured>(
    system: &mut System<M>,
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

impl Measured for Peer {
    fn id(&self) -> u32 {
        self.id()
    }

    fn run(&mut self, script: &mut Script, in_flight: usize, until: Until) -> Result<u64, Error> {
        self.run(script, in_flight, until)
    }

    fn finish(self) -> Result<(), Error> {
        self.finish()
    }
}

impl Measured for HttpPeer {
    fn id(&self) -> u32 {
        self.id()
    }

    fn run(&mut self, script: &mut Script, in_flight: usize, until: Until) -> Result<u64, Error> {
        self.run(script, in_flight, until)
    }

    fn finish(self) -> Result<(), Error> {
        self.finish()
    }
}
