//! Soak test of the server over HTTP, which runs in a process of its own: see [`USAGE`].
//!
//! Everything that is measured is compared with the same server at rest after smaller loads of the same kind, because the
//! first loads of a process make room that it keeps: in the allocator, for threads and buffers.

mod connection;
mod crowd;
mod level;
mod load;
mod process;
mod server;
mod streams;

use std::time::{Duration, Instant};

use mcp_bench_drive::Error;

use crate::crowd::Crowd;
use crate::level::Level;
use crate::process::Process;
use crate::streams::Streams;

const USAGE: &str = "usage: soak [--short]
  the whole takes half a minute where it is optimised and the machine is idle, and 12,000 open files; --short 4,000";

/// How much more memory than at rest before the load, in KiB. A leak of 84 bytes with each of 50,000 calls is more.
const GROWTH: u64 = 4 * 1024;

/// What an open subscription may take, in KiB.
const STREAM: f64 = 24.0;

/// How long an ordinary call may take while there is a crowd. Most take a thousandth of it, but this machine is busy.
const PATIENT: Duration = Duration::from_secs(1);

/// How much of everything.
struct Size {
    calls: usize,
    streams: usize,
    idle: usize,
}

const WHOLE: Size = Size {
    calls: 50_000,
    streams: 1_000,
    idle: 10_000,
};

const SHORT: Size = Size {
    calls: 5_000,
    streams: 300,
    idle: 2_000,
};

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let size = match &words[..] {
        ["serve"] => return server::serve(),
        [] => WHOLE,
        ["--short"] => SHORT,
        _ => return Err(USAGE.into()),
    };
    process::raise_limit(size.idle as u64 + 2_000)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        calls(&size).await?;
        crowd(&size).await?;
        memory(&size).await
    })
}

/// Many calls while subscriptions are open; then all must be as before.
async fn calls(size: &Size) -> Result<(), Error> {
    let process = Process::start().await?;
    let mut before = None;
    // What the allocator keeps grows with the first two, and hardly with those that follow.
    for calls in [size.calls / 5, size.calls / 5, size.calls] {
        let begun = Instant::now();
        let streams = Streams::open(process.address, size.streams).await?;
        let tally = load::run(process.address, calls, &streams.changes).await?;
        let heard = streams.settled().await?;
        let took = begun.elapsed();
        let rest = Level::at_rest(&process, before.as_ref()).await?;
        println!("{calls} calls, {tally}; {heard}; {took:.1?}");
        println!("  at rest afterwards: {rest}");
        if calls == size.calls
            && let Some(before) = &before
        {
            rest.compare(before, GROWTH)?;
        }
        before = Some(rest);
    }
    load::all_places(process.address).await?;
    println!("  all {} places can be taken at once", server::PLACES);
    process.finish().await
}

/// Others that stop nobody, however slow they are.
async fn crowd(size: &Size) -> Result<(), Error> {
    let process = Process::start().await?;
    let mut before = None;
    // The room of so many connections is not compared: what the allocator keeps of it grows with the first five crowds.
    for idle in [size.idle / 5, size.idle] {
        let crowd = Crowd::gather(process.address, idle).await?;
        let there = Level::of(&process).await?;
        let slowest = crowd.call_among(process.address).await?;
        println!("{crowd}; {slowest}");
        println!("  with them: {there}");
        slowest.within(PATIENT)?;
        crowd.leave().await?;
        let rest = Level::at_rest(&process, before.as_ref()).await?;
        println!("  at rest afterwards: {rest}");
        before = Some(rest);
    }
    process.finish().await
}

/// What an open subscription takes; and all of them end in good order with the server.
async fn memory(size: &Size) -> Result<(), Error> {
    let process = Process::start().await?;
    let warm = Streams::open(process.address, 10).await?;
    drop(warm);
    let before = Level::at_rest(&process, None).await?;
    let streams = Streams::open(process.address, size.streams).await?;
    let open = Level::of(&process).await?;
    let each = (open.resident as f64 - before.resident as f64) / size.streams as f64;
    println!("{} subscriptions: {each:.1} KiB each", size.streams);
    if each > STREAM {
        return Err(format!("an open subscription takes more than {STREAM} KiB").into());
    }
    let ended = process.finish();
    let results = streams.ended();
    ended.await?;
    results.await?;
    println!("  each got its result when the server ended");
    Ok(())
}
