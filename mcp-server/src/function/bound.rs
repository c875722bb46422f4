//! A function as the server holds it: everything that can be computed once is.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use super::{Access, Function, Kind, body::Body, kind::CheckText};
#[cfg(feature = "http")]
use crate::transport::http::HeaderParameters;
use crate::{
    faults::{Faults, FunctionFaults},
    layers::{CallLayer, TimeLimit},
    parameters::Shared,
    spec::{FunctionSpec, OnceSpec},
    state::Digest,
    tool::{InputSchema, OutputSchema, unfit},
};

/// A function with its schemas, state and layers.
pub(crate) struct Bound {
    pub(crate) kind: &'static Kind,
    pub(crate) spec: FunctionSpec,
    pub(crate) body: Body,
    pub(crate) states: Box<[Box<dyn Any + Send + Sync>]>,
    pub(crate) layers: Box<[Arc<dyn CallLayer>]>,
    /// Whether a layer may ask after the parameters' last question; the function's own time limit does not.
    pub(crate) layers_may_ask: bool,
    /// The digests of questions that are the same in each call, by marker, once they were asked.
    pub(crate) pins: Box<[OnceLock<Digest>]>,
    input: Option<InputSchema>,
    bounds: Option<CheckText>,
    output: Option<OutputSchema>,
    /// The arguments that are mirrored in headers.
    #[cfg(feature = "http")]
    pub(crate) headers: HeaderParameters,
    /// What the list says of it.
    pub(crate) json: String,
    pub(crate) access: Access,
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl Bound {
    /// Binds a function; what is wrong with it goes to `faults`.
    pub(crate) fn bind(
        kind: &'static Kind,
        function: Function,
        shared: &Shared,
        layers: impl Iterator<Item = Arc<dyn CallLayer>>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let Function { spec, body } = function;
        let mut faults = faults.of(&spec);
        check_markers(&spec, &mut faults);
        if spec.once == OnceSpec::Exchange && spec.markers.is_empty() {
            faults.add(
                None,
                if spec.output.by_hand {
                    "`once` cannot tell when a function that asks by hand has its answers; write `once = expr`, or call `ctx.claim(key)` just before the effect"
                } else {
                    "`once` needs a question or a key; put Elicit or Resolve on a parameter, or write `once = expr`"
                },
            );
        }
        let mut states = Vec::with_capacity(spec.states.len());
        for state in &spec.states {
            match (state.bind)(shared) {
                Some(bound) => states.push(bound),
                None => faults.add(Some(state.parameter), (state.missing)()),
            }
        }
        let described = (kind.describe)(&spec, &mut faults)?;
        if states.len() < spec.states.len() {
            return None;
        }
        let mut layers: Vec<Arc<dyn CallLayer>> = layers.collect();
        let layers_may_ask = !layers.is_empty();
        if let Some(limit) = spec.timeout {
            layers.push(Arc::new(TimeLimit::new(limit)));
        }
        Some(Self {
            kind,
            states: states.into(),
            layers: layers.into(),
            layers_may_ask,
            input: described.input,
            bounds: described.bounds,
            output: described.output,
            json: described.json,
            #[cfg(feature = "http")]
            headers: described.headers,
            pins: spec.markers.iter().map(|_| OnceLock::new()).collect(),
            spec,
            body,
            access: Access::default(),
        })
    }

    /// Whether structured results stand under the name `result`.
    pub(crate) fn wraps_result(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.wrapped)
    }

    /// Compares arguments with what the schema says beyond the parameters' types.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model.
    pub(crate) fn check_arguments(&self, arguments: &str) -> Result<(), String> {
        match (&self.input, &self.bounds) {
            (Some(input), _) => input.check(arguments),
            (None, Some(check)) => check(arguments),
            (None, None) => Ok(()),
        }
    }

    /// Goes over arguments that the parameters refused.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model. Where the schema allows them, gives them in the form that
    /// serde reads.
    pub(crate) fn mend_arguments(&self, arguments: &str, fault: &str) -> Result<String, String> {
        match &self.input {
            Some(input) => input.mend(arguments, fault, &self.json),
            None => Err(unfit(fault)),
        }
    }

    /// Compares a structured result with the output schema.
    ///
    /// # Errors
    ///
    /// What does not fit, for the log.
    pub(crate) fn check_output(&self, json: &str) -> Result<(), String> {
        match &self.output {
            Some(output) => output.check(json),
            None => Ok(()),
        }
    }
}

fn check_markers(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) {
    for marker in &spec.markers {
        if let Some(fault) = (marker.check)() {
            faults.add(Some(marker.parameter), fault);
        }
        if let Some(fault) = marker.form.and_then(|form| form().fault()) {
            faults.add(Some(marker.parameter), fault);
        }
    }
    if spec.output.by_hand && !spec.markers.is_empty() {
        faults.add(
            None,
            format!(
                "a {} asks by parameters or by hand, not both; return a plain result, or drop the markers",
                spec.kind_name()
            ),
        );
    }
}
