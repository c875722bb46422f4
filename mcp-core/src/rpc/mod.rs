//! JSON-RPC 2.0 as MCP uses it: ids, errors, envelopes, line framing.
//!
//! Nothing here knows a method, and nothing does I/O.
//!
//! Specification: basic/index, Messages.

mod by_name;
mod envelope;
mod error;
mod framing;
mod id;
mod scan;
mod text;
mod write;

pub use self::{
    by_name::ByName,
    envelope::{Fault, Message, RawId, parse, parse_raw},
    error::{RpcError, code},
    framing::{Line, LineBuffer},
    id::{InvalidId, ProgressToken, RequestId},
    scan::{Malformed, Scan},
    text::write_str,
    write::{begin_result, to_line, write_error, write_json, write_notification},
};
