//! The smallest server that asks: `notes` speaks the protocol over standard input and output,
//! `notes --http 127.0.0.1:3000` over HTTP.

use std::net::SocketAddr;

use clap::Parser;
use mcp_examples::{logging, notes::Notes};
use mcp_server::prelude::*;

#[derive(Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to delete the note for good.
    confirm: bool,
}

/// Delete one note by id. Asks the user to confirm before deleting.
#[tool(destructive, idempotent)]
async fn delete_note(
    /// The note's id.
    note_id: String,
    notes: State<Notes>,
    #[elicit("Delete note {note_id} ('{}')? This cannot be undone.", notes.title(&note_id)?)]
    answer: Elicit<Confirm>,
) -> Result<String, ToolError> {
    match answer {
        Elicit::Accept(Confirm { confirm: true }) => {
            notes.delete(&note_id)?;
            Ok(format!("Deleted note {note_id}."))
        }
        _ => Ok(format!("Kept note {note_id}: the user did not confirm.")),
    }
}

/// List all notes with their ids.
#[tool(read_only)]
async fn list_notes(notes: State<Notes>) -> String {
    let lines = notes.list().into_iter();
    lines
        .map(|(id, title)| format!("{id}: {title}\n"))
        .collect()
}

/// A server for notes, which asks before it deletes one.
#[derive(Parser)]
struct Cli {
    /// Serve a client over standard input and output, as without options. The `host` example is one:
    /// host call delete_note '{"note_id": "n-1"}' -- notes
    #[arg(long)]
    serve: bool,
    /// Serve HTTP at this address, at `/mcp`, in place of standard input and output.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cli = Cli::parse();
    logging::start();
    let server = Server::builder("notes", env!("CARGO_PKG_VERSION"))
        .state(Notes::load()?)
        .tools(tools![delete_note, list_notes])
        .build()?;
    match cli.http {
        Some(address) => server.serve_http(address).await?,
        None => server.serve_stdio().await?,
    }
    Ok(())
}
