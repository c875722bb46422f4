//! Pages that a user has agreed to open: calls that wait for what is done there, and what the client hears of it.
//!
//! Motivation: that a user agrees says nothing of what happens on the page. A client of today asks again; one of 2025-11-25 waits
//! for the answer to its request, and many wait for a minute only. So the call runs its round again and again, and
//! before the client loses patience it is told to call again; what the call has learned is kept until then.
//!
//! Specification: 2025-11-25, client/elicitation, URL Mode Elicitation Requests and URL Elicitation Required Error.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::Poll,
    time::Duration,
};

use mcp_core::rpc::{RpcError, code, write_str};
use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::session::Session;
use crate::{
    asking::Body, builder::Builder, context::Context, error::ToolError, methods::binding,
    outcome::Request, reporter::Outgoing, server::Server, state::StateBody, subscriptions::Hub,
};

/// How many calls of one session are kept. Most sessions have none.
const MOST_KEPT: usize = 4;

/// A page that the user has agreed to open.
pub(super) struct Page {
    /// That of the question.
    pub(super) key: String,
    pub(super) id: String,
    /// The parameters of the question, its id among them.
    pub(super) params: String,
    pub(super) message: String,
    pub(super) url: String,
    /// When nobody waits for it any more.
    pub(super) until: Instant,
}

impl Page {
    /// Whether this is what a round asks for. A tool that asks by hand may ask for one page after another under one key; where
    /// neither what the page is for nor its address is the same, it is another one.
    pub(super) fn is_of(&self, request: &Request, of_parameters: bool) -> bool {
        let question = &request.question;
        match &question.body {
            Body::Url(url) if request.key == self.key => {
                of_parameters || *url == self.url || question.message == self.message
            }
            _ => false,
        }
    }

    /// Tells the client that the user is done there.
    ///
    /// Specification: 2025-11-25, client/elicitation, Completion Notifications for URL Mode Elicitation.
    pub(super) fn tell_done(&self, out: &Arc<dyn Outgoing>) {
        let mut message =
            br#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"#.to_vec();
        write_str(&mut message, &self.id);
        message.extend_from_slice(b"}}");
        // Not among the messages of a call: it may be kept, and nobody answers it then.
        out.deliver(0, message);
    }
}

/// The error that has the client call again once the user is done.
pub(super) fn required(pages: &[Page]) -> RpcError {
    let elicitations: Vec<Value> = pages
        .iter()
        .filter_map(|page| serde_json::from_str(&page.params).ok())
        .collect();
    RpcError::new(
        code::URL_ELICITATION_REQUIRED,
        "the user has to finish on a page first; call again then",
    )
    .with_data(json!({ "elicitations": elicitations }))
}

/// A call that goes on when it comes again.
pub(super) struct Kept {
    pub(super) body: StateBody,
    pub(super) pages: Vec<Page>,
    /// That the user has agreed to open the pages: all that its next round is told.
    pub(super) answers: String,
    pub(super) _waiting: Waiting,
    /// When it is too late to go on.
    pub(super) until: Instant,
}

impl Session {
    /// Keeps a call.
    pub(super) fn keep(&self, call: Kept) {
        let mut kept = self.calls();
        forget(&mut kept);
        if kept.len() >= MOST_KEPT {
            drop(kept.remove(0));
        }
        kept.push(call);
    }

    /// What the same call had come to before, if it was kept.
    pub(super) fn kept(&self, ctx: &Context) -> Option<Kept> {
        if self.calls().is_empty() {
            return None;
        }
        let binding = binding(ctx).ok()?;
        let states = ctx.server().states();
        let mut kept = self.calls();
        forget(&mut kept);
        let at = kept
            .iter()
            .position(|call| states.is_for(&call.body, &binding))?;
        Some(kept.remove(at))
    }

    /// Tells the client that the user is done with a flow of calls that were kept.
    fn tell_done(&self, flow: &str) {
        for call in &mut *self.calls() {
            if call.body.payload.flows.iter().all(|(_, id)| id != flow) {
                continue;
            }
            let leads_there = |page: &Page| page.params.contains(flow);
            let is_told = call.pages.iter().any(leads_there);
            // Where no page says which flow it belongs to, it is whichever there is.
            call.pages.retain(|page| {
                let stays = is_told && !leads_there(page);
                if !stays {
                    page.tell_done(&self.unrelated);
                }
                stays
            });
        }
    }
}

/// Forgets calls that come too late.
fn forget(kept: &mut Vec<Kept>) {
    let now = Instant::now();
    kept.retain(|call| call.until > now);
}

/// The calls of all clients that wait for pages.
#[derive(Default)]
pub(crate) struct Pages(Mutex<Vec<Arc<Call>>>);

/// A call that waits, or that was kept.
struct Call {
    /// The ids of what it has begun outside.
    flows: Vec<String>,
    done: Notify,
    session: Weak<Session>,
}

impl Pages {
    /// What was to be done outside is done.
    pub(crate) fn completed(&self, flow: &str) {
        let calls: Vec<_> = self
            .lock()
            .iter()
            .filter(|call| call.has(flow))
            .cloned()
            .collect();
        for call in calls {
            call.done.notify_one();
            if let Some(session) = call.session.upgrade() {
                session.tell_done(flow);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Call>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    fn has(&self, flow: &str) -> bool {
        self.flows.iter().any(|known| known == flow)
    }
}

/// Keeps a call among those that wait.
pub(super) struct Waiting {
    hub: Arc<Hub>,
    call: Arc<Call>,
}

impl Session {
    /// Waits for these flows from now on.
    pub(super) fn wait_for(self: &Arc<Self>, server: &Server, flows: Vec<String>) -> Waiting {
        let call = Arc::new(Call {
            flows,
            done: Notify::new(),
            session: Arc::downgrade(self),
        });
        let hub = Arc::clone(server.hub());
        hub.pages.lock().push(Arc::clone(&call));
        Waiting { hub, call }
    }
}

impl Waiting {
    pub(super) fn is_for(&self, flows: &[String]) -> bool {
        self.call.flows == flows
    }

    /// Returns at this moment, or when something is done.
    ///
    /// # Errors
    ///
    /// The client has gone.
    pub(super) async fn rest(&self, session: &Session, moment: Instant) -> Result<(), ToolError> {
        let mut until = std::pin::pin!(sleep_until(moment));
        let mut done = std::pin::pin!(self.call.done.notified());
        let mut ended = std::pin::pin!(session.ended.cancelled());
        std::future::poll_fn(|cx| {
            if ended.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(ToolError::new(
                    "the client has gone before the user was done on a page",
                )));
            }
            match done.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(Ok(())),
                Poll::Pending => until.as_mut().poll(cx).map(Ok),
            }
        })
        .await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut calls = self.hub.pages.lock();
        calls.retain(|call| !Arc::ptr_eq(call, &self.call));
    }
}

impl Builder {
    /// How long a client of revision 2025-11-25 is kept waiting while its user is busy on a
    /// [page](crate::Ask::url). 45 s by default, because many clients give a request a minute.
    ///
    /// Until then the function runs again and again, at most a second after it ran last, and with it the layers around it; so what it
    /// does before it asks should have no effect, or stand in a [`memo`](crate::Context::memo). After that the request is
    /// answered with the error `-32042`, which names the page, and the call goes on when it comes again. Clients of other
    /// revisions do not wait.
    ///
    /// Specification: 2025-11-25, client/elicitation, URL Elicitation Required Error.
    #[must_use]
    pub fn page_patience(mut self, patience: Duration) -> Self {
        self.options.page_patience = patience.min(crate::builder::LONGEST);
        self
    }
}
