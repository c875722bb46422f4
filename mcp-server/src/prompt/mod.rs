//! What is a prompt's alone: `listing` has what `prompts/list` says, `returns` what a function may give
//! back; `provider` is for prompts that are not known when a server is built.

mod listing;
mod provider;
mod returns;

pub(crate) use self::provider::{PROVIDERS, Prompts};
pub use self::{provider::PromptProvider, returns::IntoPromptResult};
use crate::{
    function::{Described, Kind},
    methods,
};

/// The kind of function that a prompt is.
pub(crate) static PROMPT: Kind = Kind {
    describe: |spec, faults| Some(Described::listed(listing::definition(spec), spec, faults)),
    enter: |registry, _, entry, _| registry.prompts.push(entry),
    write: methods::write_prompt,
    methods: &[
        ("prompts/get", methods::get_prompt),
        ("prompts/list", |server, request, out| {
            methods::list(server, &server.inner().prompts, "prompts", request, out)
        }),
    ],
    complete: Some(methods::complete),
};
