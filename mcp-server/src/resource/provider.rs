//! [`ResourceProvider`]: resources that are not known when the server is built.

use std::{future::Future, sync::Arc};

use mcp_core::protocol::{Completion, Resource, ResourceTemplate};

use super::IntoResourceResult;
use crate::{
    call::Call,
    completion::{Completing, IntoCompletion},
    context::Context,
    error::ToolError,
    function::{
        Described, Kind, ListPage, Provide, Provided, ProvidedPage, ProviderKind, Running, in_order,
    },
    methods,
    outcome::Outcome,
    spec::{ArgumentsSpec, FunctionSpec},
    state::Principal,
    tool::OutputSpec,
};

/// Resources that are not known when the server is built, because they are in a database or differ from caller to caller.
///
/// Register it with [`Builder::resource_provider`](crate::Builder::resource_provider). It is asked for what no `#[resource]` is
/// there for. Whatever it is asked, it gets the [`Context`], which says who asks.
///
/// ```
/// use mcp_server::{ListPage, ResourceProvider, prelude::*, protocol::Resource};
///
/// struct Notes(Vec<String>);
///
/// impl ResourceProvider for Notes {
///     type Contents = Option<String>;
///
///     async fn list(&self, _: Option<&str>, _: &Context) -> Result<ListPage<Resource>, ToolError> {
///         let all = (0..self.0.len()).map(|n| Resource::new(format!("note://{n}"), format!("note {n}")));
///         Ok(ListPage::from(all.collect::<Vec<_>>()))
///     }
///
///     async fn read(&self, uri: &str, _: &Context) -> Option<String> {
///         let number: usize = uri.strip_prefix("note://")?.parse().ok()?;
///         self.0.get(number).cloned()
///     }
/// }
///
/// let notes = Notes(vec!["Buy milk.".to_owned()]);
/// let server = Server::builder("notes", "1.0.0").resource_provider(notes).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
///
/// Specification: server/resources.
pub trait ResourceProvider: Send + Sync + 'static {
    /// What reading gives: anything that a `#[resource]` may return, which is `None` for what is not there.
    type Contents: IntoResourceResult;

    /// One page of the resources that this caller may see. `cursor` is the [`next_cursor`](ListPage::next_cursor) of the page
    /// before.
    ///
    /// # Errors
    ///
    /// The provider's own; for a cursor that it did not give, [`ListPage::unknown_cursor`].
    fn list(
        &self,
        cursor: Option<&str>,
        ctx: &Context,
    ) -> impl Future<Output = Result<ListPage<Resource>, ToolError>> + Send;

    /// One page of the templates, of which there are none by default.
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
    fn templates(
        &self,
        cursor: Option<&str>,
        ctx: &Context,
    ) -> impl Future<Output = Result<ListPage<ResourceTemplate>, ToolError>> + Send {
        let _ = (cursor, ctx);
        async { Ok(ListPage::default()) }
    }

    /// Reads a resource. The URI is what the client has sent, with nothing decoded and nothing checked.
    ///
    /// A provider may ask by hand: see [`Outcome`](crate::Outcome).
    fn read(&self, uri: &str, ctx: &Context) -> impl Future<Output = Self::Contents> + Send;

    /// Whether a caller may subscribe to changes of a resource, which [`Notify::resource_updated`](crate::Notify::resource_updated)
    /// tells of. By default to none.
    ///
    /// It is asked where messages are read, so it must be quick: the form of the URI may be enough.
    fn can_subscribe(&self, uri: &str, principal: &Principal) -> bool {
        let _ = (uri, principal);
        false
    }

    /// What a client may propose for a variable of a template while its user types; `None` where the provider knows nothing of
    /// it, which is the default.
    ///
    /// # Errors
    ///
    /// The provider's own.
    fn complete(
        &self,
        template: &str,
        variable: &str,
        typing: &Completing,
    ) -> impl Future<Output = Result<Option<Completion>, ToolError>> + Send {
        let _ = (template, variable, typing);
        async { Ok(None) }
    }
}

/// Providers of resources.
pub(crate) static PROVIDERS: ProviderKind = ProviderKind {
    kind: Kind {
        describe: |_, _| Some(Described::default()),
        enter: |_, _, _, _| {},
        write: methods::write_resource,
        methods: &[
            ("resources/read", methods::read_provided),
            ("resources/list", |server, request, out| {
                methods::list_provided(server, &methods::RESOURCES, request, out)
            }),
            ("resources/templates/list", |server, request, out| {
                methods::list_provided(server, &methods::TEMPLATES, request, out)
            }),
            (methods::COMPLETE, methods::complete_provided),
        ],
        complete: None,
    },
    function: |list| in_order(spec(), list),
    place: |all| &mut all.resources,
};

fn spec() -> FunctionSpec {
    let arguments = ArgumentsSpec::List(Box::default());
    let output = OutputSpec::of_resource::<Outcome<String>>();
    FunctionSpec::resource("resource provider", "", arguments, output, "")
}

/// A provider as the server holds it.
pub(crate) struct Resources<P>(pub(crate) P);

impl<P: ResourceProvider> Provide for Resources<P> {
    fn list(self: Arc<Self>, cursor: Option<String>, ctx: Context) -> Provided<ProvidedPage> {
        Box::pin(async move { Ok(self.0.list(cursor.as_deref(), &ctx).await?.into()) })
    }

    fn templates(self: Arc<Self>, cursor: Option<String>, ctx: Context) -> Provided<ProvidedPage> {
        Box::pin(async move { Ok(self.0.templates(cursor.as_deref(), &ctx).await?.into()) })
    }

    fn call(self: Arc<Self>, call: Call) -> Running {
        Box::pin(async move {
            let ctx = call.context();
            self.0.read(ctx.target(), ctx).await.into_resource_result()
        })
    }

    fn has(&self, key: &str, principal: &Principal) -> bool {
        self.0.can_subscribe(key, principal)
    }

    fn complete(
        self: Arc<Self>,
        of: String,
        argument: String,
        typing: Completing,
    ) -> Provided<Option<Completion>> {
        Box::pin(async move {
            let completed = self.0.complete(&of, &argument, &typing).await?;
            completed.map(IntoCompletion::into_completion).transpose()
        })
    }
}
