//! Pages that a user has agreed to open: calls that wait for what is done there, and what the client hears of it.
//!
//! Motivation: that a user agrees says nothing of what happens on the page. A client of today asks again; one of 2025-11-25 waits
//! for the answer to its request, and many wait for a minute only. So the call runs its round again and again, and
//! before the client loses patience it is told to call again; what the call has learned is kept until then.
//!
//! Specification: 2025-11-25, client/elicitation, URL Mode Elicitation Requests and URL Elicitation Required Error.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mcp_core::rpc::{RpcError, code};
use tokio::time::Instant;

use super::{
    object::{List, Object, quoted},
    session::Session,
};
use crate::{
    asking::Body, builder::Builder, context::Context, methods::binding, outcome::Request,
    reporter::Outgoing, server::Server, state::Content, subscriptions::Hub,
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
                of_parameters || *url == self.url || *question.message == self.message
            }
            _ => false,
        }
    }

    /// Tells the client that the user is done there.
    ///
    /// Specification: 2025-11-25, client/elicitation, Completion Notifications for URL Mode Elicitation.
    pub(super) fn tell_done(&self, out: &Arc<dyn Outgoing>) {
        let message = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{{"elicitationId":{}}}}}"#,
            quoted(&self.id)
        );
        // Not among the messages of a call: it may be kept, and nobody answers it then.
        out.deliver(0, message.into_bytes());
    }
}

/// The error that has the client call again once the user is done.
pub(super) fn required(pages: &[Page]) -> RpcError {
    let mut elicitations = List::default();
    for page in pages {
        elicitations.push(&page.params);
    }
    let mut data = Object::default();
    data.set("elicitations", &elicitations.into_json());
    let error = RpcError::new(
        code::URL_ELICITATION_REQUIRED,
        "the user has to finish on a page first; call again then",
    );
    error.with_data(serde_json::from_str(&data.to_json()).unwrap_or_default())
}

/// A call that goes on when it comes again.
pub(super) struct Kept {
    pub(super) content: Content<'static>,
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
            .position(|call| states.is_for(&call.content, &binding))?;
        Some(kept.remove(at))
    }

    /// Tells the client that the user is done with a flow of calls that were kept.
    fn tell_done(&self, flow: &str) {
        for call in &mut *self.calls() {
            let flows = &call.content.body.payload.flows;
            if flows.iter().all(|(_, id)| id != flow) {
                continue;
            }
            let leads_there = |page: &Page| page.params.contains(flow);
            let is_told = call.pages.iter().any(leads_there);
            // Where no page says which flow it belongs to, it is whichever there is.
            let stays = |page: &Page| is_told && !leads_there(page);
            leave(&mut call.pages, &self.unrelated, &stays);
        }
    }
}

/// Forgets pages but those that stay, and tells the client that the user is done there.
pub(super) fn leave(pages: &mut Vec<Page>, out: &Arc<dyn Outgoing>, stays: &dyn Fn(&Page) -> bool) {
    pages.retain(|page| {
        let stays = stays(page);
        if !stays {
            page.tell_done(out);
        }
        stays
    });
}

/// Forgets calls that come too late.
fn forget(kept: &mut Vec<Kept>) {
    let now = Instant::now();
    while let Some(late) = kept.iter().position(|call| call.until <= now) {
        drop(kept.remove(late));
    }
}

/// The calls of all clients that wait for pages.
#[derive(Default)]
pub(crate) struct Pages(Mutex<Vec<Arc<Call>>>);

/// A call that waits, or that was kept.
struct Call {
    /// The ids of what it has begun outside.
    flows: Vec<String>,
    /// Whether something of that is done.
    done: AtomicBool,
    session: Weak<Session>,
}

impl Pages {
    /// What was to be done outside is done.
    pub(crate) fn completed(&self, flow: &str) {
        let mut calls = Vec::new();
        for call in &*self.lock() {
            if call.has(flow) {
                calls.push(Arc::clone(call));
            }
        }
        for call in calls {
            call.done.store(true, Ordering::Release);
            if let Some(session) = call.session.upgrade() {
                session.woken.notify_waiters();
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
            done: AtomicBool::new(false),
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

    /// Whether something is done that nobody has heard of yet.
    pub(super) fn is_done(&self) -> bool {
        self.call.done.swap(false, Ordering::AcqRel)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut calls = self.hub.pages.lock();
        let place = calls.iter().position(|call| Arc::ptr_eq(call, &self.call));
        if let Some(place) = place {
            calls.swap_remove(place);
        }
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
