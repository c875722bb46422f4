//! The tasks around an exchange: one reads, one writes, and each request waits for its answer.

mod log;
mod reading;
mod writing;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use crate::answers::Answers;
use crate::error::Error;
use crate::exchange::{Exchange, Progress};
use crate::inbox::Inbox;
use crate::legacy;
use crate::transport::{Era, Metadata, Outgoing, Purpose, Transport};
use crate::wire::Reply;

use self::reading::Reader;

pub(crate) use self::log::{LogQueue, LogSink};
pub(crate) use self::reading::Ears;

/// How many progress reports wait for a slow handler; further ones are dropped.
const PROGRESS_QUEUE: usize = 64;

/// Told to the server with the cancellation.
const TIMED_OUT: &str = "the request timed out";

/// One connection to a server. Dropping it ends the connection in the background.
#[derive(Debug)]
pub(crate) struct Peer {
    shared: Arc<Shared>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    /// The way of answers to requests of the server.
    #[cfg_attr(not(feature = "legacy"), allow(dead_code))]
    pub(crate) answers: Arc<Answers>,
    stop: watch::Sender<bool>,
    finished: watch::Receiver<bool>,
}

/// One request, ready to be sent.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// The params as JSON, `_meta` included.
    pub(crate) params: &'a str,
    pub(crate) token: Option<u64>,
    pub(crate) timeout: Option<Duration>,
    /// With it, each progress report restarts the timeout, up to this much in all.
    pub(crate) progress_ceiling: Option<Duration>,
    /// Beside the text, for transports with headers.
    pub(crate) metadata: Metadata,
    /// Where the server asks while the request is open: the timeout stands while it waits for a person.
    pub(crate) clock: Option<legacy::Stopwatch>,
    /// Where its id is to be noted, before it is sent.
    pub(crate) id: Option<&'a AtomicU64>,
}

#[derive(Debug)]
struct Shared {
    exchange: Mutex<Exchange<Waiter>>,
    closed: watch::Sender<bool>,
}

/// Who waits for an answer.
#[derive(Debug)]
pub(crate) struct Waiter {
    done: oneshot::Sender<Reply>,
    before: Before,
}

/// Where that goes which comes before the answer.
#[derive(Clone, Debug)]
enum Before {
    Progress(mpsc::Sender<Progress>),
    Notices(Arc<Inbox>),
}

impl Shared {
    fn exchange(&self) -> MutexGuard<'_, Exchange<Waiter>> {
        // No code that can panic runs under the lock, apart from an allocation failing.
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, reason: &str) {
        let waiters = self.exchange().close(reason);
        // Outside the lock: this wakes their tasks.
        drop(waiters);
        self.closed.send_replace(true);
    }
}

/// Closes the connection when the task that holds it ends, however that comes about: a transport
/// that panics must not leave calls waiting.
struct Ends(Arc<Shared>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.close("this client ended it");
    }
}

impl Peer {
    pub(crate) async fn open<T: Transport>(transport: T, ears: Ears) -> std::io::Result<Self> {
        let (sender, receiver) = transport.open().await?;
        let shared = Arc::new(Shared {
            exchange: Mutex::new(Exchange::new()),
            closed: watch::Sender::new(false),
        });
        let (outgoing, queue) = mpsc::unbounded_channel();
        let answers = Arc::new(Answers::new(&outgoing));
        let (stop, stopped) = watch::channel(false);
        let (finish, finished) = watch::channel(false);
        let connection = Arc::clone(&shared);
        let reader = Reader {
            shared: Arc::clone(&shared),
            ears,
            answers: Arc::clone(&answers),
        };
        tokio::spawn(async move {
            let _end = Ends(Arc::clone(&connection));
            let reader = tokio::spawn(reader.read(receiver));
            writing::write(sender, queue, stopped, &connection).await;
            reader.abort();
            finish.send_replace(true);
        });
        Ok(Self {
            shared,
            outgoing,
            answers,
            stop,
            finished,
        })
    }

