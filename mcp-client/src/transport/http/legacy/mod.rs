//! Servers with a handshake, over HTTP.
//!
//! Specification: revisions 2025-03-26, 2025-06-18 and 2025-11-25, basic/transports, Streamable HTTP; revision
//! 2024-11-05, basic/transports, HTTP with SSE.
//!
//! A session is what `initialize` begins. Every message is a POST, as today, but notifications and answers
//! are sent too; a request's stream that breaks off is taken up again (`resume`), and one stream more brings
//! what belongs to no request (`listen`). On the transport of 2024-11-05 (`http_sse`) that one stream brings
//! everything.

mod elsewhere;
mod http_sse;
mod listen;
mod lost;
mod post;
mod resume;
mod session;
mod tell;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Method;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use self::elsewhere::Elsewhere;
use self::session::{Accepts, Session};
use super::HttpSender;
use super::endpoint::{End, Endpoint};
use crate::tally::Tally;
use crate::transport::{Era, Failure, Outgoing, Purpose, Received};
use crate::wire::{self, Incoming};

/// How long the stream that belongs to no request may take to open before the first of them is sent: what a
/// server says before anyone listens many of them drop.
const HEAD_START: Duration = Duration::from_secs(1);

/// How long the end of the session may take. It is a courtesy.
const GOODBYE: Duration = Duration::from_secs(2);

/// What all messages of handshakes and sessions share.
pub(super) struct Connection {
    endpoint: Arc<Endpoint>,
    up: mpsc::Sender<Received>,
    sessions: Mutex<Sessions>,
    elsewhere: Elsewhere,
    /// The stream that belongs to the session and to no request.
    stream: Mutex<Option<AbortHandle>>,
    /// What the server did not take.
    undelivered: Tally,
}

/// A request that begins a session.
#[derive(Clone)]
struct Handshake {
    id: u64,
    /// Of the session.
    number: u64,
    /// Closed when its answer was handed up, or when nobody waits for that any more.
    over: watch::Receiver<()>,
}

#[derive(Default)]
struct Sessions {
    /// What requests belong to.
    current: Session,
    /// What a handshake begins that is not answered yet: the server may ask already whether anybody is there.
    opening: Option<Session>,
    /// What a handshake has begun, until the server is told that it is over: it would refuse requests.
    next: Option<Session>,
    /// How many handshakes were tried.
    tried: u64,
    /// The number of the session that began last. Those before it are over.
    newest: u64,
}

impl HttpSender {
    /// Sends a message of a handshake or a session.
    pub(super) async fn send_in_session(&mut self, message: Outgoing) {
        let legacy = Arc::clone(&self.legacy);
        match message.purpose {
            Purpose::Request(id) => {
                let begins = message.metadata.era == Era::Handshake;
                // Now, and not in the task: another one may have begun by then.
                let number = begins.then(|| legacy.number());
                let task = self.tasks.spawn(async move {
                    match number {
                        Some(number) => legacy.request_session(id, number, message).await,
                        None => legacy.request(id, message).await,
                    }
                    Some(id)
                });
                self.in_flight.insert(id, task);
            }
            Purpose::Cancel(id) if message.metadata.era == Era::Handshake => self.end_request(id),
            Purpose::Notification if legacy.is_begun_by(&message) => legacy.begin(message).await,
            Purpose::Cancel(_) | Purpose::Notification | Purpose::Response => {
                if let Purpose::Cancel(id) = message.purpose {
                    self.end_request(id);
                }
                // Now, as above.
                let session = legacy.session_of(message.metadata.era);
                self.tasks.spawn(async move {
                    legacy.tell(&session, message).await;
                    None
                });
            }
        }
    }
}

impl Connection {
    pub(super) fn new(endpoint: &Arc<Endpoint>, up: &mpsc::Sender<Received>) -> Arc<Self> {
        Arc::new(Self {
            endpoint: Arc::clone(endpoint),
            up: up.clone(),
            sessions: Mutex::default(),
            elsewhere: Elsewhere::default(),
            stream: Mutex::default(),
            undelivered: Tally::default(),
        })
    }

