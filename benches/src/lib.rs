//! What drives the measured servers: makes requests, checks each reply, and reads what a server used.
//!
//! It knows no framework, only messages of revision 2026-07-28 over a child's pipes. [`Script`] says what to send
//! and what is right, [`Peer`] runs calls against one server, [`Usage`] is the processor time of its process. Empty where the system is no
//! Unix.

#![cfg(unix)]

mod peer;
mod reply;
mod script;
mod template;
mod usage;
mod workload;

pub use peer::{Peer, Until};
pub use script::{Next, Script};
pub use usage::{Usage, resident_kib};
pub use workload::Workload;

/// What can go wrong while measuring; the text says all there is to know.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
