//! [`Server`]: the finished server, immutable and cheap to clone.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Once},
    time::Duration,
};

use mcp_core::protocol::{CacheScope, Implementation};

use crate::{
    builder::Builder,
    cancel::Cancel,
    extension::Extend,
    function::{AllProviders, Bound, Catalog, Providers, Switches},
    methods::Method,
    once::OnceGuard,
    peer::Peer,
    resource::{Found, Route},
    shutdown::Shutdown,
    state::{Principal, RequestStates, StateFailures},
    subscriptions::{Hub, Lists, Notify},
    tool::ResultWriter,
};

/// A server: its tools, prompts and resources, and everything that could be computed from them once.
///
/// Build it with [`Server::builder`]; serve it with [`serve_stdio`](Server::serve_stdio) or
/// [`serve`](Server::serve). All clones are the same server.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) info: Implementation,
    /// Of all kinds; the catalogs say which is which.
    pub(crate) functions: Vec<Bound>,
    pub(crate) tools: Catalog,
    pub(crate) prompts: Catalog,
    pub(crate) resources: Catalog,
    pub(crate) templates: Catalog,
    /// Whom a resource's URI belongs to.
    pub(crate) router: Option<Box<dyn Route>>,
    /// The methods that are served because there is something to serve; `dispatch` knows the others.
    pub(crate) methods: Vec<(Cow<'static, str>, Method)>,
    pub(crate) providers: AllProviders,
    pub(crate) extensions: Vec<Arc<dyn Extend>>,
    /// The result of `server/discover`.
    pub(crate) discover: String,
    pub(crate) writer: ResultWriter,
    pub(crate) states: RequestStates,
    pub(crate) guard: Arc<dyn OnceGuard>,
    /// Where other processes may open this server's states and not see its claims: whether that was
    /// said.
    pub(crate) claims_apart: Option<Once>,
    pub(crate) audience: String,
    /// Who listens for changes.
    pub(crate) hub: Arc<Hub>,
    /// Serving ends.
    pub(crate) shutdown: Cancel,
    pub(crate) options: Options,
}

impl Inner {
    /// Whether tools are offered; a server without anything says that it has none.
    pub(crate) fn has_tools(&self) -> bool {
        !self.tools.is_empty() || self.functions.is_empty()
    }

    /// Whether a method is served that not every server has.
    pub(crate) fn serves(&self, method: &str) -> bool {
        self.methods.iter().any(|(name, _)| *name == method)
    }

    pub(crate) fn has_resources(&self) -> bool {
        !self.resources.is_empty() || !self.templates.is_empty()
    }

    /// The tool of this name, if it is there for this caller.
    pub(crate) fn tool(&self, name: &str, principal: &Principal) -> Option<usize> {
        self.tools.find(name).filter(self.is_there(principal))
    }

    /// The prompt of this name, if it is there for this caller.
    pub(crate) fn prompt(&self, name: &str, principal: &Principal) -> Option<usize> {
        self.prompts.find(name).filter(self.is_there(principal))
    }

    /// The template, or the URI of a resource that is none, if it is there for this caller.
    pub(crate) fn template(&self, uri: &str, principal: &Principal) -> Option<usize> {
        let known = self
            .templates
            .find(uri)
            .or_else(|| self.resources.find(uri));
        known.filter(self.is_there(principal))
    }

    /// Whom a resource's URI belongs to of those that were known when the server was built, if that is there for this caller.
    pub(crate) fn resource(&self, uri: &str, principal: &Principal) -> Option<Found> {
        let is_there = self.is_there(principal);
        self.router
            .as_ref()?
            .find(uri, &|function| is_there(&function))
    }

    fn is_there<'a>(&'a self, principal: &'a Principal) -> impl Fn(&usize) -> bool + 'a {
        |&function| self.functions[function].access.allows(principal)
    }
}

/// What an operator may set.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) show_errors: bool,
    pub(crate) max_rounds: u32,
    pub(crate) max_message_bytes: usize,
    pub(crate) max_result_bytes: usize,
    pub(crate) page_size: usize,
    pub(crate) max_subscriptions: usize,
    pub(crate) list_ttl: Duration,
    pub(crate) public_lists: bool,
    pub(crate) validate_results: bool,
    pub(crate) ask_again_when_expired: bool,
    pub(crate) once_period: Duration,
    pub(crate) drain_grace: Duration,
    pub(crate) claimed_grace: Duration,
    pub(crate) page_patience: Duration,
}

impl Options {
    /// Who may share a list.
    pub(crate) fn scope(&self, per_caller: bool) -> CacheScope {
        if self.public_lists && !per_caller {
            CacheScope::Public
        } else {
            CacheScope::Private
        }
    }
}

impl Server {
    /// Begins to describe a server by its name and version, which clients are told.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// The server's name and version.
    pub fn info(&self) -> &Implementation {
        &self.0.info
    }

    /// The names of the tools, in the order in which they are listed.
    pub fn tool_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.tools.keys()
    }

    /// How many states were refused, by reason; clients are not told the reason.
    pub fn state_failures(&self) -> &StateFailures {
        self.0.states.failures()
    }

    /// Switches tools on and off.
    pub fn tools(&self) -> Switches<'_> {
        Switches::new(self, Lists::TOOLS)
    }

    /// Switches prompts on and off.
    pub fn prompts(&self) -> Switches<'_> {
        Switches::new(self, Lists::PROMPTS)
    }

    /// Switches resources and templates on and off.
    pub fn resources(&self) -> Switches<'_> {
        Switches::new(self, Lists::RESOURCES)
    }

    /// Tells clients that listen what has changed.
    pub fn notify(&self) -> Notify {
        Notify::new(&self.0.hub)
    }

    /// Ends serving in good order.
    pub fn shutdown(&self) -> Shutdown {
        Shutdown::new(self.clone())
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    /// The lists that can change.
    pub(crate) fn lists(&self) -> Lists {
        let inner = self.inner();
        Lists::default()
            .with(Lists::TOOLS, inner.has_tools())
            .with(Lists::PROMPTS, !inner.prompts.is_empty())
            .with(Lists::RESOURCES, inner.has_resources())
    }

    /// Whether this client can read a resource, and so hear of its changes.
    pub(crate) fn serves_resource(&self, uri: &str, peer: &Peer) -> bool {
        let inner = self.inner();
        let provides = |providers: &Providers| {
            let mut list = providers.list.iter();
            list.any(|provider| provider.has(uri, &peer.principal))
        };
        inner.resource(uri, &peer.principal).is_some()
            || inner.providers.resources.as_ref().is_some_and(provides)
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn states(&self) -> &RequestStates {
        &self.0.states
    }

    pub(crate) fn guard(&self) -> &dyn OnceGuard {
        &*self.0.guard
    }

    /// Says once that claims of this server's are not seen where its states are taken too. For
    /// `Context::claim`, of which nobody knows before it is called.
    pub(crate) fn warn_of_claims_apart(&self, function: &str) {
        let Some(said) = &self.0.claims_apart else {
            return;
        };
        said.call_once(|| {
            tracing::warn!(
                function,
                "a key is claimed in this process only, although its state keys can be shared; add \
                 `.once_guard(..)`, or `.single_instance()` where there is one process only"
            );
        });
    }

    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.0.info)
            .field("tools", &self.tool_names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
