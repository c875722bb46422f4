//! The command line.

use std::time::Duration;

use mcp_benches::{Error, Workload};

pub(crate) const USAGE: &str = "cargo bench -p mcp-benches -- [OPTIONS]

  --rounds N             how often each pair of server and workload is measured; 7 unless told
  --seconds S            how long each time; 0.4 unless told
  --only WORKLOAD[,..]   of echo100, echo64k, add, list, confirm; all unless told
  --no-peers             without rmcp, which takes some minutes to build the first time";

/// What to measure, and how long.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) peers: bool,
}

impl Options {
    /// Reads the words of a command line; nothing if they ask for help.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Option<Self>, Error> {
        let mut options = Self {
            rounds: 7,
            time: Duration::from_millis(400),
            workloads: Workload::ALL.to_vec(),
            peers: true,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
            match &*word {
                "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
                "--seconds" => options.time = Duration::try_from_secs_f64(value()?.parse()?)?,
                "--only" => {
                    let keys = value()?;
                    let workloads: Result<_, _> = keys.split(',').map(Workload::parse).collect();
                    options.workloads = workloads?;
                }
                "--no-peers" => options.peers = false,
                "--help" => return Ok(None),
                // What cargo itself adds.
                "--bench" => {}
                _ => return Err(format!("unknown option {word}\n\n{USAGE}").into()),
            }
        }
        Ok(Some(options))
    }
}
