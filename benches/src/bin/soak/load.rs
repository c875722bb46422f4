//! Many calls at once, of which some are dropped midway and some cancelled.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_bench_drive::Error;
use serde_json::json;
use tokio::task::JoinSet;

use crate::connection::{Connection, Request};
use crate::server::PLACES;
use crate::streams::Changes;

/// How many calls are under way at once.
const PARALLEL: usize = 64;

/// What became of the calls.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    answered: usize,
    dropped: usize,
    cancelled: usize,
}

/// What is done with a call.
enum Fate {
    Dropped,
    Cancelled,
    Change,
    Echo,
}

/// A tenth is dropped midway, a tenth cancelled, and a twentieth changes something.
fn fate(n: usize) -> Fate {
    match n % 20 {
        3 | 13 => Fate::Dropped,
        7 | 17 => Fate::Cancelled,
        11 => Fate::Change,
        _ => Fate::Echo,
    }
}

/// Makes the calls, and returns once each has its answer or was given up. A wrong answer ends it.
pub(crate) async fn run(
    address: SocketAddr,
    calls: usize,
    changes: &Arc<Changes>,
) -> Result<Tally, Error> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..PARALLEL {
        let (next, changes) = (Arc::clone(&next), Arc::clone(changes));
        workers.spawn(async move {
            let mut worker = Worker {
                address,
                connection: None,
                tally: Tally::default(),
            };
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= calls {
                    return Ok::<_, Error>(worker.tally);
                }
                worker.step(n, &changes).await?;
            }
        });
    }
    let mut whole = Tally::default();
    while let Some(tally) = workers.join_next().await {
        let tally = tally??;
        whole.answered += tally.answered;
        whole.dropped += tally.dropped;
        whole.cancelled += tally.cancelled;
    }
    Ok(whole)
}

/// Takes every place of the server at once: they all must be free again.
pub(crate) async fn all_places(address: SocketAddr) -> Result<(), Error> {
    let mut calls = JoinSet::new();
    for _ in 0..PLACES {
        calls.spawn(async move {
            let mut connection = Connection::open(address).await?;
            connection.call(1, "together", json!({})).await
        });
    }
    while let Some(call) = calls.join_next().await {
        call?.map_err(|error| format!("not all places are free again: {error}"))?;
    }
    Ok(())
}

/// One of those who call, one call at a time.
struct Worker {
    address: SocketAddr,
    /// The connection of the last call, if it is still good.
    connection: Option<Connection>,
    tally: Tally,
}

impl Worker {
    async fn step(&mut self, n: usize, changes: &Changes) -> Result<(), Error> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.address).await?,
        };
        // Others have the same id at the same time.
        let id = (n % 8) as u64;
        match fate(n) {
            Fate::Dropped => {
                drop_midway(connection, n, id).await?;
                self.tally.dropped += 1;
                return Ok(());
            }
            Fate::Cancelled => {
                cancel(connection, n, id).await?;
                self.tally.cancelled += 1;
                return Ok(());
            }
            Fate::Change => {
                let note = changes.next(n / 20);
                let text = connection.call(id, "change", json!({"note": note})).await?;
                expect(&text, &format!("changed {note}"))?;
            }
            Fate::Echo => {
                let text = format!("the text of call {n}");
                let pause = if n.is_multiple_of(3) { n % 5 } else { 0 };
                let arguments = json!({"text": text, "pause": pause});
                expect(&connection.call(id, "echo", arguments).await?, &text)?;
            }
        }
        self.tally.answered += 1;
        self.connection = Some(connection);
        Ok(())
    }
}

fn expect(text: &str, wanted: &str) -> Result<(), Error> {
    if text == wanted {
        Ok(())
    } else {
        Err(format!("an answer of another call: `{text}` in place of `{wanted}`").into())
    }
}

/// Closes the connection in the middle of the head, of the body, of the call or of the response.
async fn drop_midway(mut connection: Connection, n: usize, id: u64) -> Result<(), Error> {
    let request = Request::call(id, "echo", json!({"text": "dropped", "pause": 20}));
    match n / 10 % 4 {
        0 => connection.write(&request.head[..100]).await?,
        1 => {
            connection.write(&request.head).await?;
            connection.write(&request.body[..100]).await?;
        }
        2 => connection.send(&request).await?,
        _ => {
            let request = Request::call(id, "large", json!({"kib": 512}));
            connection.send(&request).await?;
            connection.head().await?;
        }
    }
    connection.close((n / 40).is_multiple_of(2))
}

/// Closes the connection of a call that waits: one that has reported, or one that has sent nothing.
///
/// Specification: basic/transports/streamable-http, Cancellation.
async fn cancel(mut connection: Connection, n: usize, id: u64) -> Result<(), Error> {
    if (n / 10).is_multiple_of(2) {
        connection
            .send(&Request::reporting_call(id, "wait"))
            .await?;
        connection.head().await?;
        let events = connection.events().await?.unwrap_or_default();
        if events.first().map(|event| &event["method"]) != Some(&json!("notifications/progress")) {
            return Err(format!("not a report: {events:?}").into());
        }
    } else {
        connection
            .send(&Request::call(id, "wait", json!({})))
            .await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    connection.close((n / 20).is_multiple_of(2))
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answered, {} dropped midway, {} cancelled",
            self.answered, self.dropped, self.cancelled
        )
    }
}
