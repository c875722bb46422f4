//! Our client and our server together, beyond tools.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod caching;
mod changes;
mod extensions;
mod offers;
mod support;
