//! The kinds of input a client may be asked for, and those that a request declares.

use mcp_core::rpc::RpcError;
use serde_json::{Map, Value};

/// A kind of input that a tool may ask for.
///
/// Specification: basic/patterns/mrtr, Core Types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A form for the user: `elicitation.form`.
    Form,
    /// A page for the user to open: `elicitation.url`.
    Url,
    /// A completion by the client's model: `sampling`.
    Sampling,
    /// The client's root directories: `roots`.
    Roots,
}

impl Kind {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Tells the kinds apart in a digest.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Url => "url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Whether its answer has an action of accept, decline or cancel.
    pub(crate) const fn is_elicitation(self) -> bool {
        matches!(self, Self::Form | Self::Url)
    }

    /// The capability it needs, in the shape of `ClientCapabilities`.
    fn required(self) -> Value {
        match self {
            Self::Form => capability(&["elicitation", "form"]),
            Self::Url => capability(&["elicitation", "url"]),
            Self::Sampling => capability(&["sampling"]),
            Self::Roots => capability(&["roots"]),
        }
    }
}

/// Empty objects in one another, by their keys.
fn capability(path: &[&str]) -> Value {
    let mut object = Map::new();
    if let [key, inner @ ..] = path {
        object.insert((*key).to_owned(), capability(inner));
    }
    Value::Object(object)
}

/// The kinds that one request declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u8);

/// Completions that may use tools: more than [`Kind::Sampling`], and no kind of its own.
const SAMPLING_TOOLS: u8 = 1 << 7;

impl Kinds {
    pub(crate) fn with(self, kind: Kind, declared: bool) -> Self {
        if declared {
            Self(self.0 | kind.bit())
        } else {
            self
        }
    }

    pub(crate) fn with_sampling_tools(self, declared: bool) -> Self {
        if declared {
            Self(self.0 | SAMPLING_TOOLS)
        } else {
            self
        }
    }

    pub(crate) fn contains(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// `-32021` where the client did not declare the kind.
    pub(crate) fn require(self, kind: Kind) -> Result<(), RpcError> {
        if self.contains(kind) {
            Ok(())
        } else {
            Err(RpcError::missing_client_capability(kind.required()))
        }
    }

    /// `-32021` where the client's completions cannot use tools.
    ///
    /// Specification: client/sampling, Capabilities.
    pub(crate) fn require_sampling_tools(self) -> Result<(), RpcError> {
        if self.0 & SAMPLING_TOOLS != 0 {
            Ok(())
        } else {
            Err(RpcError::missing_client_capability(capability(&[
                "sampling", "tools",
            ])))
        }
    }
}
