//! What comes without the `_meta` of today: a handshake, and whatever follows on it.
//!
//! Specification: basic/versioning, Backward Compatibility.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_core::{
    protocol::meta::key,
    rpc::{Fault, Message, parse_raw},
};
use serde_json::value::RawValue;

use super::{
    INITIALIZE,
    batch::{self, Member},
    handshake::shake_hands,
    methods::{PING, Request, answer},
    session::Session,
};
use crate::{
    dispatch::{Accepted, Arrival, still_open},
    methods::Params,
    parameters::{Members, member},
    peer::Peer,
    running::{Answered, refuse},
    server::Server,
};

/// The session of a connection, once its client has shaken hands.
///
/// Over HTTP, where connections mean nothing, each session has one.
#[derive(Default)]
pub(crate) struct Connection(Mutex<Option<Arc<Session>>>);

/// Whether a message may be an earlier client's: whether it does not say that it is of today.
pub(crate) fn may_be_earlier(message: &Result<Message<'_, Box<Params<'_>>>, Fault<'_>>) -> bool {
    match message {
        Ok(Message::Request { params, .. }) => {
            params.as_ref().is_none_or(|params| params.meta.is_none())
        }
        Ok(_) | Err(Fault::Params { .. }) => true,
        // It may be meant as an answer.
        Err(Fault::Message { id, .. }) => id.is_some(),
    }
}

impl Connection {
    /// The session that requests belong to from now on.
    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.lock().clone()
    }

    /// The members of a batch, if a message is one and was agreed on.
    pub(crate) fn batch<'a>(&self, message: &'a [u8]) -> Option<Vec<Member<'a>>> {
        if !batch::is_array(message) {
            return None;
        }
        batch::split(self.session()?.revision, message)
    }

    /// Nothing more comes from the client.
    pub(crate) fn end(&self) {
        let session = self.lock().take();
        if let Some(session) = session {
            session.end();
        }
    }

    /// Handles a message if it is an earlier client's.
    pub(crate) fn accept(
        &self,
        server: &Server,
        line: &str,
        peer: &Peer,
        arrival: &dyn Arrival,
        cx: &mut std::task::Context<'_>,
        out: &mut Vec<u8>,
    ) -> Option<Accepted> {
        let session = self.session();
        let message = match parse_raw(line) {
            Ok(message) => message,
            Err(Fault::Message { id: Some(id), .. }) if !has_method(line) => {
                // Whoever waits for that answer waits in vain.
                return session?.fail(id).then_some(Accepted::Noted);
            }
            Err(_) => return None,
        };
        Some(match message {
            Message::Request { params, .. } if params.is_some_and(is_of_today) => return None,
            Message::Request { id, .. } if arrival.is_open(id) => still_open(id, out),
            Message::Request { id, method, params } if method == INITIALIZE => {
                match shake_hands(server, params, peer, id, out) {
                    Ok(session) => self.begin(session),
                    Err(error) => Accepted::Answered(refuse(out, Some(id), &error)),
                }
            }
            Message::Request { id, method, params } => match session {
                Some(session) => {
                    let method = &*method;
                    session.request(server, Request { id, method, params }, peer, cx, out)
                }
                None if method == PING => answer(id, "{}", out),
                None => return None,
            },
            Message::Notification { method, params } => {
                session?.notification(server, &method, params)
            }
            Message::Response { id, outcome } => {
                session?.settle(id, outcome);
                Accepted::Noted
            }
        })
    }

    /// Goes on with a new session.
    fn begin(&self, session: Arc<Session>) -> Accepted {
        let mut current = self.lock();
        // A client may begin anew; what it was asked before, it should have forgotten.
        if let Some(before) = current.take() {
            before.end();
            session.requests.follow(&before.requests);
        }
        *current = Some(session);
        Accepted::Answered(Answered::Result)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_method(line: &str) -> bool {
    member(line.trim_ascii(), "method").is_some()
}

/// Whether a request says, readably or not, that it describes itself.
pub(crate) fn is_of_today(params: &RawValue) -> bool {
    let meta = member(params.get(), "_meta").unwrap_or_default();
    for member in Members::of(meta) {
        match member {
            Some((name, _)) if name == key::PROTOCOL_VERSION => return true,
            Some((name, _)) if name == key::CLIENT_CAPABILITIES => return true,
            Some(_) => {}
            None => break,
        }
    }
    false
}
