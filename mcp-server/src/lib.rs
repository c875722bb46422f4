//! A server for the Model Context Protocol whose tools can ask the user in the middle of a call.
//!
//! ```
//! use mcp_server::prelude::*;
//!
//! #[derive(Deserialize, JsonSchema, Form)]
//! struct Confirm {
//!     /// Check to delete the note for good.
//!     confirm: bool,
//! }
//!
//! /// Delete one note by id. Asks the user to confirm before deleting.
//! #[tool(destructive, idempotent)]
//! async fn delete_note(
//!     /// The note's id.
//!     note_id: String,
//!     #[elicit("Delete note {note_id}? This cannot be undone.")] answer: Elicit<Confirm>,
//! ) -> String {
//!     match answer {
//!         Elicit::Accept(Confirm { confirm: true }) => format!("Deleted note {note_id}."),
//!         _ => format!("Kept note {note_id}: the user did not confirm."),
//!     }
//! }
//!
//! let server = Server::builder("notes", "1.0.0")
//!     .tools(tools![delete_note])
//!     .build()?;
//! # Ok::<(), mcp_server::BuildError>(())
//! ```
//!
//! A client calls `delete_note`; the wrapper that [`tool`] generates answers with an input request,
//! the client shows the form and calls again, and only then the body runs, once. No call is held
//! open and nothing is remembered between the rounds: what the call has learned travels through the
//! client, sealed (see [`state`]). A client of an older revision is asked while its call is open, by
//! the same function.
//!
//! # Concepts
//!
//! - [`tool`], [`prompt`] and [`resource`] make tools, prompts and resources of functions and methods; [`Context`], [`State`] and [`Args`]
//!   are what they may take besides plain arguments, [`IntoToolResult`] says what they may return.
//! - [`Elicit`] and [`Resolve`] on a parameter ask; [`Ask`] is a question, [`Form`] a form,
//!   [`Outcome`] is for tools that ask by hand.
//! - [`Server::builder`] describes a server, [`Builder::build`] reports all its faults at once,
//!   [`Server::serve_stdio`] and [`Server::serve`] serve it.
//! - [`ResourceProvider`] and [`PromptProvider`] are for what is in a database; [`Extension`] adds to the protocol.
//! - [`CallLayer`] goes around calls; [`once`] guards effects that must happen once.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | the macros |
//! | `stdio` | yes | [`Server::serve_stdio`] |
//! | `legacy` | yes | clients of revisions 2024-11-05 to 2025-11-25, which open with a handshake |
//! | `http` | no | [`Server::http`] and [`Server::serve_http`]: Streamable HTTP |
//! | `http-sse` | no | the HTTP transport of revision 2024-11-05, beside `http` and `legacy` |
//! | `testing` | no | a scripted host for tests of servers, and the contract suite of guards |

// What older clients alone need of the rest is there all the same; with the feature, nothing may be dead.
#![cfg_attr(
    not(feature = "legacy"),
    allow(dead_code, unused_imports, reason = "`legacy` alone uses it")
)]

#[doc(hidden)]
pub mod __private;
mod asking;
mod background;
mod blocking;
mod builder;
mod call;
mod cancel;
mod completion;
mod context;
mod dispatch;
mod error;
mod extension;
mod faults;
mod form;
mod function;
mod layers;
mod legacy;
mod methods;
pub mod once;
mod outcome;
mod parameters;
mod peer;
mod prompt;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod __fuzz {
    //! Entry points for the fuzz targets: no part of the API.
    pub use crate::state::fuzz::{digest_of_arguments, open_state};
}
mod reporter;
mod resource;
mod running;
mod server;
mod shutdown;
mod spec;
pub mod state;
mod subscriptions;
#[cfg(feature = "testing")]
pub mod testing;
mod tool;
mod transport;
mod waking;

