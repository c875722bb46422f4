//! Our client and our server together, beyond tools: changes, and what is kept.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod caching;
mod changes;
mod support;
