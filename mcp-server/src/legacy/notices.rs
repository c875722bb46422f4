//! What a session hears of: changes of the lists that its server has, and of the resources that its client subscribes to.
//!
//! Motivation: a session says what it listens for bit by bit, and it may listen for days. So it has a place in the hub like a
//! subscription, and no task: whoever would wake one, the hub with changes or a transport with room, hands them on itself.
//!
//! Specification: server/resources, Subscriptions, and List Changed Notification; server/tools and server/prompts, List Changed
//! Notification.

use std::{
    sync::{Arc, OnceLock},
    task::{Context as Task, Wake, Waker},
};

use mcp_core::rpc::{RpcError, write_str};

use crate::{
    peer::Peer,
    reporter::{Outgoing, next_number},
    server::Server,
    subscriptions::{Change, Filter, Refused, Subscriber},
};

/// A session's ear. It begins to listen when it is first needed, and ends when it is dropped.
#[derive(Default)]
pub(crate) struct Notices(OnceLock<Result<Arc<Teller>, Refused>>);

impl Notices {
    /// Listens for changes of the lists from now on; `out` is where messages go that belong to no request.
    pub(crate) fn begin(&self, server: &Server, out: &Arc<dyn Outgoing>) {
        if let Err(Refused::Full(limit)) = self.teller(server, out) {
            tracing::warn!(
                limit,
                "a session hears of no changes: as many listen as `max_subscriptions` allows"
            );
        }
    }

    /// Listens for changes of a resource as well.
    ///
    /// # Errors
    ///
    /// There is no such resource for this client, or no room for another subscription.
    pub(crate) fn subscribe(
        &self,
        server: &Server,
        out: &Arc<dyn Outgoing>,
        peer: &Peer,
        uri: &str,
    ) -> Result<(), RpcError> {
        if !server.serves_resource(uri, peer) {
            return Err(RpcError::resource_not_found(uri));
        }
        match self.teller(server, out) {
            Ok(teller) if teller.subscriber.add(uri) => Ok(()),
            Ok(_) => Err(RpcError::invalid_params(
                "this session has subscribed to as many resources as it can; unsubscribe from some",
            )),
            // It will not be told any more, and neither is anybody else.
            Err(Refused::Closed) => Ok(()),
            Err(Refused::Full(limit)) => Err(RpcError::internal_error(format!(
                "{limit} subscriptions are open already, which is the limit of `max_subscriptions`; \
                 try again later"
            ))),
        }
    }

    /// Does not listen for changes of a resource any more, if it did.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        if let Some(Ok(teller)) = self.0.get() {
            teller.subscriber.remove(uri);
        }
    }

    /// Listens for nothing any more.
    pub(crate) fn end(&self) {
        if let Some(Ok(teller)) = self.0.get() {
            teller.subscriber.give_up();
        }
    }

    fn teller(&self, server: &Server, out: &Arc<dyn Outgoing>) -> Result<&Arc<Teller>, Refused> {
        let teller = self.0.get_or_init(|| Teller::begin(server, out));
        teller.as_ref().map_err(|refused| *refused)
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.end();
    }
}

/// Tells a client what has changed, in the thread that has something for it.
struct Teller {
    subscriber: Arc<Subscriber>,
    out: Arc<dyn Outgoing>,
}

impl Teller {
    fn begin(server: &Server, out: &Arc<dyn Outgoing>) -> Result<Arc<Self>, Refused> {
        let subscriber = server
            .hub()
            .join(next_number(), Filter::of(server.lists()))?;
        let teller = Arc::new(Self {
            subscriber,
            out: Arc::clone(out),
        });
        Arc::clone(&teller).wake();
        Ok(teller)
    }

    fn tell(&self, change: Change<'_>) {
        let mut message = br#"{"jsonrpc":"2.0","method":"#.to_vec();
        match change {
            Change::List(method) => write_str(&mut message, method),
            Change::Resource(uri) => {
                message.extend_from_slice(br#""notifications/resources/updated","params":{"uri":"#);
                write_str(&mut message, uri);
                message.push(b'}');
            }
        }
        message.push(b'}');
        self.out.deliver(self.subscriber.number(), message);
    }
}

/// Wakes itself again when there is more, until the subscription ends.
impl Wake for Teller {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut cx = Task::from_waker(&waker);
        let room = self.out.poll_room(self.subscriber.number(), &mut cx);
        let end = self
            .subscriber
            .poll(&mut cx, room, |change| self.tell(change));
        if end.is_ready() {
            self.subscriber.give_up();
        }
    }
}
