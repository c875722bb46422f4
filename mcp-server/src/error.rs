//! [`ToolError`]: what a tool function returns when it fails.

use std::{error::Error, fmt};

use mcp_core::rpc::RpcError;

/// Why a tool could not do its work.
///
/// Two readers see an error: the model that called the tool, and the operator who reads the log.
///
/// - [`ToolError::new`] is for the model: its text becomes the result, marked as an error.
/// - An error that `?` converts is somebody else's, and its text may hold paths, queries or
///   secrets. It goes to the log under a reference; the model sees a general text with that
///   reference. [`ToolError::show`] and [`Builder::show_errors`](crate::Builder::show_errors) give
///   its text to the model as well.
///
/// ```
/// use mcp_server::ToolError;
///
/// fn stock(sku: &str) -> Result<u32, ToolError> {
///     if sku.is_empty() {
///         return Err(ToolError::new("`sku` is empty; take one from find_order"));
///     }
///     Ok("7".parse()?)
/// }
/// assert!(stock("").is_err());
/// assert_eq!(stock("KG-1043").unwrap(), 7);
/// ```
///
/// Specification: server/tools, Error Handling.
pub struct ToolError(Box<Kind>);

pub(crate) enum Kind {
    /// For the model.
    Shown(String),
    /// For the log, unless shown.
    Foreign {
        source: Box<dyn Error + Send + Sync>,
        shown: bool,
    },
    /// A JSON-RPC error in place of a result.
    Protocol(RpcError),
}

impl ToolError {
    /// An error whose text is for the model: say what is wrong and how to go on.
    pub fn new(text: impl Into<String>) -> Self {
        Self::of(Kind::Shown(text.into()))
    }

    /// Answers the call with a JSON-RPC error, for faults of the protocol rather than of the work.
    pub fn protocol(error: RpcError) -> Self {
        Self::of(Kind::Protocol(error))
    }

    #[cold]
    fn of(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// Lets the model see the text of a foreign error.
    ///
    /// ```
    /// use mcp_server::ToolError;
    ///
    /// let error = ToolError::from("x".parse::<u8>().unwrap_err()).show();
    /// assert_eq!(error.to_string(), "invalid digit found in string");
    /// ```
    #[must_use]
    pub fn show(mut self) -> Self {
        if let Kind::Foreign { shown, .. } = &mut *self.0 {
            *shown = true;
        }
        self
    }

    pub(crate) fn as_protocol(&self) -> Option<&RpcError> {
        match &*self.0 {
            Kind::Protocol(error) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn into_kind(self) -> Kind {
        *self.0
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(source: E) -> Self {
        Self(Box::new(Kind::Foreign {
            source: Box::new(source),
            shown: false,
        }))
    }
}

/// What may stand in the `Err` of a tool or of a resolver.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tool cannot fail with `{Self}`",
    label = "the error of this result is no `ToolError`, and none can be made of it",
    note = "implement `std::error::Error` for it (its text then goes to the log), or say what the model shall read: `.map_err(|error| ToolError::new(..))`"
)]
pub trait IntoToolError {
    fn into_tool_error(self) -> ToolError;
}

// Without this, the compiler speaks of `From`.
#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {
    fn into_tool_error(self) -> ToolError {
        self.into()
    }
}

/// The full text, for logs and tests; what the model sees may be less.
impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Shown(text) => f.write_str(text),
            Kind::Foreign { source, .. } => write!(f, "{}", Chain(&**source)),
            Kind::Protocol(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolError").field(&self.to_string()).finish()
    }
}

/// An error with its causes, each after a colon.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// A short random name under which the log tells what the peer was not told.
pub(crate) fn reference() -> String {
    let mut bytes = [0; 4];
    // Without randomness the reference is only less unique.
    let _ = getrandom::fill(&mut bytes);
    format!("{:08x}", u32::from_be_bytes(bytes))
}
