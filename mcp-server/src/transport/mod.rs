//! Transports: they move messages and know no method.
//!
//! `session` is a connection without its I/O; `io` drives one with a task, `stdio` with threads. `http`
//! has no connections but requests, each with its own response.

#[cfg(feature = "http")]
pub(crate) mod http;
mod io;
mod session;
#[cfg(feature = "stdio")]
mod stdio;