    /// Sends one request and waits for its answer. Dropping the future cancels the request.
    pub(crate) async fn request(
        &self,
        mut request: Request<'_>,
        mut on_progress: impl FnMut(Progress),
    ) -> Result<Box<RawValue>, Error> {
        let method = request.method;
        let (done, mut reply) = oneshot::channel();
        let (progress, mut reports) = mpsc::channel(PROGRESS_QUEUE);
        let before = Before::Progress(progress);
        let waiter = Waiter { done, before };
        let begun = match request.metadata.era {
            Era::Handshake => self.shared.exchange().begin_session(waiter),
            Era::Modern | Era::Session => self.shared.exchange().begin(waiter, request.token),
        };
        let id = begun.map_err(|reason| Error::Closed { reason })?;
        if let Some(noted) = request.id {
            noted.store(id, Ordering::Release);
        }
        let mut in_flight = InFlight {
            peer: self,
            id,
            reason: "the caller gave up",
            version: request.metadata.version,
            era: request.metadata.era,
        };
        self.send(Outgoing {
            text: request_text(id, &request),
            purpose: Purpose::Request(id),
            metadata: std::mem::take(&mut request.metadata),
            receipt: None,
        });

        let started = Instant::now();
        let mut patience = request.timeout;
        loop {
            // Nothing expires while a person is asked on this connection.
            let stood = match &request.clock {
                None => Some(Duration::ZERO),
                Some(clock) => clock.stood(),
            };
            let expires = stood
                .zip(patience)
                .and_then(|(stood, patience)| expiry(started, patience.saturating_add(stood)));
            tokio::select! {
                // Reports that came before the answer are delivered before it.
                biased;
                Some(report) = reports.recv() => {
                    on_progress(report);
                    // A flood of reports must not keep the clock from being looked at.
                    if expires.is_some_and(|at| at <= Instant::now()) {
                        in_flight.reason = TIMED_OUT;
                        return Err(timed_out(method, patience));
                    }
                    if let (Some(timeout), Some(ceiling)) = (request.timeout, request.progress_ceiling) {
                        let stood = request.clock.as_ref().map(|clock| clock.stood_in_all());
                        let used = started.elapsed().saturating_sub(stood.unwrap_or_default());
                        patience = Some(used.saturating_add(timeout).min(ceiling.max(timeout)));
                    }
                }
                reply = &mut reply => {
                    in_flight.disarm();
                    return match reply {
                        // The codes of today mean nothing there.
                        Ok(Reply::Error(error)) if in_flight.era == Era::Session => {
                            Err(Error::Rpc(error))
                        }
                        reply => self.interpret(method, reply.ok()),
                    };
                }
                () = sleep_to(expires) => {
                    in_flight.reason = TIMED_OUT;
                    return Err(timed_out(method, patience));
                }
                () = turn_of(&mut request.clock) => {}
            }
        }
    }

    /// Sends a request that stays open. Whoever gets the id must [`abandon`](Self::abandon) it.
    pub(crate) fn listen(
        &self,
        request: Request<'_>,
        inbox: Arc<Inbox>,
    ) -> Result<(u64, oneshot::Receiver<Reply>), Error> {
        let (done, reply) = oneshot::channel();
        let before = Before::Notices(inbox);
        let waiter = Waiter { done, before };
        let begun = self.shared.exchange().begin_listening(waiter);
        let id = begun.map_err(|reason| Error::Closed { reason })?;
        self.send(Outgoing {
            text: request_text(id, &request),
            purpose: Purpose::Request(id),
            metadata: request.metadata,
            receipt: None,
        });
        Ok((id, reply))
    }

