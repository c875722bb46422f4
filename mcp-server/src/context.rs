//! [`Context`]: what a call knows of itself.

mod claims;
mod meta;

use std::{
    fmt,
    future::Future,
    ops::{Deref, DerefMut},
    sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, atomic::AtomicUsize},
};

use mcp_core::{Revision, protocol::LoggingLevel, rpc::RpcError};
use serde::{Serialize, de::DeserializeOwned};

pub use self::meta::TraceContext;
use crate::{
    asking::{Exchange, InputResponses, Kind, Kinds, Place, Question},
    cancel::Cancel,
    error::ToolError,
    function::Bound,
    methods::Received,
    peer::Peer,
    reporter::{Progress, Reporter},
    server::Server,
    spec::{FunctionSpec, KindSpec},
    state::{Principal, random_id},
};

/// What a function knows of the call it answers: who calls, what the client can do, whether it still
/// waits.
///
/// Take it as a parameter, by value or by reference. It is cheap to clone.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Packs a parcel.
/// #[tool]
/// async fn pack(
///     /// How many things go into it.
///     things: u32,
///     ctx: Context,
/// ) -> String {
///     for thing in 1..=things {
///         if ctx.is_cancelled() {
///             break;
///         }
///         ctx.progress((f64::from(thing), f64::from(things)));
///     }
///     format!("{things} packed")
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Context {
    inner: Opaque,
    /// Whether the tool itself has it. Layers, and whatever else is around the tool, do not see the
    /// state's content.
    of_tool: bool,
}

/// What a call knows, as a trait object: whether a future that has a context is `Send` is asked for each function of a user's,
/// and without it each time of every type that a server is made of.
#[derive(Clone)]
struct Opaque(Arc<dyn Known>);

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

trait Known: fmt::Debug + Send + Sync {
    fn known(&self) -> &Inner;
}

impl Known for Inner {
    fn known(&self) -> &Inner {
        self
    }
}

impl Deref for Opaque {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        self.0.known()
    }
}

#[derive(Debug)]
struct Inner {
    server: Server,
    /// Which of the server's functions runs; none where the request calls none.
    function: Option<usize>,
    received: Received,
    principal: Principal,
    #[cfg(feature = "http")]
    extensions: Option<Arc<http::Extensions>>,
    /// Made when it is first looked at: most calls ask nothing.
    exchange: Mutex<Option<Box<Exchange>>>,
    reporter: Option<Reporter>,
    /// The work should end.
    cancel: Cancel,
    /// The client has given the call up: nothing more is sent.
    given_up: Cancel,
    /// How much is claimed for this call, or just being claimed: with anything, its body must not be
    /// dropped.
    claimed: AtomicUsize,
    /// The places of the client's answers to what was asked, where there were others among them.
    answers: OnceLock<Vec<Place>>,
    /// The arguments in the form that serde reads, where the client's own form is another.
    coerced: OnceLock<String>,
    /// Who wants to know that the body has begun.
    #[cfg(feature = "testing")]
    bodies: OnceLock<crate::testing::BodyCount>,
}

impl Context {
    pub(crate) fn new(
        server: Server,
        function: Option<usize>,
        received: Received,
        peer: &Peer,
        reporter: Option<Reporter>,
    ) -> Self {
        let inner = Opaque(Arc::new(Inner {
            server,
            function,
            received,
            principal: peer.principal.clone(),
            #[cfg(feature = "http")]
            extensions: peer.extensions.clone(),
            exchange: Mutex::default(),
            reporter,
            cancel: Cancel::default(),
            given_up: Cancel::default(),
            claimed: AtomicUsize::new(0),
            answers: OnceLock::new(),
            coerced: OnceLock::new(),
            #[cfg(feature = "testing")]
            bodies: OnceLock::new(),
        }));
        Self {
            inner,
            of_tool: false,
        }
    }

    /// The same call, as its tool sees it.
    pub(crate) fn inside_layers(mut self) -> Self {
        self.of_tool = true;
        self
    }

    /// Goes on from a verified exchange.
    pub(crate) fn resume(&self, exchange: Exchange) {
        if let Some(answers) = exchange.only_asked(self.inner.received.responses()) {
            let _ = self.inner.answers.set(answers);
        }
        *self.exchange().0 = Some(Box::new(exchange));
    }

