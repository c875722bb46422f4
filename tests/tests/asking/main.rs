//! The rules of asking, each through a real client or messages written by hand, against a real server.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]
#![allow(
    unused_variables,
    dead_code,
    reason = "what only a question mentions, and fields that only Debug reads"
)]

mod answers;
mod batches;
mod by_hand;
mod capabilities;
mod claimed;
mod client;
mod forms;
mod guards;
mod layered;
mod once;
mod outcomes;
mod pages;
mod record;
mod remembered;
mod rounds;
mod sampling;
mod scripted;
mod shown;
mod state;
mod support;
