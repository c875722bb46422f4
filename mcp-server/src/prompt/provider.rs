//! [`PromptProvider`]: prompts that are not known when the server is built.

use std::{collections::BTreeMap, future::Future, sync::Arc};

use mcp_core::protocol::{Completion, Prompt};

use super::IntoPromptResult;
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
    parameters::ArgumentFault,
    spec::{ArgumentsSpec, FunctionSpec},
    state::Principal,
    tool::OutputSpec,
};

/// Prompts that are not known when the server is built, because they are in a database or differ from caller to caller.
///
/// Register it with [`Builder::prompt_provider`](crate::Builder::prompt_provider). It is asked for what no `#[prompt]` is there
/// for. Whatever it is asked, it gets the [`Context`], which says who asks.
///
/// ```
/// use std::collections::BTreeMap;
/// use mcp_server::{ListPage, PromptProvider, prelude::*, protocol::Prompt};
///
/// struct Texts(BTreeMap<String, String>);
///
/// impl PromptProvider for Texts {
///     type Messages = Option<String>;
///
///     async fn list(&self, _: Option<&str>, _: &Context) -> Result<ListPage<Prompt>, ToolError> {
///         Ok(ListPage::from(self.0.keys().map(Prompt::new).collect::<Vec<_>>()))
///     }
///
///     async fn get(&self, name: &str, _: BTreeMap<String, String>, _: &Context) -> Option<String> {
///         self.0.get(name).cloned()
///     }
/// }
///
/// let texts = BTreeMap::from([("greet".to_owned(), "Greet me.".to_owned())]);
/// let server = Server::builder("texts", "1.0.0").prompt_provider(Texts(texts)).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
///
/// Specification: server/prompts.
pub trait PromptProvider: Send + Sync + 'static {
    /// What a prompt gives: anything that a `#[prompt]` may return, which is `None` for one that is not there.
    type Messages: IntoPromptResult;

    /// One page of the prompts that this caller may see. `cursor` is the [`next_cursor`](ListPage::next_cursor) of the page
    /// before.
    ///
    /// # Errors
    ///
    /// The provider's own; for a cursor that it did not give, [`ListPage::unknown_cursor`].
    fn list(
        &self,
        cursor: Option<&str>,
        ctx: &Context,
    ) -> impl Future<Output = Result<ListPage<Prompt>, ToolError>> + Send;

    /// Fills in a prompt. Nothing says that the arguments are those of the list: a client may send any.
    ///
    /// A provider may ask by hand: see [`Outcome`](crate::Outcome).
    fn get(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        ctx: &Context,
    ) -> impl Future<Output = Self::Messages> + Send;

    /// What a client may propose for an argument while its user types; `None` where the provider knows nothing of it, which is
    /// the default.
    ///
    /// # Errors
    ///
    /// The provider's own.
    fn complete(
        &self,
        name: &str,
        argument: &str,
        typing: &Completing,
    ) -> impl Future<Output = Result<Option<Completion>, ToolError>> + Send {
        let _ = (name, argument, typing);
        async { Ok(None) }
    }
}

/// Providers of prompts.
pub(crate) static PROVIDERS: ProviderKind = ProviderKind {
    kind: Kind {
        describe: |_, _| Some(Described::default()),
        enter: |_, _, _, _| {},
        write: methods::write_prompt,
        methods: &[
            ("prompts/get", methods::get_provided),
            ("prompts/list", |server, request, out| {
                methods::list_provided(server, &methods::PROMPTS, request, out)
            }),
            (methods::COMPLETE, methods::complete_provided),
        ],
        complete: None,
    },
    function: |list| in_order(spec(), list),
    place: |all| &mut all.prompts,
};

fn spec() -> FunctionSpec {
    let arguments = ArgumentsSpec::List(Box::default());
    let output = OutputSpec::of_prompt::<Outcome<String>>();
    FunctionSpec::prompt("prompt provider", "", arguments, output)
}

/// A provider as the server holds it.
pub(crate) struct Prompts<P>(pub(crate) P);

impl<P: PromptProvider> Provide for Prompts<P> {
    fn list(self: Arc<Self>, cursor: Option<String>, ctx: Context) -> Provided<ProvidedPage> {
        Box::pin(async move { Ok(self.0.list(cursor.as_deref(), &ctx).await?.into()) })
    }

    fn templates(self: Arc<Self>, _: Option<String>, _: Context) -> Provided<ProvidedPage> {
        Box::pin(async { Ok(ProvidedPage::default()) })
    }

    fn call(self: Arc<Self>, call: Call) -> Running {
        Box::pin(async move {
            let ctx = call.context();
            let arguments = serde_json::from_str::<BTreeMap<String, String>>(ctx.arguments())
                .map_err(|_| ArgumentFault("each argument must be a string".to_owned()))?;
            let got = self.0.get(ctx.target(), arguments, ctx).await;
            got.into_prompt_result()
        })
    }

    fn has(&self, _: &str, _: &Principal) -> bool {
        false
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