    /// The name of the tool or prompt that was called, or of the resource's function; `extension` where the request is an
    /// extension's own.
    pub fn name(&self) -> &'static str {
        self.bound().map_or("extension", |bound| bound.spec.name)
    }

    /// What the request addresses: the name of the tool or prompt, or the URI of the resource; the method where it is an
    /// extension's own.
    pub fn target(&self) -> &str {
        match &self.inner.received.address {
            Some(address) => address,
            None => self.name(),
        }
    }

    /// The method of the request that calls a function: `tools/call`, `prompts/get` or
    /// `resources/read`; an extension's own where it is that.
    pub fn method(&self) -> &str {
        match self.bound().map(|bound| &bound.spec.kind) {
            Some(KindSpec::Tool(_)) => "tools/call",
            Some(KindSpec::Prompt) => "prompts/get",
            Some(KindSpec::Resource(_)) => "resources/read",
            None => self.target(),
        }
    }

    /// The server that answers.
    pub fn server(&self) -> &Server {
        &self.inner.server
    }

    /// The protocol revision of this request.
    pub fn revision(&self) -> Revision {
        self.inner.received.revision
    }

    /// Who calls.
    pub fn principal(&self) -> &Principal {
        &self.inner.principal
    }

    /// What a layer in front of the HTTP service has put into the request's extensions; none over
    /// other transports.
    #[cfg(feature = "http")]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.extensions.as_deref()?.get()
    }

    /// Which round of the call this is: 1, and one more for each time that questions went out.
    pub fn round(&self) -> u32 {
        self.exchange().round()
    }

    /// Whether this request declares that the client can be asked for this.
    pub fn can_ask(&self, kind: Kind) -> bool {
        self.inner.received.kinds.contains(kind)
    }

    /// Ends the call where the client cannot be asked for this.
    ///
    /// # Errors
    ///
    /// `-32021`, which names the capability that is missing.
    pub fn require(&self, kind: Kind) -> Result<(), ToolError> {
        self.inner
            .received
            .kinds
            .require(kind)
            .map_err(ToolError::protocol)
    }

    /// Tells the client how far the call is, if it wants to know.
    ///
    /// Reports that do not grow are left out.
    ///
    /// Specification: basic/patterns/progress.
    pub fn progress(&self, progress: impl Into<Progress>) {
        if let Some(reporter) = &self.inner.reporter {
            reporter.progress(progress.into());
        }
    }

    /// Sends a log message to the client, if the request asks for this level.
    ///
    /// Deprecated in the protocol, still served; use `tracing` for the operator's log.
    ///
    /// Specification: server/utilities/logging.
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        if let Some(reporter) = &self.inner.reporter {
            reporter.log(level, Some(self.name()), &data);
        }
    }

    /// Lets a client of revision 2025-11-25 over HTTP go, for it to come again for the rest: the connection ends, and the
    /// call goes on. What it sends meanwhile is kept, and its result.
    ///
    /// For functions that take so long that no connection should be held for them. With other clients, and over other
    /// transports, it does nothing.
    ///
    /// Specification: 2025-11-25, basic/transports, Sending Messages to the Server.
    pub fn close_stream(&self) {
        if let Some(reporter) = &self.inner.reporter {
            reporter.close_stream();
        }
    }

    /// Whether the client has given the call up.
    ///
    /// Most tools need not look: a call that was given up is dropped where it waits, unless it has
    /// claimed something.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancel.is_cancelled()
    }

    /// Waits until the client gives the call up.
    pub async fn cancelled(&self) {
        self.inner.cancel.cancelled().await;
    }

    /// The answers that came with a verified state, to the questions of the round before; none where
    /// the state is another's or absent.
    ///
    /// For tools that ask by hand; see [`Outcome`](crate::Outcome).
    pub fn input_responses(&self) -> InputResponses<'_> {
        if self.exchange().verified.is_none() {
            return InputResponses::none();
        }
        match self.inner.answers.get() {
            Some(answers) => self.inner.received.responses().only(answers),
            None => self.inner.received.responses(),
        }
    }

    /// The answers as they came, from whomever and to whatever question.
    ///
    /// For tools whose answers decide nothing.
    pub fn unverified_input_responses(&self) -> InputResponses<'_> {
        self.inner.received.responses()
    }

    /// What [`InputRequired::state`](crate::InputRequired::state) was given, once it came back and
    /// was verified. The tool alone sees it: a layer gets `None`.
    pub fn request_state(&self) -> Option<String> {
        if !self.of_tool {
            return None;
        }
        self.exchange().payload.by_hand.clone()
    }

    /// A random id, made once a call and name, for a flow outside the call such as a payment page.
    ///
    /// It stays the same in all rounds of the call and is bound to the principal, so a page can
    /// check that who finishes is who was asked.
    ///
    /// # Errors
    ///
    /// Where the operating system gives no random bytes.
    pub fn flow(&self, name: &str) -> Result<Flow, ToolError> {
        let mut exchange = self.exchange();
        let id = match exchange.payload.flows.get(name) {
            Some(id) => id.clone(),
            None => {
                let id = random_id()?;
                exchange.payload.flows.insert(name.to_owned(), id.clone());
                id
            }
        };
        Ok(Flow {
            id,
            principal: self.inner.principal.clone(),
        })
    }

    /// Runs work once a call and name: later rounds get the result of the first.
    ///
    /// The result travels in the state, so it should be small.
    ///
    /// # Errors
    ///
    /// The work's own, which is not remembered; or where the result is no JSON.
    pub async fn memo<T, E>(
        &self,
        name: &str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
    {
        let kept = self.exchange().payload.memos.get(name).cloned();
        if let Some(json) = kept
            && let Ok(value) = serde_json::from_str(&json)
        {
            return Ok(value);
        }
        let value = work.await.map_err(Into::into)?;
        let json = serde_json::to_string(&value)?;
        self.exchange().payload.memos.insert(name.to_owned(), json);
        Ok(value)
    }

    /// Asks the work to end.
    pub(crate) fn cancel(&self) {
        self.inner.cancel.cancel();
    }

    /// The client has given the call up: nothing of it goes out any more.
    pub(crate) fn give_up(&self) {
        self.close();
        self.inner.cancel.cancel();
        self.inner.given_up.cancel();
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.inner.given_up.is_cancelled()
    }

    pub(crate) async fn given_up(&self) {
        self.inner.given_up.cancelled().await;
    }

    /// Tells the messages of this call from those of others; 0 where it sends none.
    pub(crate) fn number(&self) -> u64 {
        self.inner.reporter.as_ref().map_or(0, Reporter::call)
    }

    /// No message of this call goes out any more but its result.
    pub(crate) fn close(&self) {
        if let Some(reporter) = &self.inner.reporter {
            reporter.close();
        }
    }

    /// Every question has settled and what must be claimed is: the body is next.
    pub(crate) fn body_begins(&self) {
        #[cfg(feature = "testing")]
        if let Some(bodies) = self.inner.bodies.get() {
            bodies.add(self.spec().name);
        }
    }

    #[cfg(feature = "testing")]
    pub(crate) fn count_bodies(&self, bodies: &crate::testing::BodyCount) {
        let _ = self.inner.bodies.set(bodies.clone());
    }

    #[cfg(feature = "testing")]
    pub(crate) fn body_count(&self) -> Option<&crate::testing::BodyCount> {
        self.inner.bodies.get()
    }

    pub(crate) fn exchange(&self) -> ExchangeGuard<'_> {
        let guard = self.inner.exchange.lock();
        ExchangeGuard(guard.unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the request goes on from one that was answered with questions, or says so.
    pub(crate) fn is_retry(&self) -> bool {
        self.inner.received.is_retry
    }

    pub(crate) fn kinds(&self) -> Kinds {
        self.inner.received.kinds
    }

    /// `-32021` where the client cannot be asked this.
    pub(crate) fn may_be_shown(&self, question: &Question) -> Result<(), RpcError> {
        question.require(self.kinds())?;
        crate::legacy::can_say(self.revision(), question)?;
        Ok(())
    }

    /// The function that runs.
    ///
    /// # Panics
    ///
    /// For a request that calls none; only its own method has such a context.
    pub(crate) fn function(&self) -> &Bound {
        self.bound().expect("the request calls a function")
    }

    fn bound(&self) -> Option<&Bound> {
        let inner: &Inner = &self.inner;
        inner.server.inner().functions.get(inner.function?)
    }

    pub(crate) fn spec(&self) -> &FunctionSpec {
        &self.function().spec
    }

    pub(crate) fn received(&self) -> &Received {
        &self.inner.received
    }

    /// The arguments as a JSON object.
    pub(crate) fn arguments(&self) -> &str {
        let inner: &Inner = &self.inner;
        let coerced = inner.coerced.get();
        coerced.map_or_else(|| inner.received.arguments(), String::as_str)
    }

    /// Replaces the form of the arguments; it is done once a call at the most.
    pub(crate) fn coerce(&self, arguments: String) {
        let _ = self.inner.coerced.set(arguments);
    }
}

/// The exchange of a call, while nobody else looks at it.
pub(crate) struct ExchangeGuard<'a>(MutexGuard<'a, Option<Box<Exchange>>>);

impl Deref for ExchangeGuard<'_> {
    type Target = Exchange;

    fn deref(&self) -> &Exchange {
        static NONE: LazyLock<Exchange> = LazyLock::new(Exchange::default);
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for ExchangeGuard<'_> {
    fn deref_mut(&mut self) -> &mut Exchange {
        self.0.get_or_insert_default()
    }
}

/// A flow outside the call: see [`Context::flow`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    id: String,
    principal: Principal,
}

impl Flow {
    /// The flow's id: random, fit for a URL.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Who was asked, and who alone may finish.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}
