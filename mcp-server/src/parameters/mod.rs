//! What a tool function may take besides plain arguments, and how each is filled.

mod args;
mod members;
mod shared;
mod slots;

pub(crate) use self::members::Members;
pub use self::{
    args::{Args, ArgsParam},
    shared::{Shared, State, StateParam},
    slots::{ArgumentFault, Slots, members_of, missing_is_ok},
};
