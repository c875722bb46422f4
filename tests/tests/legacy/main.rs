//! Clients of the revisions with a handshake, message by message: what the server sends is compared with the official
//! schema of the client's revision.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod batches;
mod calls;
mod ending;
mod everything;
mod garbage;
mod handshake;
mod methods;
mod noticing;
mod once;
mod pages;
mod questions;
mod refusing;
mod support;
