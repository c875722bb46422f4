//! Asking in the middle of a call: what a tool writes, and the rules by which it is answered.
//!
//! A tool declares a question on a parameter ([`Elicit`], [`Resolve`]); a resolver gives an [`Ask`].
//! The `walk` module holds the rules, `exchange` what is remembered between rounds.
//!
//! Specification: basic/patterns/mrtr, client/elicitation.

mod ask;
mod exchange;
mod kind;
mod marker;
mod open;
mod question;
mod responses;
mod shown;
mod url;
mod walk;

pub(crate) use self::question::Body;
pub use self::{
    ask::{Ask, IntoAsk, Roots, Sampled},
    kind::Kind,
    marker::{Elicit, Marker, Resolve},
    responses::InputResponses,
    shown::Shown,
    walk::{Asking, Slot},
};
pub(crate) use self::{
    exchange::Exchange,
    kind::Kinds,
    marker::{Refusal, Settlement},
    question::{FormBody, Message, Question},
    responses::Place,
};
