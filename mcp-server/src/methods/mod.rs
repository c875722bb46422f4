//! The methods that a server answers, a file each, and what they share: how parameters are read, how
//! a tool runs, how its answer is written.

mod answer;
mod discover;
mod invoke;
mod params;
mod tools;

pub(crate) use self::{
    answer::write,
    discover::discover,
    invoke::{CallFuture, Invocation},
    params::{Params, Received, Terms, diagnose, string},
    tools::{call, list},
};
