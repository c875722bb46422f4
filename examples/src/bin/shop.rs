//! The shop: without arguments it plays the whole story, with `--serve` it is the server in it.

use std::{io::IsTerminal, net::SocketAddr, process::ExitCode};

use clap::Parser;
use mcp_examples::{
    AnyError, logging,
    shop::{
        serve,
        story::{self, Person},
    },
};

/// A shop whose tools stop in the middle of a call and ask a person.
#[derive(Parser)]
struct Cli {
    /// Serve a client over standard input and output.
    #[arg(long)]
    serve: bool,
    /// Serve HTTP at this address, at `/mcp`, in place of standard input and output.
    #[arg(long, value_name = "ADDRESS", requires = "serve")]
    http: Option<SocketAddr>,
    /// Play the story without asking anybody, as it is done where there is no terminal.
    #[arg(long, conflicts_with = "serve")]
    scripted: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), AnyError> {
    if cli.serve {
        return serve::serve(cli.http).await;
    }
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let person = match terminal && !cli.scripted {
        true => Person::AtTheTerminal,
        false => Person::Script,
    };
    story::play(person).await
}
