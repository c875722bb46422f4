//! The methods that a server answers, a file each, and how their parameters are read.

mod discover;
mod params;
mod tools;

pub(crate) use self::{
    discover::discover,
    tools::{call, list, write},
};
pub(crate) use self::{
    params::{Params, Received, Terms, diagnose, string},
    tools::invoke,
};
