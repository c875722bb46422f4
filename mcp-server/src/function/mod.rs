//! What a server is made of: functions that the attributes turn into tools, prompts and resources.
//!
//! The three kinds differ in what they are found by, what they return and how they are listed; they
//! share arguments, state, questions, claims and layers. `bound` has a function as the server holds
//! it, `access` says for whom it is there, `set` is what `tools![..]` and its siblings make, `registry` puts
//! them together, `catalog` is what is found and listed, `switches` what is switched, `reply` what a call
//! comes to; `kind` is what differs. `providers` is for what is not known when a server is built.

mod access;
mod bound;
mod catalog;
mod kind;
mod providers;
mod registry;
mod reply;
mod set;
mod switches;

use std::{future::Future, pin::Pin, sync::Arc};

pub(crate) use self::{
    access::{Access, Visible},
    bound::Bound,
    catalog::{Catalog, Entry},
    kind::{Described, Kind},
    providers::{
        AllProviders, InOrder, Provide, Provided, ProvidedPage, ProviderKind, ProviderList,
        Providers, spec_of, unknown_cursor,
    },
    registry::{Around, Registry},
    set::Functions,
};
pub use self::{
    providers::ListPage,
    reply::Reply,
    set::{
        BoundMethod, IntoPromptSet, IntoResourceSet, IntoToolSet, PromptSet, Prompts, ResourceSet,
        Resources, ToolSet, Tools,
    },
    switches::{NoSuchFunction, Switches},
};
use crate::{call::Call, outcome::CallResult, spec::FunctionSpec};

/// A call under way.
pub type Running = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// A function, as `#[tool]`, `#[prompt]` and `#[resource]` implement it.
#[doc(hidden)]
pub trait Function: Send + Sync + 'static {
    fn spec(&self) -> &'static FunctionSpec;

    fn call(&self, call: Call) -> Running;
}

impl<F: Function + ?Sized> Function for &'static F {
    fn spec(&self) -> &'static FunctionSpec {
        (**self).spec()
    }

    fn call(&self, call: Call) -> Running {
        (**self).call(call)
    }
}

impl<F: Function + ?Sized> Function for Arc<F> {
    fn spec(&self) -> &'static FunctionSpec {
        (**self).spec()
    }

    fn call(&self, call: Call) -> Running {
        (**self).call(call)
    }
}

/// A function that is a tool.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on the function; for methods, also on their impl block"
)]
pub trait Tool: Function {}

/// A function that is a prompt.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "not a prompt",
    note = "put `#[prompt]` on the function; for methods, also on their impl block"
)]
pub trait Prompt: Function {}

/// A function that is a resource, or a template of resources.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "put `#[resource(\"..\")]` on the function; for methods, also on their impl block"
)]
pub trait Resource: Function {}
