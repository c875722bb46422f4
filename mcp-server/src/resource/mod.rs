//! What is a resource's alone: `template` reads URI templates, `router` finds the function for a URI,
//! `safe_path` is for variables that hold paths; `entry` registers a resource, `listing` has what the
//! lists say, `returns` what a function may give back and `cached` how long that may be kept; `provider` is
//! for resources that are not known when a server is built.
//!
//! Specification: server/resources.

mod cached;
mod entry;
mod listing;
mod provider;
mod returns;
mod router;
mod safe_path;
mod template;

pub use self::{
    cached::Cached,
    provider::ResourceProvider,
    returns::IntoResourceResult,
    safe_path::{PathVariable, SafePath, UnsafePath},
};
pub(crate) use self::{
    listing::definition,
    provider::{PROVIDERS, Resources},
    router::{Found, Route},
    template::{Template, spelled},
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
