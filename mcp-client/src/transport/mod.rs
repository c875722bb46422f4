//! Transports: they move whole messages and know no method.
//!
//! A [`Transport`] is opened once and then consists of two halves that work independently: reading
//! never waits for writing. Offered are [`ChildProcess`] for a server that the client launches,
//! [`IoTransport`] for any pair of byte streams and, with the feature `http`, `HttpTransport`.
//! [`Trace`] wraps any of them.
//!
//! An outgoing message says whether it is a request or takes one back, so that a transport with
//! one response stream per request can tie the two together, and has its [`Metadata`] beside its
//! text for a transport with headers or sessions. Neither has to read the message.

mod child;
mod group;
#[cfg(feature = "http")]
pub mod http;
mod io;
mod lines;
mod stderr;
mod trace;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

pub use self::child::{ChildProcess, ChildReceiver, ChildSender};
pub use self::io::{IoTransport, LineReceiver, LineSender};
pub use self::lines::DEFAULT_MAX_MESSAGE;
pub use self::stderr::{CapturedStderr, Stderr};
pub use self::trace::{
    Direction, Entry, Reader, Trace, TraceError, TracedReceiver, TracedSender, read,
};

/// A way to reach a server.
pub trait Transport: Send + 'static {
    /// The writing half.
    type Sender: MessageSender;
    /// The reading half.
    type Receiver: MessageReceiver;

    /// Opens the connection: launches the process, connects the socket.
    ///
    /// # Errors
    ///
    /// What kept the connection from opening.
    fn open(self) -> impl Future<Output = std::io::Result<(Self::Sender, Self::Receiver)>> + Send;

    /// Whether [`Metadata`] goes into headers. Only then does the client look for the parameters
    /// that tools want there, and leave out tools that ask for them wrongly.
    fn mirrors_metadata(&self) -> bool {
        false
    }

    /// The same way once more, for a server that ended because it was asked which revision it speaks.
    /// `None` where there is nothing to open again, as with streams that have ended.
    fn again(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// What the server is remembered under in [`Eras`](crate::Eras): a URL, a command. `None` for one that
    /// cannot be told from others.
    fn remembered_as(&self) -> Option<String> {
        None
    }
}

/// The writing half of an open transport.
pub trait MessageSender: Send + 'static {
    /// Sends one whole message.
    ///
    /// # Errors
    ///
    /// The message was not sent, and nothing more can be.
    fn send(&mut self, message: Outgoing) -> impl Future<Output = std::io::Result<()>> + Send;

    /// Ends the connection and returns when nothing of it is left, a child process included.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// The reading half of an open transport.
pub trait MessageReceiver: Send + 'static {
    /// Waits for the next message. Must be cancel safe: a dropped future loses nothing.
    fn receive(&mut self) -> impl Future<Output = Received> + Send;
}

/// A message on its way to the server. Its text may hold answers and states, so `Debug` shows its length.
#[derive(Clone)]
#[non_exhaustive]
pub struct Outgoing {
    /// The JSON text, on one line; empty where nothing is to be said, see [`Purpose::Cancel`].
    pub text: String,
    /// What it is to the connection.
    pub purpose: Purpose,
    /// What of it stands in headers.
    pub metadata: Metadata,
    /// Held until the message is delivered or thrown away, where somebody counts.
    #[allow(dead_code, reason = "it counts by being there")]
    pub(crate) receipt: Option<Receipt>,
}

/// A place among the messages that may wait to be delivered.
pub(crate) type Receipt = Arc<OwnedSemaphorePermit>;

/// What a transport needs to know of a message, most of which one with headers repeats there: the same on
/// every round of a call. `Debug` leaves the values of parameters out.
///
/// Specification: basic/transports/streamable-http, Request Metadata.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// The method: `Mcp-Method`.
    pub method: String,
    /// What the method is about, where it has a name or URI: `Mcp-Name`.
    pub name: Option<String>,
    /// The revision that the message belongs to: `MCP-Protocol-Version`. That of `initialize` is the one that is
    /// offered, and stands in no header. `None` where none is known: beside what answers the server before one is
    /// agreed on, and beside an `initialize` that is sent for no more than to learn what the server offers.
    pub version: Option<&'static str>,
    /// Whose rules the message follows.
    pub era: Era,
    /// The parameters that the tool wants in headers: the part of the name after `Mcp-Param-`, and
    /// the value before it is encoded.
    pub params: Vec<(String, String)>,
}

/// Whose rules an outgoing message follows.
///
/// The client decides, and may go from one to the other on the same connection: a server that does not
/// understand a message of today gets a handshake next, and one that has ended the session another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Revision 2026-07-28: each message stands for itself.
    #[default]
    Modern,
    /// `initialize`, which begins a session, and what answers the server before its answer to that. A session
    /// that there was before is over.
    Handshake,
    /// Within the session that the last handshake began. The first such message is
    /// `notifications/initialized`: from there on the server may send requests and notifications whenever
    /// it likes.
    Session,
}

