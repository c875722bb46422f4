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
    subscriptions::{Change, Filter, Subscriber},
};

/// A session's ear. It begins to listen when it is first needed, and ends when it is dropped.
///
/// It is none of the subscriptions that `max_subscriptions` limits: there are as many as there are sessions.
#[derive(Default)]
pub(crate) struct Notices(OnceLock<Option<Arc<Teller>>>);

impl Notices {
    /// Listens for changes of the lists from now on; `out` is where messages go that belong to no request.
    pub(crate) fn begin(&self, server: &Server, out: &Arc<dyn Outgoing>) {
        if !server.lists().is_empty() {
            self.teller(server, out);
        }
    }

    /// Listens for changes of a resource as well.
    ///
    /// # Errors
    ///
    /// There is no such resource for this client, or it has subscribed to too many.
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
            Some(teller) if !teller.subscriber.add(uri) => Err(RpcError::invalid_params(
                "this session has subscribed to as many resources as it can; unsubscribe from some",
            )),
            _ => Ok(()),
        }
    }

    /// Does not listen for changes of a resource any more, if it did.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        if let Some(Some(teller)) = self.0.get() {
            teller.subscriber.remove(uri);
        }
    }

    /// Listens for nothing any more.
    pub(crate) fn end(&self) {
        if let Some(Some(teller)) = self.0.get() {
            teller.subscriber.give_up();
        }
    }

    /// Who tells; nobody where the server shuts down.
    fn teller(&self, server: &Server, out: &Arc<dyn Outgoing>) -> Option<&Arc<Teller>> {
        let teller = self.0.get_or_init(|| Teller::begin(server, out));
        teller.as_ref()
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
    fn begin(server: &Server, out: &Arc<dyn Outgoing>) -> Option<Arc<Self>> {
        let filter = Filter::of(server.lists());
        let subscriber = server.hub().join_apart(next_number(), filter).ok()?;
        let teller = Arc::new(Self {
            subscriber,
            out: Arc::clone(out),
        });
        Arc::clone(&teller).wake();
        Some(teller)
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
            .poll(&mut cx, room, &mut |change| self.tell(change));
        if end.is_ready() {
            self.subscriber.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{
        sync::{
            Mutex,
            atomic::{AtomicUsize, Ordering},
        },
        task::Poll,
        time::{Duration, Instant},
    };

    use super::*;
    use crate::state::Principal;

    /// A client that reads when it is told to.
    #[derive(Default)]
    struct Client {
        /// Whether there is room, or who waits for it.
        full: Mutex<Option<Option<Waker>>>,
        /// How often somebody has asked for room.
        asked: AtomicUsize,
        read: Mutex<Vec<String>>,
    }

    impl Outgoing for Client {
        fn send(&self, _: u64, message: Vec<u8>) {
            let message: serde_json::Value = serde_json::from_slice(&message).unwrap();
            let uri = message.pointer("/params/uri").unwrap_or(&message["method"]);
            self.read
                .lock()
                .unwrap()
                .push(uri.as_str().unwrap().to_owned());
        }

        fn poll_room(&self, _: u64, cx: &mut Task<'_>) -> Poll<()> {
            let room = match &mut *self.full.lock().unwrap() {
                Some(waiting) => {
                    *waiting = Some(cx.waker().clone());
                    Poll::Pending
                }
                None => Poll::Ready(()),
            };
            self.asked.fetch_add(1, Ordering::SeqCst);
            room
        }
    }

    fn wait(is_so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_so() {
            assert!(
                begin.elapsed() < Duration::from_secs(10),
                "nothing was told"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    impl Client {
        /// There is no room any more.
        fn fill(&self) {
            *self.full.lock().unwrap() = Some(None);
        }

        /// Makes a change, of which it cannot be told.
        fn misses(&self, change: impl FnOnce()) {
            let asked = self.asked.load(Ordering::SeqCst);
            change();
            wait(|| self.asked.load(Ordering::SeqCst) > asked);
        }

        /// There is room again, and whoever waited for it is told.
        fn make_room(&self) {
            let waiting = self.full.lock().unwrap().take();
            waiting.flatten().unwrap().wake();
        }

        /// What it has read since it was asked last, once there is something.
        fn hears(&self) -> Vec<String> {
            wait(|| !self.read.lock().unwrap().is_empty());
            std::mem::take(&mut *self.read.lock().unwrap())
        }

        fn hears_nothing(&self) {
            assert_eq!(*self.read.lock().unwrap(), [""; 0]);
        }
    }

    fn session() -> (Server, Arc<Client>, Notices) {
        let server = Server::builder("s", "1").build().unwrap();
        let client = Arc::new(Client::default());
        let notices = Notices::default();
        let out: Arc<dyn Outgoing> = Arc::clone(&client) as _;
        notices.begin(&server, &out);
        (server, client, notices)
    }

    const TOOLS: &str = "notifications/tools/list_changed";

    #[test]
    fn whoever_does_not_read_hears_of_a_change_once_when_it_does() {
        let (server, client, _notices) = session();
        let notify = server.notify();
        notify.tools_changed();
        assert_eq!(client.hears(), [TOOLS]);
        client.fill();
        client.misses(|| notify.tools_changed());
        for _ in 0..3 {
            notify.tools_changed();
            std::thread::sleep(Duration::from_millis(15));
        }
        client.hears_nothing();
        client.make_room();
        assert_eq!(client.hears(), [TOOLS]);
    }

    #[test]
    fn nothing_is_left_of_a_session_that_has_ended() {
        let (server, client, notices) = session();
        assert_eq!(server.notify().listening(), 1);
        client.fill();
        client.misses(|| server.notify().tools_changed());
        notices.end();
        assert_eq!(server.notify().listening(), 0);
        client.make_room();
        client.hears_nothing();
        drop(notices);
        // The thread that has told of the change may still be about to end.
        wait(|| Arc::strong_count(&client) == 1);
    }

    #[test]
    fn where_the_server_shuts_down_nobody_listens_any_more() {
        let (server, client, notices) = session();
        server.hub().close();
        assert_eq!(server.notify().listening(), 0);
        let out: Arc<dyn Outgoing> = Arc::clone(&client) as _;
        let peer = Peer {
            principal: Principal::Local,
            outgoing: Arc::clone(&out),
            #[cfg(feature = "http")]
            extensions: None,
        };
        let unknown = notices.subscribe(&server, &out, &peer, "a:b").unwrap_err();
        assert_eq!(unknown.data.unwrap()["uri"], "a:b");
        notices.unsubscribe("a:b");
        let late = Notices::default();
        late.begin(&server, &out);
        assert_eq!(server.notify().listening(), 0);
    }
}
