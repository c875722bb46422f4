//! What is a resource's alone: `template` reads URI templates, `router` finds the function for a URI,
//! `safe_path` is for variables that hold paths; `entry` registers a resource, `listing` has what the
//! lists say, `returns` what a function may give back.
//!
//! Specification: server/resources.

mod entry;
mod listing;
mod returns;
mod router;
mod safe_path;
mod template;

pub(crate) use self::{
    listing::definition,
    router::{Found, Route},
    template::{Template, spelled},
};
pub use self::{
    returns::IntoResourceResult,
    safe_path::{PathVariable, SafePath, UnsafePath},
};
use crate::{function::Kind, methods};

/// The kind of function that a resource is.
pub(crate) static RESOURCE: Kind = Kind {
    describe: entry::describe,
    enter: entry::enter,
    write: methods::write_resource,
    methods: &[
        ("resources/read", methods::read_resource),
        ("resources/list", |server, request, out| {
            methods::list(server, &server.inner().resources, "resources", request, out)
        }),
        ("resources/templates/list", |server, request, out| {
            let templates = &server.inner().templates;
            methods::list(server, templates, "resourceTemplates", request, out)
        }),
    ],
    complete: Some(methods::complete),
};
