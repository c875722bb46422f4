//! The client against scripted servers: each rule its own test.

#![allow(clippy::unwrap_used)]

mod ask;
mod cache;
// It watches processes through /proc.
#[cfg(target_os = "linux")]
mod child;
mod completion;
mod connect;
mod end;
#[cfg(feature = "legacy")]
mod legacy;
mod limits;
mod lines;
mod list;
mod meta;
mod prompts;
mod resources;
mod results;
mod rounds;
mod session;
mod structured;
mod subscriptions;
mod support;
mod trace;
mod transport;
