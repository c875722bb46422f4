//! [`Registry`]: puts the functions of a server together while it is built.

use std::{
    borrow::Cow,
    collections::hash_map::{
        Entry::{Occupied, Vacant},
        HashMap,
    },
    panic::Location,
    sync::Arc,
};

use mcp_core::{
    protocol::{Meta, meta::key},
    rpc::to_line,
};

use super::{
    Access, AllProviders, Bound, Entry, Function, Kind, Provide, ProviderKind, ProviderList,
    Providers, Visible,
};
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
    pub(crate) providers: AllProviders,
    /// The methods that kinds and extensions bring.
    pub(crate) methods: Vec<(Cow<'static, str>, Method)>,
    /// Where each was declared, by kind and name.
    names: HashMap<(&'static str, &'static str), &'static Location<'static>>,
}

/// What a set says of all its functions.
pub(crate) struct Around<'a> {
    /// The server's layers and the set's own.
    pub(crate) layers: Vec<Arc<dyn CallLayer>>,
    pub(crate) visible: &'a [Visible],
    pub(crate) meta: &'a Meta,
}

impl Registry {
    /// Adds a function; what is wrong with it goes to `faults`.
    pub(crate) fn add(
        &mut self,
        kind: &'static Kind,
        function: Function,
        shared: &Shared,
        around: &Around<'_>,
        faults: &mut Faults,
    ) {
        let spec = &function.spec;
        let index = self.functions.len();
        let kind_name = spec.kind_name();
        match self.names.entry((kind_name, spec.name)) {
            Vacant(name) => {
                name.insert(spec.location);
            }
            // What else is wrong with it was said the first time.
            Occupied(name) if *name.get() == spec.location => {
                faults.of(spec).add(
                    None,
                    format!("it is listed twice, or another {kind_name} from the same place has this name; leave one out, or write `#[{kind_name}(name = \"..\")]`"),
                );
                return;
            }
            Occupied(name) => {
                let (file, line) = (name.get().file(), name.get().line());
                faults.of(spec).add(
                    None,
                    format!("another {kind_name} has this name, at {file}:{line}; write `#[{kind_name}(name = \"..\")]`"),
                );
            }
        }
        for name in around.meta.keys().filter(|name| !key::is_valid(name)) {
            faults.of(spec).add(
                None,
                format!("`{name}` is no name for an entry of `_meta`; write `com.example/name`"),
            );
        }
        let layers = around.layers.iter().cloned();
        let Some(mut bound) = Bound::bind(kind, function, shared, layers, faults) else {
            return;
        };
        let spec = &bound.spec;
        bound.access = Access::new(around.visible);
        add_meta(&mut bound.json, around.meta);
        let entry = Entry {
            key: spec.name,
            function: index,
        };
        (kind.enter)(self, spec, entry, &mut faults.of(spec));
        self.add_methods(kind, spec);
        self.functions.push(bound);
    }

    /// Adds all providers of a kind, after all other functions.
    pub(crate) fn provide(
        &mut self,
        kind: &'static ProviderKind,
        list: Vec<Arc<dyn Provide>>,
        shared: &Shared,
        layers: &[Arc<dyn CallLayer>],
        faults: &mut Faults,
    ) {
        let list: ProviderList = list.into();
        let function = self.functions.len();
        let around = Around {
            layers: layers.to_vec(),
            visible: &[],
            meta: &Meta::new(),
        };
        let in_order = (kind.function)(Arc::clone(&list));
        self.add(&kind.kind, in_order, shared, &around, faults);
        *(kind.place)(&mut self.providers) = Some(Providers { function, list });
    }

    /// Serves the methods of a kind, once there is a function of it. Those of providers take the place of those without.
    fn add_methods(&mut self, kind: &'static Kind, spec: &FunctionSpec) {
        let completes = match &spec.arguments {
            ArgumentsSpec::List(list) => list.iter().any(|argument| argument.complete.is_some()),
            ArgumentsSpec::Struct { .. } => false,
        };
        let complete = kind.complete.filter(|_| completes);
        let methods = kind.methods.iter().copied();
        for (name, method) in methods.chain(complete.map(|method| (COMPLETE, method))) {
            match self.methods.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = method,
                None => self.methods.push((name.into(), method)),
            }
        }
    }
}

/// Adds `_meta` to what the list says of a function.
fn add_meta(json: &mut String, meta: &Meta) {
    if let (false, Ok(meta)) = (meta.is_empty(), to_line(meta))
        && json.pop() == Some('}')
    {
        json.push_str(r#","_meta":"#);
        json.push_str(&meta);
        json.push('}');
    }
}
