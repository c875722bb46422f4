//! Clients of the revisions with a handshake, message by message: what the server sends is compared with the official
//! schema of the client's revision.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod calls;
mod ending;
mod garbage;
mod handshake;
mod once;
mod pages;
mod refusing;
mod support;
