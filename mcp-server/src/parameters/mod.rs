//! What a function may take besides plain arguments, and how each is filled.

mod args;
mod bounds;
mod members;
mod probe;
mod shared;
mod slots;
mod text;

#[cfg(feature = "legacy")]
pub(crate) use self::members::items;
pub(crate) use self::members::member;
pub use self::{
    args::{Args, ArgsParam},
    probe::{StructMember, members_of},
    shared::{Shared, State, StateParam},
    slots::{ArgumentFault, Slots, missing_is_ok},
};
pub(crate) use self::{bounds::TextBounds, members::Members, text::from_text_members};
