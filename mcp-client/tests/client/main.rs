//! The client against scripted servers: each rule its own test.

#![allow(clippy::unwrap_used)]

mod ask;
// It watches processes through /proc.
#[cfg(target_os = "linux")]
mod child;
mod connect;
mod end;
mod limits;
mod lines;
mod list;
mod meta;
mod results;
mod rounds;
mod session;
mod structured;
mod support;
mod trace;
mod transport;
