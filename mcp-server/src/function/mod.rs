//! What a server is made of: functions that the attributes turn into tools, prompts and resources.
//!
//! The three kinds differ in what they are found by, what they return and how they are listed; they
//! share arguments, state, questions, claims and layers. `bound` has a function as the server holds
//! it, `body` how it is run, `access` says for whom it is there, `set` is what `tools![..]` and its siblings make, `registry` puts
//! them together, `catalog` is what is found and listed, `switches` what is switched, `reply` what a call
//! comes to; `kind` is what differs. `providers` is for what is not known when a server is built.

mod access;
pub(crate) mod body;
mod bound;
mod catalog;
mod kind;
mod providers;
mod registry;
mod reply;
mod set;
mod switches;

use std::{fmt, future::Future, pin::Pin};

use self::body::Body;
pub(crate) use self::{
    access::{Access, Visible},
    bound::Bound,
    catalog::{Catalog, Entry},
    kind::{Described, Kind},
    providers::{
        AllProviders, Provide, Provided, ProvidedPage, ProviderKind, ProviderList, Providers,
        in_order, unknown_cursor,
    },
    registry::{Around, Registry},
    set::Functions,
};
pub use self::{
    providers::ListPage,
    reply::Reply,
    set::{
        IntoPromptSet, IntoResourceSet, IntoToolSet, PromptSet, Prompts, ResourceSet, Resources,
        ToolSet, Tools,
    },
    switches::{NoSuchFunction, Switches},
};
use crate::{
    outcome::CallResult,
    spec::{ArgumentSpec, ArgumentsSpec, FunctionSpec},
};

/// A call under way.
pub(crate) type Running = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// A function, as `#[tool]`, `#[prompt]` and `#[resource]` make it.
#[doc(hidden)]
pub struct Function {
    pub spec: FunctionSpec,
    pub body: Body,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Function").field(&self.spec.name).finish()
    }
}

impl Function {
    /// The spec of a plain argument, for what its attributes say.
    ///
    /// # Panics
    ///
    /// Never for the number of a plain argument of a function that has them.
    pub fn argument(&mut self, index: usize) -> &mut ArgumentSpec {
        match &mut self.spec.arguments {
            ArgumentsSpec::List(list) => &mut list[index],
            ArgumentsSpec::Struct { .. } => {
                unreachable!("the attributes describe plain arguments where there are some")
            }
        }
    }
}

/// A function that is a tool.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on the function; for methods, also on their impl block"
)]
pub trait Tool {
    fn function() -> Function;
}

/// A function that is a prompt.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "not a prompt",
    note = "put `#[prompt]` on the function; for methods, also on their impl block"
)]
pub trait Prompt {
    fn function() -> Function;
}

/// A function that is a resource, or a template of resources.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "put `#[resource(\"..\")]` on the function; for methods, also on their impl block"
)]
pub trait Resource {
    fn function() -> Function;
}
