//! [`Call`]: a call as generated code sees it.

use std::any::Any;

use crate::{
    context::Context,
    outcome::Interrupt,
    parameters::{ArgsParam, ArgumentFault, Slots, StateParam, from_text_members},
    spec::ArgumentsSpec,
};

/// A call as generated code sees it.
#[derive(Debug, Clone)]
pub struct Call(Context);

impl Call {
    pub(crate) fn new(ctx: Context) -> Self {
        Self(ctx.inside_layers())
    }

    /// What the call knows of itself.
    pub fn context(&self) -> &Context {
        &self.0
    }

    /// Splits the arguments into the tool's plain parameters; where they are read as one struct, there are none.
    ///
    /// # Errors
    ///
    /// Where one is not known, or stands twice.
    pub fn arguments<const N: usize>(&self) -> Result<Slots<'_, N>, ArgumentFault> {
        let spec = self.0.spec();
        let (arguments, list) = match &spec.arguments {
            ArgumentsSpec::List(list) => (self.0.arguments(), &**list),
            ArgumentsSpec::Struct { .. } => ("{}", &[][..]),
        };
        Slots::split(arguments, list, spec.extra, spec.takes_text())
    }

    /// Checks that there are no arguments.
    ///
    /// # Errors
    ///
    /// Where there is one, and the tool does not ignore it.
    pub fn no_arguments(&self) -> Result<(), ArgumentFault> {
        let spec = self.0.spec();
        Slots::<0>::split(self.0.arguments(), &[], spec.extra, spec.takes_text()).map(drop)
    }

    /// All arguments as one struct.
    ///
    /// # Errors
    ///
    /// Where they do not fit it.
    pub fn arguments_struct<A: ArgsParam>(&self) -> Result<A, ArgumentFault> {
        let arguments = self.0.arguments();
        let read = if self.0.spec().takes_text() {
            from_text_members(arguments)
        } else {
            serde_json::from_str(arguments)
        };
        read.map(A::wrap).map_err(|e| ArgumentFault(e.to_string()))
    }

    /// The state that was bound for a parameter when the server was built.
    ///
    /// # Panics
    ///
    /// Never for the index and type that the tool's own spec gives.
    pub fn state<S: StateParam>(&self, index: usize) -> S {
        let bound: &(dyn Any + Send + Sync) = &*self.0.function().states[index];
        bound
            .downcast_ref::<S>()
            .expect("build() has bound this parameter by this very type")
            .clone()
    }

    /// Claims a key before the body, for a tool without markers.
    ///
    /// # Errors
    ///
    /// The refusal to run again.
    pub async fn claim(&self, key: String) -> Result<(), Interrupt> {
        self.0.claim_key(key).await?;
        self.0.body_begins();
        Ok(())
    }
}

/// What `Context` in a tool's signature must be.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `mcp_server::Context`",
    label = "expected `mcp_server::Context`",
    note = "another crate's `Context` is in scope under this name; write `mcp_server::Context` in full"
)]
pub trait CallParam: Sized {
    fn from_call(call: &Call) -> Self;
}

impl CallParam for Context {
    fn from_call(call: &Call) -> Self {
        call.0.clone()
    }
}
