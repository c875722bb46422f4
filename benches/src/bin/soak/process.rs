//! The server's process.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use mcp_bench_drive::Error;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// How long the server may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs. Dropped, it is killed.
pub(crate) struct Process {
    child: Child,
    pub(crate) id: u32,
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) async fn start() -> Result<Self, Error> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            // What is freed goes back to the system, where the allocator is glibc's: otherwise it keeps, after large
            // answers, what nobody holds any more, and that hides what somebody does.
            .env("MALLOC_MMAP_THRESHOLD_", "131072")
            .env("MALLOC_TRIM_THRESHOLD_", "131072")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let id = child.id().ok_or("the server has ended already")?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        timeout(PATIENCE, BufReader::new(output).read_line(&mut line)).await??;
        let address = line
            .trim()
            .parse()
            .map_err(|_| "the server does not start")?;
        Ok(Self { child, id, address })
    }

    /// Closes the server's input and waits until it has ended by itself.
    pub(crate) async fn finish(mut self) -> Result<(), Error> {
        drop(self.child.stdin.take());
        let status = timeout(PATIENCE, self.child.wait())
            .await
            .map_err(|_| "the server does not end when it is told to")??;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }
}

/// Lets this process have as many open files as it may, which must be this many at least.
pub(crate) fn raise_limit(needed: u64) -> Result<(), Error> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            ..limit
        },
    )?;
    match limit.maximum {
        Some(most) if most < needed => Err(format!(
            "a process may have {most} open files here, and this takes {needed}: raise the hard limit, \
             see `ulimit -Hn`, or run it with --short"
        )
        .into()),
        _ => Ok(()),
    }
}
