//! Sets of tools, prompts and resources on their way into a server.

use std::{fmt, sync::Arc};

use mcp_core::protocol::Meta;
use serde_json::Value;

use super::{Function, Kind, Visible};
use crate::{layers::CallLayer, prompt::PROMPT, resource::RESOURCE, state::Principal, tool::TOOL};

/// Functions of one kind, and what is around their calls.
pub(crate) struct Functions {
    pub(crate) kind: &'static Kind,
    pub(crate) functions: Vec<Function>,
    pub(crate) layers: Vec<Arc<dyn CallLayer>>,
    pub(crate) visible: Vec<Visible>,
    pub(crate) meta: Meta,
}

impl Functions {
    fn new(kind: &'static Kind, functions: Vec<Function>) -> Self {
        Self {
            kind,
            functions,
            layers: Vec::new(),
            visible: Vec::new(),
            meta: Meta::new(),
        }
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.functions.iter().map(|function| function.spec.name))
            .finish()
    }
}

/// A value whose methods are tools: `#[tool]` on their impl block implements it.
///
/// ```
/// use mcp_server::prelude::*;
///
/// struct Shop {
///     open: bool,
/// }
///
/// #[tool]
/// impl Shop {
///     /// Is the shop open?
///     #[tool(read_only)]
///     async fn is_open(&self) -> bool {
///         self.open
///     }
/// }
///
/// Server::builder("shop", "1.0.0")
///     .tools(Shop { open: true })
///     .build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods that are tools",
    label = "no tools",
    note = "put `#[tool]` on its `impl` block and on each method that is to be one"
)]
pub trait Tools: Sized {
    /// The tools of this value.
    #[doc(hidden)]
    fn tools(self: Arc<Self>) -> Vec<Function>;
}

/// A value whose methods are prompts: `#[prompt]` on their impl block implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods that are prompts",
    label = "no prompts",
    note = "put `#[prompt]` on its `impl` block and on each method that is to be one"
)]
pub trait Prompts: Sized {
    /// The prompts of this value.
    #[doc(hidden)]
    fn prompts(self: Arc<Self>) -> Vec<Function>;
}

/// A value whose methods are resources: `#[resource]` on their impl block implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods that are resources",
    label = "no resources",
    note = "put `#[resource]` on its `impl` block and `#[resource(\"..\")]` on each method that is to be one"
)]
pub trait Resources: Sized {
    /// The resources of this value.
    #[doc(hidden)]
    fn resources(self: Arc<Self>) -> Vec<Function>;
}

/// What [`Builder::tools`](crate::Builder::tools) takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "neither `tools![..]` nor a value whose methods are tools",
    note = "list functions that `#[tool]` is on as `tools![name]`; for the methods of a value, put `#[tool]` on its `impl` block as well"
)]
pub trait IntoToolSet {
    fn into_set(self) -> ToolSet;
}

/// What [`Builder::prompts`](crate::Builder::prompts) takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no prompts",
    label = "neither `prompts![..]` nor a value whose methods are prompts",
    note = "list functions that `#[prompt]` is on as `prompts![name]`; for the methods of a value, put `#[prompt]` on its `impl` block as well"
)]
pub trait IntoPromptSet {
    fn into_set(self) -> PromptSet;
}

/// What [`Builder::resources`](crate::Builder::resources) takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no resources",
    label = "neither `resources![..]` nor a value whose methods are resources",
    note = "list functions that `#[resource]` is on as `resources![name]`; for the methods of a value, put `#[resource]` on its `impl` block as well"
)]
pub trait IntoResourceSet {
    fn into_set(self) -> ResourceSet;
}

macro_rules! set {
    ($(#[$doc:meta])* $kind:path, $set:ident, $of:ident, $methods:ident, $into:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $set(pub(crate) Functions);

        impl Default for $set {
            fn default() -> Self {
                Self(Functions::new(&$kind, Vec::new()))
            }
        }

        impl $set {
            /// Nothing yet.
            pub fn new() -> Self {
                Self::default()
            }

            /// Those of a list: what the macro expands to. A list is data, where a call for each would be code.
            #[doc(hidden)]
            #[must_use]
            pub fn of(list: &[fn() -> Function]) -> Self {
                Self(Functions::new(&$kind, list.iter().map(|function| function()).collect()))
            }

            /// Puts a layer around the calls of these, inside of those that were put before and of
            /// the server's own.
            #[must_use]
            pub fn layer(mut self, layer: impl CallLayer) -> Self {
                self.0.layers.push(Arc::new(layer));
                self
            }

            /// Shows these to callers for whom the condition holds. For everyone else they do not
            /// exist, in no list and in no call.
            ///
            /// It is asked whenever one of them is listed or called, so it must be quick.
            #[must_use]
            pub fn visible_to(
                mut self,
                condition: impl Fn(&Principal) -> bool + Send + Sync + 'static,
            ) -> Self {
                self.0.visible.push(Arc::new(condition));
                self
            }

            /// Adds an entry to the `_meta` that the list has for each of these, as extensions want it.
            ///
            /// Specification: basic/index, `_meta`.
            #[must_use]
            pub fn meta(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
                self.0.meta.insert(name.into(), value.into());
                self
            }
        }

        // Without this, the compiler speaks of `From`.
        #[diagnostic::do_not_recommend]
        impl<S: Into<$set>> $into for S {
            fn into_set(self) -> $set {
                self.into()
            }
        }

        impl<T: $of> From<T> for $set {
            fn from(value: T) -> Self {
                Arc::new(value).into()
            }
        }

        impl<T: $of> From<Arc<T>> for $set {
            fn from(value: Arc<T>) -> Self {
                Self(Functions::new(&$kind, value.$methods()))
            }
        }
    };
}

set! {
    /// Tools to be registered with [`Builder::tools`](crate::Builder::tools): what `tools![..]` makes.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Adds two numbers.
    /// #[tool(read_only)]
    /// async fn add(
    ///     /// One.
    ///     a: i64,
    ///     /// The other.
    ///     b: i64,
    /// ) -> i64 {
    ///     a + b
    /// }
    ///
    /// let server = Server::builder("calculator", "1.0.0")
    ///     .tools(tools![add])
    ///     .build()?;
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    TOOL, ToolSet, Tools, tools, IntoToolSet
}

set! {
    /// Prompts to be registered with [`Builder::prompts`](crate::Builder::prompts): what `prompts![..]`
    /// makes.
    PROMPT, PromptSet, Prompts, prompts, IntoPromptSet
}

set! {
    /// Resources to be registered with [`Builder::resources`](crate::Builder::resources): what
    /// `resources![..]` makes.
    RESOURCE, ResourceSet, Resources, resources, IntoResourceSet
}
