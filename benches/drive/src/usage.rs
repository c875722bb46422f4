//! What a process used, from `/proc`.

use std::collections::BTreeMap;
use std::time::Duration;
use std::{fs, io};

/// The processor time of a process so far.
#[derive(Debug)]
pub struct Usage {
    /// Nanoseconds by thread: exact, but gone when a thread ends.
    threads: BTreeMap<u32, u64>,
    /// User and system time of the whole process, exact to [`TICK`] only.
    ticks: u64,
}

/// The unit of `/proc/PID/stat`: a hundredth of a second, on every Linux there is.
const TICK: Duration = Duration::from_millis(10);

impl Usage {
    /// Whether this system tells it; where it does not, that is said.
    pub fn is_known() -> bool {
        let known = std::path::Path::new("/proc/self/stat").exists();
        if !known {
            println!(
                "skipped: the processor time of a server is read from /proc, which only Linux has"
            );
        }
        known
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// The process is gone, or this system has no `/proc` as Linux has it.
    pub fn of(pid: u32) -> io::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The second field is the program's name in brackets, and may hold spaces.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let field = |n: usize| fields.split_whitespace().nth(n)?.parse::<u64>().ok();
        let (Some(user), Some(system)) = (field(11), field(12)) else {
            return Err(io::Error::other("/proc/PID/stat has another form here"));
        };
        let mut threads = BTreeMap::new();
        for task in fs::read_dir(format!("/proc/{pid}/task"))? {
            let task = task?;
            // Kernels without scheduler statistics have no such file: then the ticks must do.
            let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else {
                continue;
            };
            let thread = task.file_name().to_str().and_then(|name| name.parse().ok());
            let time = text.split_whitespace().next().and_then(|t| t.parse().ok());
            if let (Some(thread), Some(time)) = (thread, time) {
                threads.insert(thread, time);
            }
        }
        Ok(Self {
            threads,
            ticks: user + system,
        })
    }

    /// What was used since `before`.
    pub fn since(&self, before: &Self) -> Duration {
        let same = before.threads.keys().all(|t| self.threads.contains_key(t));
        if same && !self.threads.is_empty() {
            let sum = |usage: &Self| usage.threads.values().sum::<u64>();
            Duration::from_nanos(sum(self).saturating_sub(sum(before)))
        } else {
            TICK * u32::try_from(self.ticks.saturating_sub(before.ticks)).unwrap_or(u32::MAX)
        }
    }
}

/// The memory of a process that is resident now, in KiB.
///
/// # Errors
///
/// The process is gone, or this system has no `/proc` as Linux has it.
pub fn resident_kib(pid: u32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| io::Error::other("/proc/PID/status names no VmRSS here"))
}
