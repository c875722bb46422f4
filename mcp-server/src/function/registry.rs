//! [`Registry`]: puts the functions of a server together while it is built.

use std::{collections::HashMap, sync::Arc};

use super::{Access, Bound, Entry, Function, Visible};
use crate::{
    faults::{Faults, FunctionFaults},
    layers::CallLayer,
    parameters::{Shared, StructMember},
    resource::{Router, Template},
    spec::{ArgumentsSpec, FunctionSpec, KindSpec, ResourceSpec},
};

/// Functions on their way into a server.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    pub(crate) functions: Vec<Bound>,
    pub(crate) tools: Vec<Entry>,
    pub(crate) prompts: Vec<Entry>,
    pub(crate) resources: Vec<Entry>,
    pub(crate) templates: Vec<Entry>,
    pub(crate) router: Router,
    /// By kind and name.
    names: HashMap<(&'static str, &'static str), ()>,
}

impl Registry {
    /// Adds a function; what is wrong with it goes to `faults`.
    pub(crate) fn add(
        &mut self,
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
        if let KindSpec::Resource(resource) = &spec.kind {
            self.route(spec, resource, index, &mut faults.of(spec));
        }
        let Some(mut bound) = Bound::bind(function, shared, layers, faults) else {
            return;
        };
        bound.access = Access::new(visible);
        let (list, key) = match &spec.kind {
            KindSpec::Tool(_) => (&mut self.tools, spec.name),
            KindSpec::Prompt => (&mut self.prompts, spec.name),
            KindSpec::Resource(resource) if Template::is_template(resource.uri) => {
                (&mut self.templates, resource.uri)
            }
            KindSpec::Resource(resource) => (&mut self.resources, resource.uri),
        };
        list.push(Entry {
            key,
            function: index,
        });
        self.functions.push(bound);
    }

    /// Whether an argument can be completed.
    pub(crate) fn completes(&self) -> bool {
        let completes = |spec: &FunctionSpec| match &spec.arguments {
            ArgumentsSpec::List(list) => list.iter().any(|argument| argument.complete.is_some()),
            ArgumentsSpec::Struct { .. } => false,
        };
        self.functions.iter().any(|bound| completes(bound.spec))
    }

    /// Tells the router whom a URI belongs to.
    fn route(
        &mut self,
        spec: &'static FunctionSpec,
        resource: &ResourceSpec,
        index: usize,
        faults: &mut FunctionFaults<'_>,
    ) {
        let template = match Template::parse(resource.uri) {
            Ok(template) => template,
            Err(fault) => return faults.add(None, fault.to_string()),
        };
        check_variables(spec, &template, faults);
        if let Err(other) = self.router.insert(resource.uri, template, index) {
            let other = self.functions.get(other);
            let other = other.map_or("another resource", |bound| bound.spec.name);
            faults.add(
                None,
                format!("the URIs of `{other}` cannot be told from those of this one"),
            );
        }
    }
}

/// The struct of a function takes each variable. What it takes besides is for `serde` to miss.
fn check_members(members: &[StructMember], template: &Template, faults: &mut FunctionFaults<'_>) {
    // Nobody knows what a map takes.
    if members.is_empty() {
        return;
    }
    for variable in template.variables() {
        if !members.iter().any(|member| member.name == variable) {
            faults.add(
                None,
                format!("`{{{variable}}}` is in the URI and no field of `Args`; add the field"),
            );
        }
    }
}

/// The variables of a template and the arguments of its function are the same.
fn check_variables(spec: &FunctionSpec, template: &Template, faults: &mut FunctionFaults<'_>) {
    let list = match &spec.arguments {
        ArgumentsSpec::List(list) => list,
        ArgumentsSpec::Struct { members, .. } => {
            return check_members(&members(), template, faults);
        }
    };
    for variable in template.variables() {
        let Some(argument) = list.iter().find(|argument| argument.name == variable) else {
            faults.add(
                None,
                format!("`{{{variable}}}` is in the URI and is no parameter; take it as one"),
            );
            continue;
        };
        let may_be_absent = template
            .optional_variables()
            .iter()
            .any(|name| name == variable);
        if may_be_absent && !(argument.optional)() {
            faults.add(
                Some(variable),
                "a URI may leave this variable out; make the parameter an `Option`, or give it `#[serde(default)]`",
            );
        }
    }
    for argument in *list {
        if !template
            .variables()
            .any(|variable| variable == argument.name)
        {
            faults.add(
                Some(argument.name),
                "it is no variable of the URI; add it as `{..}`, or take it as `State`",
            );
        }
    }
}
