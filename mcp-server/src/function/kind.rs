//! [`Kind`]: what is different for tools, prompts and resources.
//!
//! A kind is a table of functions that only its own sets name. So what prompts and resources need is not
//! even linked into a server that has none.

use std::fmt;

use mcp_core::rpc::RpcError;

use super::{Entry, Registry, Reply};
#[cfg(feature = "http")]
use crate::transport::http::HeaderParameters;
use crate::{
    context::Context,
    faults::FunctionFaults,
    methods::Method,
    parameters::TextBounds,
    spec::FunctionSpec,
    tool::{InputSchema, OutputSchema},
};

/// What is different for functions of one kind.
pub(crate) struct Kind {
    /// Makes what the list says of a function; what is wrong with it goes to the faults.
    pub(crate) describe: fn(&FunctionSpec, &mut FunctionFaults<'_>) -> Option<Described>,
    /// Puts a function where it is found.
    pub(crate) enter: fn(&mut Registry, &FunctionSpec, Entry, &mut FunctionFaults<'_>),
    /// Appends a result that is not a tool's.
    pub(crate) write: fn(&Context, Reply, &mut Vec<u8>) -> Result<(), RpcError>,
    /// The methods that come with it.
    pub(crate) methods: &'static [(&'static str, Method)],
    /// Answers `completion/complete`, where there is something to complete.
    pub(crate) complete: Option<Method>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").finish_non_exhaustive()
    }
}

/// Compares arguments that come as text. Like all that a kind brings, it is linked where there is one of that kind.
pub(crate) type CheckText = Box<dyn Fn(&str) -> Result<(), String> + Send + Sync>;

/// What a function's arguments and result are compared with, and what the list says of it.
#[derive(Default)]
pub(crate) struct Described {
    pub(crate) input: Option<InputSchema>,
    pub(crate) bounds: Option<CheckText>,
    pub(crate) output: Option<OutputSchema>,
    pub(crate) json: String,
    #[cfg(feature = "http")]
    pub(crate) headers: HeaderParameters,
}

impl Described {
    /// A function whose arguments come as text.
    pub(crate) fn listed(
        json: String,
        spec: &FunctionSpec,
        faults: &mut FunctionFaults<'_>,
    ) -> Self {
        Self {
            json,
            bounds: TextBounds::of(spec, faults)
                .map(|bounds| Box::new(move |arguments: &str| bounds.check(arguments)) as _),
            ..Self::default()
        }
    }
}
