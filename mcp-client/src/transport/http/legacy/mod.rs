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
}

/// A request that begins a session.
#[derive(Clone)]
struct Handshake {
    id: u64,
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
                let task = self.tasks.spawn(async move {
                    legacy.request(id, message).await;
                    Some(id)
                });
                self.in_flight.insert(id, task);
            }
            Purpose::Notification if legacy.is_begun_by(&message) => legacy.begin(message).await,
            Purpose::Cancel(_) | Purpose::Notification | Purpose::Response => {
                if let Purpose::Cancel(id) = message.purpose {
                    self.end_request(id);
                }
                // Now, and not in the task: another one may have begun by then.
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
        })
    }

    /// Sends a request and hands up what comes back.
    async fn request(self: &Arc<Self>, id: u64, message: Outgoing) {
        let (_until_handed_up, over) = watch::channel(());
        let exchange = async {
            match message.metadata.era {
                Era::Handshake => self.handshake(Handshake { id, over }, message).await,
                _ => self.ask(id, message).await,
            }
        };
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
            let listening = Arc::clone(self).listen(session, opening);
            self.keep(tokio::spawn(listening).abort_handle());
            // Whatever came of it, or nothing yet.
            let _ = timeout(HEAD_START, opened).await;
        }
    }

    /// Ends the session.
    pub(super) async fn close(&self) {
        self.keep_nothing();
        let Sessions { current, next, .. } = std::mem::take(&mut *self.lock());
        let session = next.unwrap_or(current);
        if session.id.is_none() {
            return;
        }
        let headers = session.headers(&self.endpoint.headers, session.version, Accepts::Anything);
        let url = &self.endpoint.url;
        let ended = self
            .endpoint
            .send(Method::DELETE, url, headers, String::new());
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
        self.lock().opening = Some(session.clone());
    }

    /// The number of a session that may begin now.
    fn number(&self) -> u64 {
        let mut sessions = self.lock();
        sessions.tried += 1;
        sessions.tried
    }

    /// A handshake has succeeded. From here on the session before is over, whatever its streams say.
    fn establish(&self, session: Session) {
        if session.channel.is_none() {
            self.keep_nothing();
        }
        let mut sessions = self.lock();
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

    /// Keeps the task of a stream, in place of the one before.
    fn keep(&self, task: AbortHandle) {
        self.replace(Some(task));
    }

    fn keep_nothing(&self) {
        self.replace(None);
    }

    fn replace(&self, task: Option<AbortHandle>) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *stream, task) {
            before.abort();
        }
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
