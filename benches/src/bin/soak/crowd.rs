//! Connections that cost something and give nothing: silent, half open, slow to write, slow to read.

use std::fmt;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mcp_bench_drive::Error;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

use crate::connection::{Connection, Request};
use crate::streams::subscribe;

/// How many there are of each kind but the idle ones.
const EACH: usize = 100;

/// What a slow reader has asked for, in KiB: more than the system takes for it.
const LARGE: usize = 4 * 1024;

/// How many ordinary calls are made among them, and how many at once.
const CALLS: usize = 2_000;
const PARALLEL: usize = 8;

/// Everyone who is there.
pub(crate) struct Crowd {
    /// Half of them have never sent anything, half have made a call.
    idle: Vec<Connection>,
    half_open: Vec<Connection>,
    /// They have asked for much, or for changes, and read nothing.
    slow_readers: Vec<Connection>,
    /// Their bodies come a byte at a time, until each has its answer.
    slow_writers: JoinSet<Result<(), Error>>,
}

/// How long the ordinary calls took.
pub(crate) struct Slowest {
    times: Vec<Duration>,
}

impl Crowd {
    pub(crate) async fn gather(address: SocketAddr, idle: usize) -> Result<Self, Error> {
        let mut crowd = Self {
            idle: Vec::new(),
            half_open: Vec::new(),
            slow_readers: Vec::new(),
            slow_writers: JoinSet::new(),
        };
        for n in 0..EACH {
            crowd.slow_writers.spawn(write_slowly(address, n));
            crowd.slow_readers.push(read_nothing(address, n).await?);
            crowd.half_open.push(half_open(address, n).await?);
        }
        for n in 0..idle {
            let mut connection = Connection::open(address).await?;
            if n.is_multiple_of(2) {
                let arguments = json!({"text": "before", "pause": 0});
                connection.call(1, "echo", arguments).await?;
            }
            crowd.idle.push(connection);
        }
        Ok(crowd)
    }

    /// Makes ordinary calls, on connections that stay and on new ones, and changes the note that slow readers listen to.
    pub(crate) async fn call_among(&self, address: SocketAddr) -> Result<Slowest, Error> {
        let mut workers = JoinSet::new();
        for worker in 0..PARALLEL {
            workers.spawn(async move {
                let mut times = Vec::new();
                let mut connection = Connection::open(address).await?;
                for n in 0..CALLS / PARALLEL {
                    let begun = Instant::now();
                    if n.is_multiple_of(10) {
                        connection = Connection::open(address).await?;
                        connection.call(1, "change", json!({"note": 1})).await?;
                    } else {
                        let text = format!("{worker} {n}");
                        let arguments = json!({"text": text, "pause": 0});
                        if connection.call(1, "echo", arguments).await? != text {
                            return Err("an answer of another call".into());
                        }
                    }
                    times.push(begun.elapsed());
                }
                Ok::<_, Error>(times)
            });
        }
        let mut times = Vec::new();
        while let Some(worker) = workers.join_next().await {
            times.append(&mut worker??);
        }
        times.sort_unstable();
        Ok(Slowest { times })
    }

    /// Goes away, once it was seen that all were there until now: those who wrote slowly get their answers, and
    /// those who did not read may still.
    pub(crate) async fn leave(mut self) -> Result<(), Error> {
        while let Some(writer) = self.slow_writers.join_next().await {
            writer??;
        }
        for (n, mut connection) in self.slow_readers.drain(..).enumerate() {
            if n.is_multiple_of(2) {
                connection.events().await?.ok_or("no changes were told")?;
            } else if connection.answer(1).await?.len() != LARGE * 1024 {
                return Err("a slow reader got a part of its answer".into());
            }
        }
        for connection in &self.idle {
            // They are told nothing, so there is nothing to read but an end.
            let read = connection.stream.try_read(&mut [0]);
            if !read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
                return Err("the server closed an idle connection".into());
            }
        }
        Ok(())
    }
}

/// A request whose second half never comes.
async fn half_open(address: SocketAddr, n: usize) -> Result<Connection, Error> {
    let mut connection = Connection::open(address).await?;
    let request = Request::call(1, "echo", json!({"text": "never", "pause": 0}));
    if n.is_multiple_of(2) {
        connection.write(&request.head[..100]).await?;
    } else {
        connection.write(&request.head).await?;
        connection.write(&request.body[..100]).await?;
    }
    // Some of them say that nothing more comes.
    if n % 4 >= 2 {
        connection.stream.shutdown().await?;
    }
    Ok(connection)
}

/// A subscription, or a call with a large answer, of which nothing more is read.
async fn read_nothing(address: SocketAddr, n: usize) -> Result<Connection, Error> {
    if n.is_multiple_of(2) {
        return subscribe(address, 1, "note://1").await;
    }
    let mut connection = Connection::open(address).await?;
    let request = Request::call(1, "large", json!({"kib": LARGE}));
    connection.send(&request).await?;
    Ok(connection)
}

/// A call that is written a byte at a time, over some seconds.
async fn write_slowly(address: SocketAddr, n: usize) -> Result<(), Error> {
    let mut connection = Connection::open(address).await?;
    let text = format!("{n:050}");
    let request = Request::call(1, "echo", json!({"text": text, "pause": 0}));
    connection.write(&request.head).await?;
    for byte in &request.body {
        connection.write(&[*byte]).await?;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    if connection.answer(1).await? != text {
        return Err("an answer of another call, or of none".into());
    }
    Ok(())
}

impl Slowest {
    /// Whether each was answered within this time.
    pub(crate) fn within(&self, time: Duration) -> Result<(), Error> {
        match self.times.last() {
            Some(slowest) if *slowest <= time => Ok(()),
            slowest => {
                Err(format!("a call took {slowest:?}, and {time:?} is the most that it may").into())
            }
        }
    }
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} idle connections, {} half open, {} slow readers, {} slow writers",
            self.idle.len(),
            self.half_open.len(),
            self.slow_readers.len(),
            self.slow_writers.len()
        )
    }
}

impl fmt::Display for Slowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |part: usize| self.times.get((self.times.len() - 1) * part / 100);
        write!(
            f,
            "{} calls among them, median {:.1?}, slowest {:.1?}",
            self.times.len(),
            at(50).copied().unwrap_or_default(),
            at(100).copied().unwrap_or_default()
        )
    }
}
