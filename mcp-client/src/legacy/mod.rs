//! Servers of the revisions that begin with a handshake: 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25.
//!
//! Such a server remembers its client, asks by requests of its own while a call is open, and reports changes to
//! whoever is connected. None of this shows outside: calls, handlers, rounds and subscriptions are the same.
//! [`Connection`] is what was agreed on, and the way of every request; the task in `listen` answers what the server
//! sends.
//!
//! The cargo feature `legacy` has all of it; without it `absent.rs` stands here.

pub(crate) mod batch;
mod calls;
mod capabilities;
mod clock;
mod connection;
mod handshake;
mod level;
mod listen;
mod offered;
mod open_call;
mod pages;
mod params;
mod questions;
mod subscriptions;

pub(crate) use self::clock::Stopwatch;
pub(crate) use self::connection::Connection;
pub(crate) use self::handshake::{IS_SPOKEN, begin, begin_newest, fall_back, refuse};
pub(crate) use self::open_call::OpenCall;
pub(crate) use self::subscriptions::Listening;
