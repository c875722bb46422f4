//! Transports: they move messages and know no method.
//!
//! `session` is a connection without its I/O; `io` drives one with a task, `stdio` with threads.

mod io;
mod session;
#[cfg(feature = "stdio")]
mod stdio;
