//! What a server holds at a moment: memory, files, tasks, calls.

use std::fmt;
use std::time::{Duration, Instant};

use mcp_bench_drive::{Error, resident_kib};
use serde::Deserialize;
use serde_json::json;

use crate::connection::Connection;
use crate::process::Process;

/// How long a server may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long nothing changes where a server is at rest.
const QUIET: Duration = Duration::from_millis(500);

/// What a server holds, with the one connection that asks for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    /// KiB.
    pub(crate) resident: u64,
    pub(crate) files: usize,
    pub(crate) inside: Inside,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Inside {
    pub(crate) tasks: usize,
    pub(crate) waiting: usize,
    pub(crate) listening: usize,
}

impl Level {
    pub(crate) async fn of(process: &Process) -> Result<Self, Error> {
        let mut connection = Connection::open(process.address).await?;
        let inside = connection.call(1, "level", json!({})).await?;
        Ok(Self {
            resident: resident_kib(process.id)?,
            files: std::fs::read_dir(format!("/proc/{}/fd", process.id))?.count(),
            inside: serde_json::from_str(&inside)?,
        })
    }

    /// The level once nothing is under way any more: as before, or where it stays.
    pub(crate) async fn at_rest(process: &Process, before: Option<&Self>) -> Result<Self, Error> {
        let begun = Instant::now();
        let mut last = Self::of(process).await?;
        loop {
            tokio::time::sleep(QUIET).await;
            let now = Self::of(process).await?;
            let still = now.files == last.files && now.inside == last.inside;
            let idle = now.inside.waiting == 0 && now.inside.listening == 0;
            let same = before.is_none_or(|before| {
                now.files == before.files && now.inside.tasks == before.inside.tasks
            });
            if still && idle && same {
                return Ok(now);
            }
            if begun.elapsed() > PATIENCE {
                let before = before.map_or("nothing".to_owned(), ToString::to_string);
                return Err(
                    format!("the server does not come to rest: {now}; before: {before}").into(),
                );
            }
            last = now;
        }
    }

    /// Compares the memory with what it was; the rest is the same whenever it is at rest.
    pub(crate) fn compare(&self, before: &Self, growth: u64) -> Result<(), Error> {
        if self.resident > before.resident + growth {
            return Err(format!(
                "the server keeps {} KiB more than before the load; {growth} are allowed",
                self.resident - before.resident
            )
            .into());
        }
        Ok(())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inside {
            tasks,
            waiting,
            listening,
        } = &self.inside;
        write!(
            f,
            "{} KiB, {} files, {tasks} tasks, {waiting} calls waiting, {listening} subscriptions",
            self.resident, self.files
        )
    }
}
