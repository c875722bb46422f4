//! What is a resource's alone: `template` reads URI templates, `router` finds the function for a URI,
//! `safe_path` is for variables that hold paths; `listing` has what the lists say, `returns` what a
//! function may give back.
//!
//! Specification: server/resources.

mod listing;
mod returns;
mod router;
mod safe_path;
mod template;

pub(crate) use self::{
    listing::definition,
    router::{Found, Router},
    template::Template,
};
pub use self::{
    returns::IntoResourceResult,
    safe_path::{PathVariable, SafePath, UnsafePath},
};
