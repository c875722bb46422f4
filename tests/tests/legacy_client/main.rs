//! Our client and our server together, in each of the revisions with a handshake: what either sends is compared with
//! the official schema of the revision.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod asking;
mod by_hand;
mod pages;
mod scripted;
mod support;
mod surface;
