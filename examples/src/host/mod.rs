//! A host for the terminal: it lists and calls the tools of any server on standard input and output,
//! and shows a person what the server asks.
//!
//! What a server says is untrusted: every text of it goes through [`clean`] before it is shown.

mod answers;
mod call;
pub mod clean;
pub mod cli;
mod field;
pub mod form;
mod list;
pub mod page;
mod progress;

use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use mcp_client::{ChildProcess, Error, Trace};

use self::cli::{Cli, Command};
use crate::AnyError;

/// How long a server may take to start and to answer. A person waits for it.
const STARTUP: Duration = Duration::from_secs(10);

/// Runs one command. The exit code says whether a called tool failed.
///
/// # Errors
///
/// There is no result.
pub async fn run(cli: Cli) -> Result<ExitCode, AnyError> {
    match cli.command {
        Command::List { server } => {
            list::list(launch(&server, cli.trace.as_deref())?, cli.json).await
        }
        Command::Call(call) => {
            let transport = launch(&call.server, cli.trace.as_deref())?;
            call::call(call, transport, cli.json).await
        }
    }
}

/// The server as a child process, with a record of all messages if one is wanted.
fn launch(server: &[OsString], trace: Option<&Path>) -> Result<Trace<ChildProcess>, io::Error> {
    let (program, arguments) = server
        .split_first()
        .ok_or_else(|| io::Error::other("there is no command after --"))?;
    let child = ChildProcess::new(program).args(arguments);
    let record: Box<dyn Write + Send> = match trace {
        Some(path) => Box::new(private_file(path)?),
        None => Box::new(io::sink()),
    };
    Ok(Trace::wrap(child, record))
}

/// A program that says nothing at all is most likely no server, of whatever revision.
fn explained(error: Error) -> AnyError {
    match error {
        Error::NoAnswer { .. } => format!("{error}; is it an MCP server?").into(),
        error => error.into(),
    }
}

/// Drops `work` at Ctrl-C, which cancels it: the server has a process group of its own, so the
/// terminal does not reach it, and the caller still has to close the connection.
async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Result<T, AnyError> {
    tokio::select! {
        done = work => Ok(done),
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            Err("interrupted".into())
        }
    }
}

/// A trace holds answers and the states of paused calls: nobody else may read it.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    options.open(path).map_err(named)
}
