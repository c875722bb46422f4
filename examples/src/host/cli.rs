//! The command line.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use serde_json::value::RawValue;

use super::answers::Given;

/// List and call the tools of a server that speaks the protocol over standard input and output.
#[derive(Debug, Parser)]
#[command(name = "host")]
pub struct Cli {
    /// Record every message in this file, as JSON lines. It will hold answers: keep it private.
    #[arg(long, value_name = "FILE", global = true)]
    pub trace: Option<PathBuf>,
    /// Print JSON, as the server sent it.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the server's tools.
    List {
        /// The command that starts the server.
        #[arg(last = true, required = true, value_name = "CMD")]
        server: Vec<OsString>,
    },
    /// Call a tool, and answer what it asks.
    Call(Call),
}

/// A call.
#[derive(Debug, Args)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments, as a JSON object.
    #[arg(value_name = "JSON", value_parser = json)]
    pub arguments: Box<RawValue>,
    /// Answer a question without asking: the form's fields as a JSON object, or `accept`, `decline` or
    /// `cancel`.
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<Given>,
    /// The command that starts the server.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub server: Vec<OsString>,
}

/// Kept as text, so that every digit reaches the server.
fn json(text: &str) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::from_str(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_servers_own_options_are_left_alone() {
        let line = [
            "host", "call", "t", "{}", "--answer", "a=cancel", "--json", "--", "srv", "--json",
        ];
        let cli = Cli::try_parse_from(line).unwrap();
        assert!(cli.json);
        let Command::Call(call) = cli.command else {
            panic!("a call was meant");
        };
        assert_eq!(call.answers.len(), 1);
        assert_eq!(call.server, ["srv", "--json"]);
    }

    #[test]
    fn a_server_and_valid_json_are_needed() {
        for line in [
            &["host", "list"][..],
            &["host", "call", "t", "{}"],
            &["host", "call", "t", "{", "--", "srv"],
        ] {
            assert!(Cli::try_parse_from(line).is_err(), "{line:?}");
        }
    }
}
