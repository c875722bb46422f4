//! The Model Context Protocol's types and pure codecs: no I/O, no run time.
//!
//! * [`protocol`]: every message of revision 2026-07-28, named as in the official schema.
//! * [`rpc`]: JSON-RPC ids, errors, envelopes and line framing.
//! * [`schema`]: the schemas of forms, arguments and results, and the checks of values against them.
//! * [`text`]: which characters may not be shown, and lists of names.
//! * [`Revision`]: the protocol revisions that this library speaks.

pub mod protocol;
pub mod revision;
pub mod rpc;
pub mod schema;
pub mod text;

pub use revision::Revision;
