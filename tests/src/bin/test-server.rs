//! A server over stdio with tools that misbehave in the ways the tests are about.
//!
//! It runs on one thread, so that whatever blocks it shows. `--grace-ms N` sets how long calls may go on after the
//! end of the input, `--timer` adds a task that never ends.

use std::{
    io::{self, Write as _},
    time::Duration,
};

use mcp_server::{LoggingLevel, Progress, prelude::*};

#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    /// Check to go ahead.
    confirm: bool,
}

/// Gives back what it gets.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Asks before it goes on.
#[tool]
async fn confirm(what: String, #[elicit("Go on with {what}?")] answer: Elicit<Confirm>) -> String {
    format!("{what}: {answer:?}")
}

/// Prints to standard output, as a careless tool or a library would.
#[tool]
async fn chatty(text: String) -> String {
    println!("printed: {text}");
    print!("and without a line's end");
    let _ = io::stdout().flush();
    text
}

/// Prints from its own thread.
#[tool]
fn chatty_sync(text: String) -> String {
    println!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"printed\":\"{text}\"}}"
    );
    text
}

/// Launches a child that prints, and that would read the client's messages if it could.
#[tool]
async fn child(ctx: Context) -> Result<String, ToolError> {
    let output = tokio::process::Command::new("sh")
        .args(["-c", "echo from the child; cat; echo end >&2"])
        .kill_on_drop(true)
        .status();
    tokio::select! {
        status = output => Ok(format!("the child ended: {}", status?.success())),
        () = ctx.cancelled() => Err(ToolError::new("cancelled")),
    }
}

/// Blocks its thread.
#[tool]
fn block(ms: u64) -> String {
    std::thread::sleep(Duration::from_millis(ms));
    format!("blocked for {ms}")
}

/// Waits.
#[tool]
async fn wait(ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("waited for {ms}")
}

/// Leaves a file behind, once, after a while.
#[tool(once)]
async fn leave(
    path: String,
    ms: u64,
    #[elicit("Leave {path}?")] answer: Resolve<Confirm>,
) -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    std::fs::write(&path, format!("confirmed: {}", answer.confirm))?;
    Ok(path)
}

/// Reports as it is told to, then waits.
#[tool]
async fn report(steps: Vec<f64>, ms: u64, ctx: Context) -> String {
    for step in steps {
        ctx.progress(Progress::new(step).total(10.0));
        ctx.log(LoggingLevel::Info, format!("at {step}"));
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ctx.log(LoggingLevel::Error, "done");
    "reported".to_owned()
}

/// Panics.
#[tool]
fn panic() -> String {
    panic!("at /srv/secret")
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let grace = arguments
        .iter()
        .position(|argument| argument == "--grace-ms")
        .and_then(|at| arguments.get(at + 1)?.parse().ok())
        .unwrap_or(5000);
    let server = Server::builder("test-server", "1.0.0")
        .drain_grace(Duration::from_millis(grace))
        .tools(tools![
            echo,
            confirm,
            chatty,
            chatty_sync,
            child,
            block,
            wait,
            leave,
            report,
            panic
        ])
        .build()
        .map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        if arguments.iter().any(|argument| argument == "--timer") {
            tokio::spawn(async {
                loop {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
        }
        server.serve_stdio().await
    })
}
