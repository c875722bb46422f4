//! The Model Context Protocol's types and pure codecs: no I/O, no run time.

pub mod rpc;
pub mod schema;
