//! What stands in the place of the others without the feature `legacy`: nobody has shaken hands, and no call has later rounds.

use std::task;

use mcp_core::{
    Revision,
    rpc::{Fault, Message, RpcError},
};

use crate::{
    asking::{InputResponses, Question},
    dispatch::{Accepted, Arrival},
    methods::Params,
    peer::Peer,
    server::Server,
};

/// No message is another's than today's clients'.
pub(crate) fn may_be_earlier(_message: &Result<Message<'_, Box<Params<'_>>>, Fault<'_>>) -> bool {
    false
}

/// Everything can be said in today's revision.
pub(crate) fn can_say(_revision: Revision, _question: &Question) -> Result<(), RpcError> {
    Ok(())
}

/// How much was added to a message.
pub(crate) fn added(_line: &str) -> usize {
    0
}

/// What an earlier client has agreed on: nothing.
#[derive(Default)]
pub(crate) struct Connection;

impl Connection {
    pub(crate) fn accept(
        &self,
        _server: &Server,
        _line: &str,
        _peer: &Peer,
        _arrival: &dyn Arrival,
        _cx: &mut task::Context<'_>,
        _out: &mut Vec<u8>,
    ) -> Option<Accepted> {
        None
    }

    pub(crate) fn end(&self) {}
}

/// The answers of later rounds on one request: there are none.
#[derive(Debug, Default)]
pub(crate) struct Later;

#[derive(Debug)]
pub(crate) enum Answers {}

impl Later {
    pub(crate) fn last(&self) -> Option<&Answers> {
        None
    }

    pub(crate) fn len(&self) -> usize {
        0
    }

    pub(crate) fn add(&self, answers: Answers) {
        match answers {}
    }
}

impl Answers {
    pub(crate) fn as_responses(&self) -> InputResponses<'_> {
        match *self {}
    }
}

/// Calls that wait for what is done on a page: there are none.
#[derive(Default)]
pub(crate) struct Pages;

impl Pages {
    pub(crate) fn completed(&self, _flow: &str) {}
}