pub use mcp_core::{
    self as core, Revision,
    protocol::{
        self, AudioContent, CallToolResult, Completion, ContentBlock, EmbeddedResource,
        GetPromptResult, ImageContent, LoggingLevel, PromptMessage, ReadResourceResult,
        ResourceContents, ResourceLink, TextContent,
    },
    rpc::RpcError,
    schema::assert_provider_safe,
};
/// Derives [`Form`](trait@Form) for a struct of plain fields, or makes an enum of unit variants a choice in one.
///
/// It stands beside serde's `Deserialize` and schemars' `JsonSchema`, and proves that the form is flat: text, numbers, yes or
/// no, choices, lists of choices, and `Option` of these for what may be left empty. Doc comments are descriptions; defaults and
/// bounds are kept.
///
/// - `#[form(title = "..")]` on a field or a variant: what a person sees in place of the name.
/// - `#[form(not_secret)]` on a field: its name only sounds like a secret. Secrets must not be asked for in a form; see
///   [`Ask::url`].
///
/// See [the trait](trait@Form) for an example.
#[cfg(feature = "macros")]
pub use mcp_macros::Form;
/// Turns a function into a prompt, or the marked methods of an `impl` block into the prompts of a value.
///
/// It works as [`tool`] does: the function stays as written and callable, beside it stands a struct of the same name, which
/// [`prompts!`] lists; doc comments are descriptions. On an `impl` block it stacks with [`tool`] and [`resource`],
/// each of which takes the methods of its own kind. What a prompt may return is in [`IntoPromptResult`].
///
/// # Parameters
///
/// | type | what it is |
/// |---|---|
/// | any `Deserialize + JsonSchema` that reads from text, or `&str` | an argument: text, a number, a `bool`, a unit enum, an `Option` of these |
/// | [`Args<T>`] | all arguments as one struct |
/// | [`State<T>`], [`Context`], [`Elicit<T>`], [`Resolve<T>`] | as for tools |
///
/// `#[complete(function)]` or `#[complete("a", "b")]` on an argument says what a client may offer while its user types; see
/// [`Completing`].
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `name = ".."`, `title = ".."`, `description = ".."` | in place of the function's name and doc comment |
/// | `icons("https://..")` | icons |
/// | `once`, `once = expression` | once an exchange, once a key; see [`once`] |
/// | `timeout = "30s"` | a limit on the time of one round |
/// | `extra = "ignore"` | takes arguments that no parameter names |
/// | `handle = name` | the name of the struct |
/// | `crate = path` | where this crate is |
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Reviews a piece of code.
/// #[prompt(title = "Review code")]
/// async fn review(
///     /// The code.
///     code: String,
///     /// The language it is in.
///     #[complete("Rust", "Python")]
///     language: Option<String>,
/// ) -> String {
///     format!("Review this code, in {}:\n\n{code}", language.unwrap_or_default())
/// }
///
/// let server = Server::builder("reviews", "1.0.0").prompts(prompts![review]).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[cfg(feature = "macros")]
pub use mcp_macros::prompt;
/// Turns a function into a resource, or into all resources of a URI template, or the marked methods of an `impl` block
/// into the resources of a value.
///
/// It works as [`tool`] does: the function stays as written and callable, beside it stands a struct of the same name, which
/// [`resources!`] lists; doc comments are descriptions. On an `impl` block it stacks with [`tool`] and [`prompt`], each of which
/// takes the methods of its own kind. What a resource may return is in [`IntoResourceResult`].
///
/// # URI and parameters
///
/// The URI comes first, as a literal. Its variables are the plain parameters, by name, no more and no less:
///
/// | form | what it matches | the parameter |
/// |---|---|---|
/// | `{name}` | at least one character, up to the next literal or `/` | text, a number, a `bool`, a unit enum |
/// | `{+path}` | the rest of the path, with its slashes | [`SafePath`] |
/// | `{?a,b}`, `{&a,b}` | parameters of the query, which may be absent | an `Option`, or with `#[serde(default)]` |
///
/// [`Args<T>`], [`State<T>`], [`Context`], [`Elicit<T>`] and [`Resolve<T>`] are what they are for tools. `#[complete(function)]` or
/// `#[complete("a", "b")]` on a variable says what a client may offer while its user types; see [`Completing`].
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `name = ".."`, `title = ".."`, `description = ".."` | in place of the function's name and doc comment |
/// | `icons("https://..")` | icons |
/// | `mime_type = "text/plain"` | of contents that say no other |
/// | `size = 1024` | in bytes; not for templates |
/// | `audience("user", "assistant")` | for whom it is |
/// | `priority = 0.5` | from 0.0, which is optional, to 1.0, which is most important |
/// | `last_modified = "2025-01-12T15:00:58Z"` | when it changed last |
/// | `once`, `once = expression` | once an exchange, once a key; see [`once`] |
/// | `timeout = "30s"` | a limit on the time of one round |
/// | `handle = name` | the name of the struct |
/// | `crate = path` | where this crate is |
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// One order.
/// #[resource("shop://orders/{id}{?currency}", mime_type = "text/plain")]
/// async fn order(id: u32, currency: Option<String>) -> Option<String> {
///     let currency = currency.as_deref().unwrap_or("EUR");
///     (id == 2289).then(|| format!("Order {id}: one kettle, 18 {currency}"))
/// }
///
/// let server = Server::builder("shop", "1.0.0").resources(resources![order]).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[cfg(feature = "macros")]
pub use mcp_macros::resource;
/// Turns a function into a tool, or the marked methods of an `impl` block into the tools of a value.
///
/// The function stays as written and callable. Beside it stands a struct of the same name, which [`tools!`] lists. Its doc comment
/// is the tool's description, and each parameter's doc comment is that argument's. Asynchronous functions are awaited;
/// synchronous ones run off the asynchronous threads.
///
/// An asynchronous tool must not compute for long before its first `await`, because first polls run where messages are read;
/// make such a tool a plain `fn`, which runs off the async threads.
///
/// # Parameters
///
/// | type | what it is |
/// |---|---|
/// | any `Deserialize + JsonSchema`, or `&str` | an argument |
/// | [`Args<T>`] | all arguments as one struct |
/// | [`State<T>`] | shared state, bound when the server is built |
/// | [`Context`], `&Context` | the call itself |
/// | [`Elicit<T>`], [`Resolve<T>`] | an answer: needs `#[elicit(..)]` or `#[resolve(..)]` |
///
/// `#[elicit("message {argument}", more)]` asks a question with the syntax of `format!`; `#[resolve(expression)]` runs a resolver
/// that gives something that converts to an [`Ask`] (see [`IntoAsk`]). Both see the arguments, the state, the context and
/// earlier answers. Arguments may carry serde's `default`, `rename`, `alias` and `deserialize_with`, and schemars' bounds.
/// `#[header("Region")]` on an argument has clients send it as the header `Mcp-Param-Region` too, over HTTP, so that what is in
/// between can route by it; it is text, an integer or a `bool`.
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `name = ".."`, `title = ".."`, `description = ".."` | in place of the function's name and doc comment |
/// | `icons("https://..")` | icons |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints for the client; `= false` denies one |
/// | `once`, `once = expression` | once an exchange, once a key; see [`once`] |
/// | `timeout = "30s"` | a limit on the time of one round |
/// | `extra = "ignore"` | takes arguments that no parameter names |
/// | `input_schema = expression` | serves this schema verbatim |
/// | `handle = name` | the name of the struct |
/// | `crate = path` | where this crate is |
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     #[serde(default)]
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(add(1, 2).await, 3);
/// # });
/// let server = Server::builder("calculator", "1.0.0").tools(tools![add]).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[cfg(feature = "macros")]
pub use mcp_macros::tool;

