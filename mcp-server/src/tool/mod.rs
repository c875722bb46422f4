//! Tools: what a function becomes when it is registered.
//!
//! `bound` has a tool as the server holds it, `set` what `tools![..]` makes, `input` and `output`
//! its schemas and what is compared with them, `schema` what those have in common, `listing` what
//! `tools/list` says; `returns` has what a function may give back, `result` how that is written.

mod bound;
mod input;
mod listing;
mod output;
mod result;
mod returns;
mod schema;
mod set;

use std::{future::Future, pin::Pin, sync::Arc};

pub(crate) use self::{
    bound::BoundTool,
    listing::{Page, cursor, pages},
    result::{ResultWriter, write_result},
};
pub use self::{
    result::ToolResult,
    returns::{Audio, Image, IntoToolResult, Json, OutputSpec},
    set::{BoundMethod, IntoToolSet, ToolSet, Tools},
};
use crate::{call::Call, outcome::CallResult, spec::ToolSpec};

/// A call under way.
pub type Running = Pin<Box<dyn Future<Output = CallResult> + Send>>;

/// A tool, as `#[tool]` implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on the function; for methods, also on their impl block"
)]
pub trait Tool: Send + Sync + 'static {
    fn spec(&self) -> &'static ToolSpec;

    fn call(&self, call: Call) -> Running;
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> &'static ToolSpec {
        (**self).spec()
    }

    fn call(&self, call: Call) -> Running {
        (**self).call(call)
    }
}
