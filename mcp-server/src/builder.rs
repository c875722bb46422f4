//! [`Builder`]: describes a server; `build()` freezes it and reports every fault.

mod discover;

use std::{
    sync::{Arc, Once},
    time::Duration,
};

use mcp_core::protocol::{Icon, Implementation};

pub(crate) use self::discover::millis;
use self::discover::{discover, server_info};
use crate::{
    cancel::Cancel,
    extension::{self, Extend, Extension},
    faults::{BuildError, Faults},
    function::{
        Around, Catalog, Functions, IntoPromptSet, IntoResourceSet, IntoToolSet, Provide,
        ProviderKind, Registry,
    },
    layers::CallLayer,
    once::{MemoryGuard, OnceGuard},
    parameters::{Shared, State},
    prompt::{self, PromptProvider},
    resource::{self, ResourceProvider},
    server::{Inner, Options, Server},
    spec::OnceSpec,
    state::{RequestStates, Sealing},
    subscriptions::Hub,
    tool::ResultWriter,
};

/// The longest time that an operator may set: a century, which is for ever and can still be added to the clock.
pub(crate) const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Describes a server; see [`Server::builder`].
pub struct Builder {
    info: Implementation,
    instructions: Option<String>,
    shared: Shared,
    sets: Vec<Functions>,
    providers: Vec<(&'static ProviderKind, Vec<Arc<dyn Provide>>)>,
    extensions: Vec<Arc<dyn Extend>>,
    layers: Vec<Arc<dyn CallLayer>>,
    sealing: Sealing,
    lifetime: Duration,
    audience: Option<String>,
    guard: Arc<dyn OnceGuard>,
    single_instance: bool,
    pub(crate) options: Options,
    faults: Faults,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("info", &self.info)
            .field("sets", &self.sets)
            .finish_non_exhaustive()
    }
}

