//! The command line.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand};
use mcp_client::Revision;
use serde_json::value::RawValue;

use super::answers::Given;

/// List and call the tools of a server, get its prompts and read its resources.
#[derive(Debug, Parser)]
#[command(name = "host")]
pub struct Cli {
    /// Record every message in this file, as JSON lines. It will hold answers: keep it private.
    #[arg(long, value_name = "FILE", global = true)]
    pub trace: Option<PathBuf>,
    /// Print JSON, as the server sent it.
    #[arg(long, global = true)]
    pub json: bool,
    /// Speak this revision of the protocol and no other, such as 2025-11-25; the newest that the server does
    /// unless given.
    #[arg(long, value_name = "DATE", global = true)]
    pub revision: Option<Revision>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the server's tools.
    List {
        /// The server.
        #[command(flatten)]
        server: Server,
    },
    /// Call a tool, and answer what it asks.
    Call(Call),
    /// List the server's prompts.
    Prompts {
        /// The server.
        #[command(flatten)]
        server: Server,
    },
    /// Fill in a prompt, and answer what it asks.
    Prompt(GetPrompt),
    /// Suggest values for an argument of a prompt, or a variable of a resource template.
    Complete(Complete),
    /// List the server's resources and resource templates.
    Resources {
        /// The server.
        #[command(flatten)]
        server: Server,
    },
    /// Read a resource, and answer what it asks. Bytes are written as they are.
    Read(Read),
    /// Print a line for each change of a list or of a resource, until Ctrl-C.
    Watch(Watch),
}

/// The server, which is a program or a URL.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Server {
    /// The URL of a server that runs already.
    #[arg(long, value_name = "URL")]
    pub http: Option<String>,
    /// The command that starts the server.
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// A call.
#[derive(Debug, Args)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments, as a JSON object.
    #[arg(value_name = "JSON", value_parser = json, default_value = "{}")]
    pub arguments: Box<RawValue>,
    /// Answer a question without asking: the form's fields as a JSON object, `accept` for a page, `decline` or
    /// `cancel`.
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<Given>,
    /// The server.
    #[command(flatten)]
    pub server: Server,
}

/// A prompt to fill in.
#[derive(Debug, Args)]
pub struct GetPrompt {
    /// The prompt's name.
    pub name: String,
    /// The arguments, as a JSON object of strings.
    #[arg(value_name = "JSON", value_parser = json, default_value = "{}")]
    pub arguments: Box<RawValue>,
    /// Answer a question without asking, as for a call.
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<Given>,
    /// The server.
    #[command(flatten)]
    pub server: Server,
}

/// An argument to complete.
#[derive(Debug, Args)]
pub struct Complete {
    /// The prompt's name, or the URI template.
    #[arg(value_name = "PROMPT|TEMPLATE")]
    pub of: String,
    /// The argument or variable.
    pub argument: String,
    /// What was typed so far.
    #[arg(default_value = "")]
    pub value: String,
    /// What the other arguments have, as a JSON object of strings.
    #[arg(long, value_name = "JSON", value_parser = json, default_value = "{}")]
    pub context: Box<RawValue>,
    /// The server.
    #[command(flatten)]
    pub server: Server,
}

/// A resource to read.
#[derive(Debug, Args)]
pub struct Read {
    /// The resource's URI.
    pub uri: String,
    /// Answer a question without asking, as for a call.
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<Given>,
    /// The server.
    #[command(flatten)]
    pub server: Server,
}

/// What to watch.
#[derive(Debug, Args)]
pub struct Watch {
    /// Resources to watch, beside the lists.
    #[arg(value_name = "URI")]
    pub uris: Vec<String>,
    /// The server.
    #[command(flatten)]
    pub server: Server,
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
        assert_eq!(call.server.command, ["srv", "--json"]);
    }

    #[test]
    fn a_server_is_a_program_or_a_url_and_arguments_may_be_left_out() {
        let line = [
            "host",
            "prompt",
            "review",
            "--http",
            "http://localhost:3000/mcp",
        ];
        let cli = Cli::try_parse_from(line).unwrap();
        let Command::Prompt(prompt) = cli.command else {
            panic!("a prompt was meant");
        };
        assert_eq!(
            prompt.server.http.as_deref(),
            Some("http://localhost:3000/mcp")
        );
        assert_eq!(prompt.arguments.get(), "{}");
        let line = ["host", "call", "t", "--answer", "a=cancel", "--", "srv"];
        let cli = Cli::try_parse_from(line).unwrap();
        assert!(matches!(cli.command, Command::Call(call) if call.arguments.get() == "{}"));
        let line = ["host", "watch", "x://a", "x://b", "--", "srv"];
        let cli = Cli::try_parse_from(line).unwrap();
        assert!(matches!(cli.command, Command::Watch(watch) if watch.uris == ["x://a", "x://b"]));
    }

    #[test]
    fn a_server_and_valid_json_are_needed() {
        for line in [
            &["host", "list"][..],
            &["host", "call", "t"],
            &["host", "call", "t", "{}"],
            &["host", "call", "t", "{", "--", "srv"],
            &["host", "list", "--http", "http://localhost", "--", "srv"],
        ] {
            assert!(Cli::try_parse_from(line).is_err(), "{line:?}");
        }
    }
}