pub use self::{
    asking::{Ask, Elicit, InputResponses, IntoAsk, Kind, Resolve, Roots, Sampled, Shown},
    builder::Builder,
    completion::{Completing, IntoCompletion},
    context::{Context, Flow, TraceContext},
    error::ToolError,
    extension::Extension,
    faults::{BuildError, Fault},
    form::Form,
    function::{
        ListPage, NoSuchFunction, PromptSet, Prompts, Reply, ResourceSet, Resources, Switches,
        ToolSet, Tools,
    },
    layers::{
        CallLayer, ConcurrencyLimit, LayerFuture, MessageLimit, Next, ResultLimit, TimeLimit,
    },
    outcome::{CallResult, InputRequired, Interrupt, Outcome},
    parameters::{Args, State},
    prompt::{IntoPromptResult, PromptProvider},
    reporter::Progress,
    resource::{Cached, IntoResourceResult, ResourceProvider, SafePath, UnsafePath},
    server::Server,
    shutdown::Shutdown,
    subscriptions::Notify,
    tool::{Audio, Image, IntoToolResult, Json, ToolResult},
};

#[cfg(feature = "http")]
pub use self::transport::http::{HttpBody, HttpFuture, Identity, StreamableHttp};

/// What a file of tools needs, in one `use`.
pub mod prelude {
    pub use schemars::{self, JsonSchema};
    pub use serde::{self, Deserialize, Serialize};

    pub use crate::{
        Args, Ask, Context, Elicit, InputRequired, Json, Kind, Outcome, Resolve, Server, State,
        ToolError, prompts, resources, tools,
    };
    #[cfg(feature = "macros")]
    pub use crate::{Form, prompt, resource, tool};
}

/// Makes a [`ToolSet`] of functions that `#[tool]` is on, across modules.
///
/// ```
/// use mcp_server::prelude::*;
///
/// mod orders {
///     use mcp_server::prelude::*;
///
///     /// Finds an order.
///     #[tool(read_only)]
///     pub async fn find(
///         /// The order's id.
///         id: String,
///     ) -> String {
///         id
///     }
/// }
///
/// Server::builder("shop", "1.0.0").tools(tools![orders::find]).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[macro_export]
macro_rules! tools {
    ($($($segment:ident)::+),* $(,)?) => {
        $crate::ToolSet::of(&[$(<$($segment)::+ as $crate::__private::Tool>::function),*])
    };
}

/// Makes a [`PromptSet`] of functions that `#[prompt]` is on, across modules; see [`tools!`].
#[macro_export]
macro_rules! prompts {
    ($($($segment:ident)::+),* $(,)?) => {
        $crate::PromptSet::of(&[$(<$($segment)::+ as $crate::__private::Prompt>::function),*])
    };
}

/// Makes a [`ResourceSet`] of functions that `#[resource]` is on, across modules; see [`tools!`].
#[macro_export]
macro_rules! resources {
    ($($($segment:ident)::+),* $(,)?) => {
        $crate::ResourceSet::of(&[$(<$($segment)::+ as $crate::__private::Resource>::function),*])
    };
}
