//! Open subscriptions, and the changes that they must hear of.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mcp_bench_drive::Error;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::connection::{Connection, PATIENCE, Request};

/// How many notes there are to listen to.
const NOTES: usize = 50;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Open subscriptions, each on a connection of its own. Dropped, they are closed.
pub(crate) struct Streams {
    readers: Vec<JoinHandle<Result<(), Error>>>,
    heard: Vec<Arc<Count>>,
    pub(crate) changes: Arc<Changes>,
}

/// How often something has happened, and when it did last, in microseconds.
#[derive(Default)]
struct Count {
    times: AtomicU64,
    last: AtomicU64,
}

/// What was changed.
pub(crate) struct Changes {
    begun: Instant,
    notes: [Count; NOTES],
}

/// What the subscribers have heard.
pub(crate) struct Heard {
    streams: usize,
    changes: u64,
    events: u64,
}

impl Changes {
    /// The note to change now: change `n`.
    pub(crate) fn next(&self, n: usize) -> usize {
        let note = n % NOTES;
        self.notes[note].add(self.begun);
        note
    }
}

impl Count {
    fn add(&self, begun: Instant) {
        let now = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.fetch_max(now, Ordering::SeqCst);
        self.times.fetch_add(1, Ordering::SeqCst);
    }

    fn get(&self) -> (u64, u64) {
        let last = self.last.load(Ordering::SeqCst);
        (self.times.load(Ordering::SeqCst), last)
    }
}

impl Streams {
    /// Opens subscriptions; returns once all are acknowledged.
    pub(crate) async fn open(address: SocketAddr, count: usize) -> Result<Self, Error> {
        let begun = Instant::now();
        let mut streams = Self {
            readers: Vec::new(),
            heard: Vec::new(),
            changes: Arc::new(Changes {
                begun,
                notes: std::array::from_fn(|_| Count::default()),
            }),
        };
        for n in 0..count {
            // Others have the same id.
            let (id, uri) = ((n % 8) as u64, format!("note://{}", n % NOTES));
            let connection = subscribe(address, id, &uri).await?;
            let heard = Arc::new(Count::default());
            streams.heard.push(Arc::clone(&heard));
            streams.readers.push(tokio::spawn(async move {
                listen(connection, id, &uri, || heard.add(begun)).await
            }));
        }
        Ok(streams)
    }

    /// Waits until each has heard of the last change, and closes them all.
    pub(crate) async fn settled(self) -> Result<Heard, Error> {
        let waits = Instant::now();
        let mut heard = Heard {
            streams: self.heard.len(),
            changes: self.changes.notes.iter().map(|note| note.get().0).sum(),
            events: 0,
        };
        for (n, stream) in self.heard.iter().enumerate() {
            let (changes, changed) = self.changes.notes[n % NOTES].get();
            // Heard of after it was changed: what comes for several changes comes after the last.
            while stream.get().1 < changed {
                if self.readers[n].is_finished() || waits.elapsed() > PATIENCE {
                    return Err(format!(
                        "subscription {n} has not heard of the last of {changes} changes, but {} times \
                         of others",
                        stream.get().0
                    )
                    .into());
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if stream.get().0 > changes {
                return Err(format!("subscription {n} has heard of more than was changed").into());
            }
            heard.events += stream.get().0;
        }
        for reader in &self.readers {
            if reader.is_finished() {
                return Err("a subscription has ended by itself, or was wrong".into());
            }
        }
        Ok(heard)
    }

    /// Waits until the server has ended them all, each with its result.
    pub(crate) async fn ended(mut self) -> Result<(), Error> {
        for reader in self.readers.drain(..) {
            timeout(PATIENCE, reader).await???;
        }
        Ok(())
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        for reader in &self.readers {
            reader.abort();
        }
    }
}

/// Opens one subscription to a note, and takes its acknowledgement.
pub(crate) async fn subscribe(
    address: SocketAddr,
    id: u64,
    uri: &str,
) -> Result<Connection, Error> {
    let mut connection = Connection::open(address).await?;
    let params = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let request = Request::new(id, "subscriptions/listen", None, params);
    connection.send(&request).await?;
    connection.head().await?;
    let events = timeout(PATIENCE, connection.events()).await??;
    let events = events.unwrap_or_default();
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {SUBSCRIPTION: id}, "notifications": {"resourceSubscriptions": [uri]}},
    });
    if events != [acknowledged] {
        return Err(format!("not the acknowledgement of {uri}: {events:?}").into());
    }
    Ok(connection)
}

/// Reads changes until the subscription is answered.
async fn listen(
    mut connection: Connection,
    id: u64,
    uri: &str,
    heard: impl Fn(),
) -> Result<(), Error> {
    let change = json!({
        "jsonrpc": "2.0",
        "method": "notifications/resources/updated",
        "params": {"_meta": {SUBSCRIPTION: id}, "uri": uri},
    });
    let mut result: Option<Value> = None;
    while let Some(events) = connection.events().await? {
        for event in events {
            if result.is_none() && event == change {
                heard();
            } else if result.is_none() && event["id"] == id && event["result"].is_object() {
                result = Some(event);
            } else {
                return Err(format!("not for the subscription to {uri}: {event}").into());
            }
        }
    }
    match result {
        Some(_) => Ok(()),
        None => Err("a subscription has ended without its result".into()),
    }
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} subscriptions heard {} times of {} changes, each of the last",
            self.streams, self.events, self.changes
        )
    }
}