    /// Sends a request and hands up what comes back.
    async fn request(&self, id: u64, message: Outgoing) {
        let exchange = self.ask(id, message);
        self.endpoint.finish(id, exchange, &self.up).await;
    }

    /// The same for the request that begins the session of this number.
    async fn request_session(self: &Arc<Self>, id: u64, number: u64, message: Outgoing) {
        let (_until_handed_up, over) = watch::channel(());
        let handshake = Handshake { id, number, over };
        let exchange = self.handshake(handshake, message);
        self.endpoint.finish(id, exchange, &self.up).await;
    }

    fn is_begun_by(&self, message: &Outgoing) -> bool {
        message.metadata.method == "notifications/initialized" && self.lock().next.is_some()
    }

    /// Sends the first notification of a session. Servers refuse requests that overtake it.
    async fn begin(self: &Arc<Self>, message: Outgoing) {
        let Some(mut session) = self.lock().next.clone() else {
            return;
        };
        session.version = message.metadata.version;
        self.tell(&session, message).await;
        {
            let mut sessions = self.lock();
            sessions.current = session.clone();
            sessions.next = None;
        }
        if session.channel.is_none() {
            let (opening, opened) = oneshot::channel();
            let number = session.number;
            let listening = Arc::clone(self).listen(session, opening);
            self.keep(number, tokio::spawn(listening).abort_handle());
            // Whatever came of it, or nothing yet.
            let _ = timeout(HEAD_START, opened).await;
        }
    }

    /// Ends the session.
    pub(super) async fn close(&self) {
        self.replace_stream(None);
        let sessions = std::mem::take(&mut *self.lock());
        // One whose handshake is under way or was given up, if the server has named it.
        let opening = sessions.opening.filter(|opening| opening.id.is_some());
        let session = sessions.next.or(opening).unwrap_or(sessions.current);
        if session.id.is_none() {
            return;
        }
        let headers = session.headers(&self.endpoint.headers, session.version, Accepts::Anything);
        let url = &self.endpoint.url;
        let ended = self.send_in(&session, Method::DELETE, url, headers, String::new());
        // Servers may refuse, and most have forgotten it before anyone minds.
        let _ = timeout(GOODBYE, ended).await;
    }

    fn session(&self) -> Session {
        self.session_of(Era::Session)
    }

    /// What a message belongs to that is no request.
    fn session_of(&self, era: Era) -> Session {
        let sessions = self.lock();
        let opening = sessions.opening.as_ref().or(sessions.next.as_ref());
        let opening = opening.filter(|_| era == Era::Handshake);
        opening.unwrap_or(&sessions.current).clone()
    }

    /// A handshake is under way.
    fn open(&self, session: &Session) {
        let mut sessions = self.lock();
        if sessions.is_last(session.number) {
            sessions.opening = Some(session.clone());
        }
    }

    /// A handshake was answered, and has begun no session.
    fn open_nothing(&self, number: u64) {
        let of_it = |opening: &mut Session| opening.number == number;
        self.lock().opening.take_if(of_it);
    }

    /// The number of a session that may begin now.
    fn number(&self) -> u64 {
        let mut sessions = self.lock();
        sessions.tried += 1;
        sessions.tried
    }

    /// A handshake has succeeded. From here on the session before is over, whatever its streams say.
    /// An answer that comes when another one is tried already is for nobody.
    fn establish(&self, session: Session) {
        let mut sessions = self.lock();
        if !sessions.is_last(session.number) {
            return;
        }
        if session.channel.is_none() {
            self.replace_stream(None);
        }
        sessions.newest = session.number;
        sessions.opening = None;
        sessions.next = Some(session);
    }

