//! Puts resources where they are found: by their URI, or by the template that it fits.

use super::{Template, definition, router::Router};
use crate::{
    faults::FunctionFaults,
    function::{Described, Entry, Registry},
    parameters::StructMember,
    spec::{ArgumentsSpec, FunctionSpec, KindSpec},
};

/// Makes what the lists say of a resource.
pub(super) fn describe(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) -> Option<Described> {
    match &spec.kind {
        KindSpec::Resource(resource) => {
            Some(Described::listed(definition(spec, resource), spec, faults))
        }
        _ => None,
    }
}

/// Tells the router whom a URI belongs to.
pub(super) fn enter(
    registry: &mut Registry,
    spec: &FunctionSpec,
    mut entry: Entry,
    faults: &mut FunctionFaults<'_>,
) {
    let KindSpec::Resource(resource) = &spec.kind else {
        return;
    };
    let template = match Template::parse(resource.uri) {
        Ok(template) => template,
        Err(fault) => return faults.add(None, fault.to_string()),
    };
    check_variables(spec, &template, faults);
    let router = registry
        .router
        .get_or_insert_with(|| Box::new(Router::default()));
    if let Err(other) = router.insert(resource.uri, template, entry.function) {
        let other = registry.functions.get(other);
        let other = other.map_or("another resource", |bound| bound.spec.name);
        faults.add(
            None,
            format!("the URIs of `{other}` cannot be told from those of this one"),
        );
    }
    entry.key = resource.uri;
    if Template::is_template(resource.uri) {
        registry.templates.push(entry);
    } else {
        registry.resources.push(entry);
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
    for argument in list {
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
