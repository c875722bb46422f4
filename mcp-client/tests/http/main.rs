//! The client over HTTP against servers that write every byte by hand: each rule its own test.

#![allow(clippy::unwrap_used)]

mod answers;
mod authorize;
mod cancel;
mod failures;
mod headers;
#[cfg(feature = "legacy")]
mod legacy;
mod params;
mod redirect;
mod stream;
mod subscriptions;
mod support;
mod trace;
mod version;