    /// Hands up a message that came on the stream of request `during` or on that of the session. The answer to
    /// another request goes to where that one waits.
    ///
    /// Streams of calls outlive their session, and ids of servers begin anew in each: a question of one that is
    /// over would be answered to the one after it, as the answer to another question.
    async fn hand_up(&self, session: &Session, during: Option<u64>, message: Vec<u8>) {
        let is_of_session = match wire::parse(&message) {
            Ok(Incoming::Response { id: Some(id), .. }) => {
                if let Some(waiter) = self.elsewhere.waiter(id) {
                    // An error means that it was given up a moment ago.
                    let _ = waiter.send(message);
                    return;
                }
                false
            }
            Ok(Incoming::Request { .. }) => true,
            Ok(Incoming::Notification { method, .. }) => method == "notifications/cancelled",
            _ => false,
        };
        // An error means that the connection was closed, and nobody listens.
        let Ok(place) = self.up.reserve().await else {
            return;
        };
        let sessions = self.lock();
        if is_of_session && session.number < sessions.newest {
            tracing::debug!(target: "mcp_client", "a question of a session that is over was dropped");
            return;
        }
        place.send(match during {
            Some(id) => Received::Meanwhile { id, message },
            None => Received::Message(message),
        });
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the task of a stream of the session of this number, in place of the one before.
    fn keep(&self, number: u64, task: AbortHandle) {
        match self.lock().is_last(number) {
            true => self.replace_stream(Some(task)),
            false => task.abort(),
        }
    }

    fn replace_stream(&self, task: Option<AbortHandle>) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *stream, task) {
            before.abort();
        }
    }
}

impl Sessions {
    /// Whether no other handshake was tried since the one of this number.
    fn is_last(&self, number: u64) -> bool {
        number == self.tried
    }
}

fn reason(end: End) -> String {
    match end {
        End::Failed(
            Failure::Failed { reason, .. }
            | Failure::Unauthorized { reason, .. }
            | Failure::SessionEnded { reason },
        ) => reason,
        End::TooLong => "what it answered is too long".to_owned(),
    }
}

/// Without what it holds: ids of sessions are secrets.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

#[cfg(test)]
mod testing {
    #![allow(clippy::unwrap_used)]

    use reqwest::header::HeaderMap;

    use super::*;

    /// To a server that nobody asks for anything.
    pub(super) fn connection() -> Arc<Connection> {
        let (up, _) = mpsc::channel(1);
        let endpoint = Endpoint {
            url: "http://localhost/mcp".parse().unwrap(),
            client: reqwest::Client::new(),
            headers: HeaderMap::new(),
            max_message: 1,
            authorize: None,
        };
        Connection::new(&Arc::new(endpoint), &up)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::testing::connection;
    use super::*;

    /// Its task was ended, and may go on for a moment on another thread.
    #[tokio::test]
    async fn the_answer_to_a_handshake_that_was_given_up_replaces_no_session() {
        let connection = connection();
        let session = |number| Session {
            number,
            ..Session::default()
        };
        let [given_up, last] = [connection.number(), connection.number()];
        connection.open(&session(last));
        connection.open(&session(given_up));
        let opening = connection.session_of(Era::Handshake);
        assert_eq!(opening.number, last);
        connection.open_nothing(given_up);
        assert!(connection.lock().opening.is_some());
        connection.establish(session(last));
        let listener = tokio::spawn(std::future::pending::<()>());
        connection.keep(last, listener.abort_handle());
        connection.establish(session(given_up));
        let late = tokio::spawn(std::future::pending::<()>());
        connection.keep(given_up, late.abort_handle());
        assert!(late.await.unwrap_err().is_cancelled());
        tokio::task::yield_now().await;
        assert!(!listener.is_finished());
        let sessions = connection.lock();
        assert_eq!(sessions.newest, last);
        assert_eq!(sessions.next.as_ref().unwrap().number, last);
    }
}
