//! [`Registry`]: puts the functions of a server together while it is built.

use std::{collections::HashMap, sync::Arc};

use super::{Access, Bound, Entry, Function, Kind, Visible};
use crate::{
    faults::Faults,
    layers::CallLayer,
    methods::{COMPLETE, Method},
    parameters::Shared,
    resource::Route,
    spec::{ArgumentsSpec, FunctionSpec},
};

/// Functions on their way into a server.
#[derive(Default)]
pub(crate) struct Registry {
    pub(crate) functions: Vec<Bound>,
    pub(crate) tools: Vec<Entry>,
    pub(crate) prompts: Vec<Entry>,
    pub(crate) resources: Vec<Entry>,
    pub(crate) templates: Vec<Entry>,
    pub(crate) router: Option<Box<dyn Route>>,
    /// The methods that the kinds bring.
    pub(crate) methods: Vec<(&'static str, Method)>,
    /// By kind and name.
    names: HashMap<(&'static str, &'static str), ()>,
}

impl Registry {
    /// Adds a function; what is wrong with it goes to `faults`.
    pub(crate) fn add(
        &mut self,
        kind: &'static Kind,
        function: Arc<dyn Function>,
        shared: &Shared,
        layers: impl Iterator<Item = Arc<dyn CallLayer>>,
        visible: &[Visible],
        faults: &mut Faults,
    ) {
        let spec = function.spec();
        let index = self.functions.len();
        let taken = self.names.insert((spec.kind_name(), spec.name), ());
        if taken.is_some() {
            let kind = spec.kind_name();
            faults.of(spec).add(
                None,
                format!("another {kind} has this name; write `#[{kind}(name = \"..\")]`"),
            );
        }
        let Some(mut bound) = Bound::bind(kind, function, shared, layers, faults) else {
            return;
        };
        bound.access = Access::new(visible);
        let entry = Entry {
            key: spec.name,
            function: index,
        };
        (kind.enter)(self, spec, entry, &mut faults.of(spec));
        self.add_methods(kind, spec);
        self.functions.push(bound);
    }

    /// Serves the methods of a kind, once there is a function of it.
    fn add_methods(&mut self, kind: &'static Kind, spec: &FunctionSpec) {
        let completes = match &spec.arguments {
            ArgumentsSpec::List(list) => list.iter().any(|argument| argument.complete.is_some()),
            ArgumentsSpec::Struct { .. } => false,
        };
        let complete = kind.complete.filter(|_| completes);
        let methods = kind.methods.iter().copied();
        for (name, method) in methods.chain(complete.map(|method| (COMPLETE, method))) {
            if !self.methods.iter().any(|(known, _)| *known == name) {
                self.methods.push((name, method));
            }
        }
    }
}
