//! Any bytes as a call's arguments: nothing panics, and the digest stays the same when the text is written anew.
//!
//! `cargo +nightly fuzz run digest_arguments`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_server::__fuzz::digest_of_arguments(bytes));
