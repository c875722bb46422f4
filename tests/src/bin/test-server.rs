//! A server over stdio with tools that misbehave in the ways the tests are about.
//!
//! It runs on one thread, so that whatever blocks it shows. `--grace-ms N` sets how long calls may go on after the
//! end of the input, `--claimed-grace-ms N` how much longer those that have claimed something. `--timer` adds a task that
//! never ends. `--socket` serves over standard input as a socket, as any other byte stream is served.

use std::{
    io::{self, Write as _},
    path::Path,
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

/// Blocks its thread until there is such a file.
#[tool]
fn block_until(path: &str) -> &'static str {
    while !Path::new(path).exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    "let go"
}

/// Leaves an empty file behind, from a thread of its own.
#[tool]
fn mark(path: &str) -> Result<&'static str, ToolError> {
    std::fs::write(path, "")?;
    Ok("marked")
}

/// Says a lot.
#[tool]
async fn large(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Reports its progress more often than anybody reads, then leaves an empty file behind.
#[tool]
async fn flood(reports: u32, path: String, ctx: Context) -> Result<&'static str, ToolError> {
    for report in 0..reports {
        ctx.progress(f64::from(report));
        if report % 1000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    std::fs::write(path, "")?;
    Ok("flooded")
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

/// Says that the list of tools has changed.
#[tool]
fn change(ctx: Context) -> &'static str {
    ctx.server().notify().tools_changed();
    "changed"
}

/// Begins to shut the server down, after a while.
#[tool]
async fn shut_down(ms: u64, ctx: Context) -> &'static str {
    let shutdown = ctx.server().shutdown();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        shutdown.begin();
    });
    "shutting down"
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |option: &str| arguments.iter().position(|argument| argument == option);
    let millis = |option: &str, default: u64| {
        let number = given(option).and_then(|at| arguments.get(at + 1)?.parse().ok());
        Duration::from_millis(number.unwrap_or(default))
    };
    let server = Server::builder("test-server", "1.0.0")
        .drain_grace(millis("--grace-ms", 5000))
        .claimed_grace(millis("--claimed-grace-ms", 60_000))
        .tools(tools![
            echo,
            confirm,
            chatty,
            chatty_sync,
            child,
            block,
            block_until,
            mark,
            large,
            flood,
            wait,
            leave,
            report,
            panic,
            change,
            shut_down
        ])
        .build()
        .map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        if given("--timer").is_some() {
            tokio::spawn(async {
                loop {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
        }
        if given("--socket").is_some() {
            return serve_socket(&server).await;
        }
        server.serve_stdio().await
    })
}

#[cfg(unix)]
async fn serve_socket(server: &Server) -> io::Result<()> {
    use std::os::{fd::AsFd as _, unix::net::UnixStream};

    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.set_nonblocking(true)?;
    let (reader, writer) = tokio::net::UnixStream::from_std(socket)?.into_split();
    server.serve(reader, writer).await
}

#[cfg(not(unix))]
async fn serve_socket(_: &Server) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
