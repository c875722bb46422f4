//! Any bytes as a `requestState`: nothing panics, nothing opens, and a body that decodes encodes to one that decodes.
//!
//! `cargo +nightly fuzz run open_state`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_server::__fuzz::open_state(bytes));
