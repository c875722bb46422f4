//! Sets of tools on their way into a server.

use std::{fmt, sync::Arc};

use super::Tool;
use crate::layers::CallLayer;

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
#[derive(Default)]
pub struct ToolSet {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) layers: Vec<Arc<dyn CallLayer>>,
}

impl ToolSet {
    /// No tools yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    #[must_use]
    pub fn with(mut self, tool: impl Tool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Puts a layer around the calls of these tools, inside of those that were put before and of
    /// the server's own.
    #[must_use]
    pub fn layer(mut self, layer: impl CallLayer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.tools.iter().map(|tool| tool.spec().name))
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
    fn tools(self: Arc<Self>) -> Vec<BoundMethod>;
}

/// A method with the value it is called on.
pub struct BoundMethod(Arc<dyn Tool>);

impl BoundMethod {
    /// Made by `#[tool]`.
    #[doc(hidden)]
    pub fn new(tool: impl Tool) -> Self {
        Self(Arc::new(tool))
    }
}

impl fmt::Debug for BoundMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoundMethod")
            .field(&self.0.spec().name)
            .finish()
    }
}

/// What [`Builder::tools`](crate::Builder::tools) takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "neither `tools![..]` nor a value whose methods are tools",
    note = "list functions that `#[tool]` is on as `tools![name]`; for the methods of a value, put `#[tool]` on its `impl` block as well"
)]
pub trait IntoToolSet {
    fn into_tool_set(self) -> ToolSet;
}

// Without this, the compiler speaks of `From`.
#[diagnostic::do_not_recommend]
impl<S: Into<ToolSet>> IntoToolSet for S {
    fn into_tool_set(self) -> ToolSet {
        self.into()
    }
}

impl<T: Tools> From<T> for ToolSet {
    fn from(value: T) -> Self {
        Arc::new(value).into()
    }
}

impl<T: Tools> From<Arc<T>> for ToolSet {
    fn from(value: Arc<T>) -> Self {
        Self {
            tools: value.tools().into_iter().map(|method| method.0).collect(),
            layers: Vec::new(),
        }
    }
}
