//! What drives the measured servers: makes requests, checks each reply, and reads what a server used.
//!
//! It knows no framework, only messages of revision 2026-07-28 over a child's pipes or over HTTP. [`Script`]
//! says what to send and what is right, [`Peer`] and [`HttpPeer`] run calls against one server, [`Usage`] is the processor
//! time of its process, and [`measure`] puts several side by side. Empty where the system is no Unix.

#![cfg(unix)]

mod http;
mod measure;
mod options;
mod peer;
mod reply;
mod rmcp;
mod script;
mod table;
mod template;
mod usage;
mod workload;

pub use http::HttpPeer;
pub use measure::{Measured, measure};
pub use options::Options;
pub use peer::{Peer, Until};
pub use rmcp::build_rmcp;
pub use script::{Next, Script};
pub use table::Table;
pub use usage::{Usage, resident_kib};
pub use workload::Workload;

/// What can go wrong while measuring; the text says all there is to know.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
