//! The command line.

use std::time::Duration;

use crate::{Error, Workload};

/// What the command line may say.
pub(crate) const USAGE: &str = "cargo bench -p mcp-benches -- [OPTIONS]

  --rounds N             how often each pair of server and workload is measured; 7 unless told
  --seconds S            how long each time; 0.4 unless told
  --only WORKLOAD[,..]   of echo100, echo64k, add, list, confirm
  --no-peers             without rmcp, which takes some minutes to build the first time";

/// What to measure, and how long.
#[derive(Debug)]
pub struct Options {
    /// How often each pair of server and workload is measured.
    pub rounds: usize,
    /// How long each time.
    pub time: Duration,
    /// Which workloads.
    pub workloads: Vec<Workload>,
    /// Whether other frameworks are measured, too.
    pub peers: bool,
}

impl Options {
    /// Reads the words of this program's command line; nothing if they ask for help, which is then printed. These
    /// `workloads` are measured unless it names others.
    ///
    /// # Errors
    ///
    /// An option is unknown, or its value makes no sense.
    pub fn read(workloads: &[Workload]) -> Result<Option<Self>, Error> {
        let options = Self::parse(std::env::args().skip(1), workloads)?;
        if options.is_none() {
            println!("{USAGE}");
        }
        Ok(options)
    }

    fn parse(
        words: impl Iterator<Item = String>,
        workloads: &[Workload],
    ) -> Result<Option<Self>, Error> {
        let mut options = Self {
            rounds: 7,
            time: Duration::from_millis(400),
            workloads: workloads.to_vec(),
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