impl Builder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            shared: Shared::default(),
            sets: Vec::new(),
            providers: Vec::new(),
            extensions: Vec::new(),
            layers: Vec::new(),
            sealing: Sealing::generated(),
            lifetime: crate::state::DEFAULT_LIFETIME,
            audience: None,
            guard: Arc::new(MemoryGuard::new()),
            single_instance: false,
            options: Options {
                show_errors: false,
                max_rounds: 16,
                max_message_bytes: 16 * 1024 * 1024,
                max_result_bytes: 8 * 1024 * 1024,
                page_size: 1000,
                max_subscriptions: 10_000,
                list_ttl: Duration::ZERO,
                public_lists: false,
                validate_results: cfg!(debug_assertions),
                ask_again_when_expired: false,
                once_period: Duration::from_secs(24 * 60 * 60),
                drain_grace: Duration::from_secs(5),
                claimed_grace: Duration::from_secs(60),
                page_patience: Duration::from_secs(45),
            },
            faults: Faults::default(),
        }
    }

    /// A name for people, beside the name for programs.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// What the server is for, in a sentence.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Where people read more about it.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// How a model should use the server.
    ///
    /// Specification: server/discover, DiscoverResult.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Registers shared state, for parameters of the type `State<T>`.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// Registers state that is shared already, or a trait object, for parameters of the type
    /// `State<T>` or `State<dyn Trait>`.
    #[must_use]
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        if !self.shared.insert(State::new(state)) {
            self.faults.add(format!(
                "state of type `{}` is registered twice; wrap one in a type of its own",
                std::any::type_name::<T>()
            ));
        }
        self
    }

    /// Registers tools: `tools![..]`, or a value whose methods are tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoToolSet) -> Self {
        self.sets.push(tools.into_set().0);
        self
    }

    /// Registers prompts: `prompts![..]`, or a value whose methods are prompts.
    #[must_use]
    pub fn prompts(mut self, prompts: impl IntoPromptSet) -> Self {
        self.sets.push(prompts.into_set().0);
        self
    }

    /// Registers resources and templates of resources: `resources![..]`, or a value whose methods are
    /// resources.
    #[must_use]
    pub fn resources(mut self, resources: impl IntoResourceSet) -> Self {
        self.sets.push(resources.into_set().0);
        self
    }

    /// Registers resources that are not known yet. Several providers are asked in this order, after everything else.
    ///
    /// What a provider reads has the server's layers around it. They see one resource function for all providers, whose name is
    /// `resource provider`; [`Context::target`](crate::Context::target) is the URI.
    #[must_use]
    pub fn resource_provider(self, provider: impl ResourceProvider) -> Self {
        let provider = Arc::new(resource::Resources(provider));
        self.provider(&resource::PROVIDERS, provider)
    }

    /// Registers prompts that are not known yet. Several providers are asked in this order, after everything else.
    ///
    /// What a provider fills in has the server's layers around it. They see one prompt function for all providers, whose name is
    /// `prompt provider`; [`Context::target`](crate::Context::target) is the prompt's name.
    #[must_use]
    pub fn prompt_provider(self, provider: impl PromptProvider) -> Self {
        let provider = Arc::new(prompt::Prompts(provider));
        self.provider(&prompt::PROVIDERS, provider)
    }

    fn provider(mut self, kind: &'static ProviderKind, provider: Arc<dyn Provide>) -> Self {
        let mut known = self.providers.iter_mut();
        match known.find(|(known, _)| std::ptr::eq(*known, kind)) {
            Some((_, list)) => list.push(provider),
            None => self.providers.push((kind, vec![provider])),
        }
        self
    }

    /// Registers an extension of the protocol.
    #[must_use]
    pub fn extension(mut self, extension: impl Extension) -> Self {
        self.extensions.push(Arc::new(extension));
        self
    }

    /// Puts a layer around every call, inside of those that were put before.
    #[must_use]
    pub fn layer(mut self, layer: impl CallLayer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// How `requestState` is protected; without it, encrypted under a key made at start-up.
    #[must_use]
    pub fn request_state(mut self, sealing: Sealing) -> Self {
        self.sealing = sealing;
        self
    }

    /// How long a person may take to answer: how long a sealed state is good for. 600 s by default,
    /// at least a second, counted in whole seconds.
    #[must_use]
    pub fn request_state_lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime.min(LONGEST);
        self
    }

    /// Asks again, instead of an error, where a person took longer than that.
    #[must_use]
    pub fn ask_again_when_expired(mut self) -> Self {
        self.options.ask_again_when_expired = true;
        self
    }

    /// For whom states are sealed: all replicas of a server share it, and no other server. The
    /// server's name by default.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Who keeps the claims of tools that run once. In memory by default, which is right for a
    /// single process only.
    #[must_use]
    pub fn once_guard(mut self, guard: impl OnceGuard + 'static) -> Self {
        self.guard = Arc::new(guard);
        self
    }

    /// Says that no other process opens this server's states, although its keys could be shared.
    #[must_use]
    pub fn single_instance(mut self) -> Self {
        self.single_instance = true;
        self
    }

    /// How long the key of `#[tool(once = expr)]` is kept. A day by default; `Duration::MAX` is for
    /// ever.
    #[must_use]
    pub fn once_period(mut self, period: Duration) -> Self {
        self.options.once_period = period.min(LONGEST);
        self
    }

    /// Shows models the text of foreign errors, which may hold anything. For development.
    #[must_use]
    pub fn show_errors(mut self, show: bool) -> Self {
        self.options.show_errors = show;
        self
    }

    /// In how many rounds one call may ask. 16 by default.
    #[must_use]
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.options.max_rounds = rounds;
        self
    }

    /// The longest message that is read, in bytes. 16 MiB by default.
    #[must_use]
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.options.max_message_bytes = bytes;
        self
    }

    /// The largest result of a tool, in bytes. 8 MiB by default.
    #[must_use]
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.options.max_result_bytes = bytes;
        self
    }

    /// How many subscriptions may be open at once, those of all clients together. 10,000 by default.
    ///
    /// One more is refused with an error that says so. The sessions of clients of earlier revisions do not count.
    #[must_use]
    pub fn max_subscriptions(mut self, subscriptions: usize) -> Self {
        self.options.max_subscriptions = subscriptions;
        self
    }

    /// How many tools a page of `tools/list` has. 1000 by default.
    #[must_use]
    pub fn page_size(mut self, tools: usize) -> Self {
        self.options.page_size = tools;
        self
    }

    /// How long a client may keep lists. Not at all by default.
    ///
    /// Specification: server/utilities/caching.
    #[must_use]
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.options.list_ttl = ttl;
        self
    }

    /// Lets whoever is in between share lists, and what `server/discover` says, among all callers for as long as
    /// [`list_ttl`](Self::list_ttl) says. By default only those with the same authorization share them.
    ///
    /// A list that differs from caller to caller stays private all the same: one with a set in it that is
    /// [`visible_to`](crate::ToolSet::visible_to) some, and one that a provider has a part in.
    ///
    /// Specification: server/utilities/caching, Cache Scope Field.
    #[must_use]
    pub fn public_lists(mut self) -> Self {
        self.options.public_lists = true;
        self
    }

    /// Whether structured results are compared with their output schemas; one that does not fit
    /// becomes a tool error. By default debug builds do it, and release builds do not.
    #[must_use]
    pub fn validate_results(mut self, validate: bool) -> Self {
        self.options.validate_results = validate;
        self
    }

    /// How long calls may go on after the client has closed the connection. 5 s by default;
    /// `Duration::MAX` is for ever.
    #[must_use]
    pub fn drain_grace(mut self, grace: Duration) -> Self {
        self.options.drain_grace = grace.min(LONGEST);
        self
    }

    /// How much longer calls may go on that have claimed something, whose effect may be under way.
    /// 60 s by default; `Duration::MAX` is for ever.
    #[must_use]
    pub fn claimed_grace(mut self, grace: Duration) -> Self {
        self.options.claimed_grace = grace.min(LONGEST);
        self
    }

    /// Freezes the server.
    ///
    /// # Errors
    ///
    /// Every fault there is, each with its tool, its parameter and the way out.
    pub fn build(self) -> Result<Server, BuildError> {
        let mut faults = self.faults;
        let mut registry = Registry::default();
        let mut once = false;
        if self.info.name.trim().is_empty() {
            faults.add("the server has no name");
        }
        for set in self.sets {
            let around = Around {
                layers: self.layers.iter().chain(&set.layers).cloned().collect(),
                visible: &set.visible,
                meta: &set.meta,
            };
            for function in set.functions {
                once |= function.spec.once != OnceSpec::No;
                registry.add(set.kind, function, &self.shared, &around, &mut faults);
            }
        }
        for (kind, list) in self.providers {
            registry.provide(kind, list, &self.shared, &self.layers, &mut faults);
        }
        extension::register(&self.extensions, &mut registry, &mut faults);
        let claims_apart =
            self.sealing.is_shared() && !self.guard.is_shared() && !self.single_instance;
        if once && claims_apart {
            faults.add(
                "`once` tools with shared keys need a guard that all replicas share; add \
                 `.once_guard(..)`, or `.single_instance()` where there is one process only",
            );
        }
        if self.lifetime < Duration::from_secs(1) {
            faults.add(
                "the lifetime of requestState is under a second, so every state would have expired; \
                 give `.request_state_lifetime(..)` at least the time that a person needs to answer",
            );
        }
        if self.options.once_period.is_zero() {
            faults.add(
                "the once period is zero, so no key would be kept; give `.once_period(..)` the time \
                 in which a key must not be used again",
            );
        }
        let states = match RequestStates::new(self.sealing, self.lifetime) {
            Ok(states) => Some(states),
            Err(error) => {
                faults.add(format!("requestState: {error}"));
                None
            }
        };
        faults.into_result()?;
        let Some(states) = states else {
            unreachable!("a missing codec is a fault, and faults have ended the build")
        };
        let page_size = self.options.page_size;
        let functions = registry.functions;
        let providers = registry.providers;
        let (prompts, resources) = (providers.prompts.is_some(), providers.resources.is_some());
        let inner = Inner {
            discover: String::new(),
            writer: ResultWriter {
                server_info: server_info(&self.info),
                limit: self.options.max_result_bytes,
            },
            audience: self.audience.unwrap_or_else(|| self.info.name.clone()),
            info: self.info,
            methods: registry.methods,
            providers,
            extensions: self.extensions,
            tools: Catalog::new(registry.tools, false, page_size, &functions),
            prompts: Catalog::new(registry.prompts, prompts, page_size, &functions),
            resources: Catalog::new(registry.resources, resources, page_size, &functions),
            templates: Catalog::new(registry.templates, resources, page_size, &functions),
            router: registry.router,
            functions,
            states,
            guard: self.guard,
            claims_apart: claims_apart.then(Once::new),
            hub: Arc::new(Hub::new(self.options.max_subscriptions)),
            shutdown: Cancel::default(),
            options: self.options,
        };
        let discover = discover(self.instructions.as_deref(), &inner);
        Ok(Server::new(Inner { discover, ..inner }))
    }
}