    /// Cancels a request, if it is still in flight. `version` and `era` are those that it was sent with.
    pub(crate) fn abandon(&self, id: u64, reason: &str, version: Option<&'static str>, era: Era) {
        // Only requests believed to be in flight may be cancelled (basic/patterns/cancellation).
        let waiter = self.shared.exchange().forget(id);
        // It is dropped when the lock is free: its task may have no other holder, and things of its own to abandon.
        if waiter.is_none() {
            return;
        }
        let text = match era {
            // Of `initialize` nothing may be said (2025-11-25, basic/utilities/cancellation).
            Era::Handshake => String::new(),
            Era::Modern | Era::Session => format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"{reason}"}}}}"#
            ),
        };
        self.send(Outgoing {
            text,
            purpose: Purpose::Cancel(id),
            metadata: Metadata {
                method: "notifications/cancelled".to_owned(),
                version,
                era,
                ..Metadata::default()
            },
            receipt: None,
        });
    }

    pub(crate) fn interpret(
        &self,
        method: &str,
        reply: Option<Reply>,
    ) -> Result<Box<RawValue>, Error> {
        let method = method.to_owned();
        match reply {
            Some(Reply::Result(result)) => Ok(result),
            Some(Reply::Error(error)) => Err(Error::from_rpc(error)),
            Some(Reply::Malformed(reason)) => Err(Error::InvalidResult { method, reason }),
            Some(Reply::TooLong { limit }) => Err(Error::TooLong { method, limit }),
            Some(Reply::Failed(failure)) => Err(Error::from_failure(method, failure)),
            Some(Reply::Cancelled) => Err(Error::InvalidResult {
                method,
                reason: "the server cancelled it".to_owned(),
            }),
            None => Err(self.closed_error()),
        }
    }

    pub(crate) fn closed_error(&self) -> Error {
        let exchange = self.shared.exchange();
        let reason = exchange.closed().unwrap_or("the server is gone").to_owned();
        Error::Closed { reason }
    }

    /// A token for progress reports; the wanted one if no request in flight has it.
    pub(crate) fn token(&self, wanted: Option<u64>) -> u64 {
        self.shared.exchange().token(wanted)
    }

    pub(crate) fn skipped_lines(&self) -> u64 {
        self.shared.exchange().skipped_lines()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.exchange().closed().is_some()
    }

    /// Waits until the connection is closed, by whichever side.
    pub(crate) async fn closed(&self) {
        // The sender lives as long as `self`.
        let _ = self
            .shared
            .closed
            .subscribe()
            .wait_for(|closed| *closed)
            .await;
    }

    /// Ends the connection; returns when nothing of it is left.
    pub(crate) async fn close(&self) {
        self.shared.close("this client closed it");
        self.stop.send_replace(true);
        // An error means that the runtime took the task away, which ends it as well.
        let _ = self.finished.clone().wait_for(|finished| *finished).await;
    }

    /// Tells when the connection is closed, by whichever side, also to whoever outlives it.
    #[cfg(feature = "legacy")]
    pub(crate) fn watch_closed(&self) -> watch::Receiver<bool> {
        self.shared.closed.subscribe()
    }

    /// The requests in flight, and what the server may do beside answering them.
    #[cfg(feature = "legacy")]
    pub(crate) fn exchange(&self) -> MutexGuard<'_, Exchange<Waiter>> {
        self.shared.exchange()
    }

    pub(crate) fn send(&self, message: Outgoing) {
        // Without a writer the connection is closed, and the request's waiter knows already.
        let _ = self.outgoing.send(message);
    }
}

fn request_text(id: u64, request: &Request<'_>) -> String {
    let mut text = String::with_capacity(request.params.len() + 80);
    let method = serde_json::Value::from(request.method);
    // Writing to a string does not fail.
    let _ = write!(
        text,
        r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{}}}"#,
        request.params
    );
    text
}

fn timed_out(method: &str, after: Option<Duration>) -> Error {
    Error::Timeout {
        method: method.to_owned(),
        after: after.unwrap_or_default(),
    }
}

/// When a limit is over; `None` for one beyond what the clock can count, which is no limit.
pub(crate) fn expiry(started: Instant, limit: Duration) -> Option<Instant> {
    // The timer rounds up, by less than this.
    let rounded = limit.checked_add(Duration::from_secs(1))?;
    started.checked_add(rounded).map(|_| started + limit)
}

/// Sleeps for ever where there is no limit.
pub(crate) async fn sleep_to(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Cancels a request that is dropped before its answer came.
struct InFlight<'a> {
    peer: &'a Peer,
    id: u64,
    reason: &'static str,
    version: Option<&'static str>,
    era: Era,
}

impl InFlight<'_> {
    fn disarm(&mut self) {
        self.id = 0;
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if self.id != 0 {
            self.peer
                .abandon(self.id, self.reason, self.version, self.era);
        }
    }
}

/// Waits until the clock of a request stops or goes on; for ever where it has none.
async fn turn_of(clock: &mut Option<legacy::Stopwatch>) {
    match clock {
        Some(clock) => clock.turned().await,
        None => std::future::pending().await,
    }
}
