//! Subscriptions: clients that want to hear of changes, and who tells them.
//!
//! Motivation: a subscription is open for hours and silent for most of them. So it has no task and no buffer of its own in here:
//! what has changed since it was last heard of is a few bits, however often it changed, and nothing is written before the client
//! takes it. A `notify` puts changes into the `hub`, which hands them to its `subscriber`s all at once, a moment later;
//! `listen` is the request that waits for them, and `filter` what it asks for.
//!
//! Specification: basic/patterns/subscriptions.

mod filter;
mod hub;
mod listen;
mod notify;
mod subscriber;

pub use self::notify::Notify;
pub(crate) use self::{filter::Filter, subscriber::Change};
pub(crate) use self::{
    filter::Lists,
    hub::Hub,
    listen::{Listening, listen},
    subscriber::Subscriber,
};