/// What an outgoing message is to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// A request with this id: an answer follows.
    Request(u64),
    /// Takes back the request with this id. In the [modern era](Era::Modern) a transport with one stream
    /// per request closes that stream instead of sending the text (specification:
    /// basic/patterns/cancellation); in a session it sends the text, since a stream that ends there says
    /// nothing. That of a [handshake](Era::Handshake) must not be cancelled, and the text is empty: the
    /// stream is closed where there is one, and nothing is sent.
    Cancel(u64),
    /// A notification, in a session only.
    Notification,
    /// The answer to a request of the server, in a session or while a [handshake](Era::Handshake) is under way.
    Response,
}

/// What a transport hands up. `Debug` shows a message's length alone.
#[non_exhaustive]
pub enum Received {
    /// One whole message, or what the server wrote in place of one.
    Message(Vec<u8>),
    /// One whole message that came on the stream of the request with this id, before its answer: in a
    /// session a question says in no other way which call it belongs to.
    Meanwhile {
        /// The request's id.
        id: u64,
        /// The message, or what the server wrote in place of one.
        message: Vec<u8>,
    },
    /// What came back for the request with this id, on a transport that ties the two together.
    /// Should it be no answer to it, that is the request's end all the same.
    Answer {
        /// The request's id.
        id: u64,
        /// The message, or what the server wrote in place of one.
        message: Vec<u8>,
    },
    /// One request gets no answer; the connection goes on.
    Failed {
        /// The request's id.
        id: u64,
        /// Why.
        failure: Failure,
    },
    /// A message that exceeded the transport's limit and was thrown away.
    TooLong {
        /// The id in it, when it answers a request of this client.
        id: Option<u64>,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The server has ended the session, and no request is to blame: what it was asked to report it will not
    /// report any more. The next request begins another session.
    SessionEnded,
    /// What the server would say beside answers has no way to this side for now, and nobody knows whether the
    /// session goes on. Whoever listens begins another one; nobody else minds.
    SessionAway,
    /// Nothing more will come, for this reason. Later calls answer the same.
    Closed(String),
}

/// Why one request gets no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The server wants credentials, or other ones.
    Unauthorized {
        /// The HTTP status: 401 or 403.
        status: u16,
        /// What it wants: `WWW-Authenticate`.
        challenge: Option<String>,
        /// What else it said.
        reason: String,
    },
    /// The server does not know the session any more, and has not processed the request: it can be sent again
    /// in another session.
    SessionEnded {
        /// What it said.
        reason: String,
    },
    /// Anything else: the server cannot be reached, what it said is no answer, it fell silent.
    Failed {
        /// The HTTP status, if it came that far.
        status: Option<u16>,
        /// What happened.
        reason: String,
    },
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metadata")
            .field("method", &self.method)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("purpose", &self.purpose)
            .field("bytes", &self.text.len())
            .finish()
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(bytes) => write!(f, "Message({} bytes)", bytes.len()),
            Self::Meanwhile { id, message } => {
                write!(f, "Meanwhile({id}, {} bytes)", message.len())
            }
            Self::Answer { id, message } => write!(f, "Answer({id}, {} bytes)", message.len()),
            Self::Failed { id, failure } => f
                .debug_struct("Failed")
                .field("id", id)
                .field("failure", failure)
                .finish(),
            Self::TooLong { id, limit } => f
                .debug_struct("TooLong")
                .field("id", id)
                .field("limit", limit)
                .finish(),
            Self::SessionEnded => f.write_str("SessionEnded"),
            Self::SessionAway => f.write_str("SessionAway"),
            Self::Closed(reason) => f.debug_tuple("Closed").field(reason).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_keeps_secrets() {
        let child = ChildProcess::new("shop-server")
            .arg("--token=hunter2")
            .env("API_KEY", "hunter2");
        let sent = Outgoing {
            text: r#"{"requestState":"hunter2"}"#.to_owned(),
            purpose: Purpose::Request(7),
            metadata: Metadata {
                params: vec![("Region".to_owned(), "hunter2".to_owned())],
                ..Metadata::default()
            },
            receipt: None,
        };
        let received = Received::Message(b"hunter2".to_vec());
        let answered = Received::Answer {
            id: 7,
            message: b"hunter2".to_vec(),
        };
        let shown = format!(
            "{child:?} {sent:?} {:?} {received:?} {answered:?}",
            sent.metadata
        );
        assert!(!shown.contains("hunter2"), "{shown}");
        for known in ["shop-server", "API_KEY", "Request(7)", "26", "7 bytes"] {
            assert!(shown.contains(known), "{known}: {shown}");
        }
    }
}
