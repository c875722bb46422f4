//! The server under load.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_bench_drive::Error;
use mcp_server::ConcurrencyLimit;
use mcp_server::prelude::*;
use tokio::sync::Barrier;

/// How many calls may run at once.
pub(crate) const PLACES: usize = 512;

/// Serves on a free port, which it writes to standard output, until its input is closed.
pub(crate) fn serve() -> Result<(), Error> {
    crate::process::raise_limit(0)?;
    let server = Server::builder("soak", "1.0.0")
        .state(Work::default())
        .state(Barrier::new(PLACES))
        .tools(tools![echo, large, wait, together, change, level])
        .resources(resources![note])
        .layer(ConcurrencyLimit::new(PLACES))
        .build()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        std::thread::spawn(move || {
            let _ = std::io::stdin().read(&mut [0]);
            drop(stop);
        });
        let stopped = async {
            let _ = stopped.await;
        };
        server.http().serve_until(listener, stopped).await?;
        Ok(())
    })
}

/// The calls of [`wait`] that are under way.
#[derive(Default)]
struct Work(AtomicUsize);

/// Counts a call until it is dropped.
struct Waiting<'a>(&'a Work);

impl<'a> Waiting<'a> {
    fn new(work: &'a Work) -> Self {
        work.0.fetch_add(1, Ordering::SeqCst);
        Self(work)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sends the text back, after so many milliseconds.
#[tool]
async fn echo(text: String, pause: u64) -> String {
    if pause > 0 {
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    text
}

/// So many KiB of text.
#[tool]
async fn large(kib: usize) -> String {
    "x".repeat(kib * 1024)
}

/// Reports once, and then waits for longer than anybody has patience.
#[tool]
async fn wait(ctx: Context, work: State<Work>) -> &'static str {
    let _waiting = Waiting::new(&work);
    ctx.progress(1.0);
    tokio::time::sleep(Duration::from_secs(24 * 60 * 60)).await;
    "waited"
}

/// Returns once every place is taken by such a call.
#[tool]
async fn together(barrier: State<Barrier>) -> &'static str {
    barrier.wait().await;
    "together"
}

/// Says that a note has changed.
#[tool]
async fn change(ctx: Context, note: usize) -> String {
    ctx.server()
        .notify()
        .resource_updated(&format!("note://{note}"));
    format!("changed {note}")
}

/// A note.
#[resource("note://{note}")]
async fn note(note: usize) -> String {
    format!("note {note}")
}

/// What only the server itself knows.
#[derive(Debug, Serialize, JsonSchema)]
struct Inside {
    tasks: usize,
    waiting: usize,
    listening: usize,
}

/// How much is under way.
#[tool]
async fn level(ctx: Context, work: State<Work>) -> Json<Inside> {
    Json(Inside {
        tasks: tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks(),
        waiting: work.0.load(Ordering::SeqCst),
        listening: ctx.server().notify().listening(),
    })
}
