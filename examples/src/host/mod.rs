//! A host for the terminal: it lists and calls the tools of any server, gets prompts and reads resources, and
//! shows a person what the server asks.
//!
//! What a server says is untrusted: every text of it goes through [`clean`] before it is shown.

mod answers;
mod asking;
mod call;
pub mod clean;
pub mod cli;
mod field;
pub mod form;
mod list;
pub mod page;
mod progress;
mod prompts;
mod resources;

use std::{
    fmt::Display,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use mcp_client::{Builder, ChildProcess, Client, Error, HttpTransport, Revision, Trace};
use serde::Serialize;

use self::{
    clean::escape_json,
    cli::{Cli, Command, Server},
};
use crate::AnyError;

/// How long a server may take to start and to answer. A person waits for it.
const STARTUP: Duration = Duration::from_secs(10);

/// Runs one command. The exit code says whether a called tool failed.
///
/// # Errors
///
/// There is no result.
pub async fn run(cli: Cli) -> Result<ExitCode, AnyError> {
    let host = Host {
        trace: cli.trace,
        json: cli.json,
        revision: cli.revision,
    };
    match cli.command {
        Command::List { server } => list::list(&host, &server).await,
        Command::Call(call) => call::call(&host, call).await,
        Command::Prompts { server } => prompts::list(&host, &server).await,
        Command::Prompt(prompt) => prompts::get(&host, prompt).await,
        Command::Complete(complete) => prompts::complete(&host, complete).await,
        Command::Resources { server } => resources::list(&host, &server).await,
        Command::Read(read) => resources::read(&host, read).await,
        Command::Watch(watch) => resources::watch(&host, watch).await,
    }
}

/// What all commands share.
#[derive(Debug)]
struct Host {
    trace: Option<PathBuf>,
    json: bool,
    revision: Option<Revision>,
}

impl Host {
    /// Connects, does the work unless Ctrl-C comes first, and closes the connection in any case.
    async fn run<T>(
        &self,
        server: &Server,
        client: Builder,
        work: impl AsyncFnOnce(&Client) -> Result<T, Error>,
    ) -> Result<T, AnyError> {
        let client = unless_interrupted(self.connect(server, client)).await??;
        let done = unless_interrupted(work(&client)).await;
        client.close().await;
        Ok(done??)
    }

    /// To a child process or over HTTP, with a record of all messages if one is wanted.
    async fn connect(&self, server: &Server, client: Builder) -> Result<Client, AnyError> {
        let record: Box<dyn Write + Send> = match &self.trace {
            Some(path) => Box::new(private_file(path)?),
            None => Box::new(io::sink()),
        };
        let mut client = client.probe_timeout(STARTUP);
        if let Some(revision) = self.revision {
            client = client.revision(revision);
        }
        let connected = match (&server.http, server.command.split_first()) {
            (Some(url), _) => {
                let endpoint = HttpTransport::new(url);
                client.connect(Trace::wrap(endpoint, record)).await
            }
            (None, Some((program, arguments))) => {
                let child = ChildProcess::new(program).args(arguments);
                client.connect(Trace::wrap(child, record)).await
            }
            (None, None) => return Err("there is no command after --".into()),
        };
        connected.map_err(explained)
    }

    /// Prints a result as JSON if that is wanted, and otherwise line by line.
    fn print(
        &self,
        result: &impl Serialize,
        lines: impl FnOnce() -> Vec<String>,
    ) -> Result<ExitCode, AnyError> {
        if self.json {
            say(escape_json(&serde_json::to_string_pretty(result)?))?;
        } else {
            lines().iter().try_for_each(say)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints a line. Whoever reads may have gone, as `head` has after its lines, which `println!` would take for a
/// reason to panic.
fn say(line: impl Display) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// A client that cannot be asked.
fn client() -> Builder {
    Client::builder("host", env!("CARGO_PKG_VERSION"))
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
