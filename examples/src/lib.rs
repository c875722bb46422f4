//! Examples to read and to run: a shop whose tools ask a person in the middle of a call, notes, and
//! a host for the terminal.
//!
//! | command | what it shows |
//! |---|---|
//! | `cargo run --bin shop` | a server and its host in one: refunds, returns and a payment page |
//! | `cargo run --bin notes` | the smallest server that asks |
//! | `cargo run --bin everything -- --http 127.0.0.1:3000` | every feature that a server can offer |
//! | `cargo run --bin host -- list -- CMD..` | a terminal host for any server on standard input and output |
//!
//! Start with `src/bin/notes.rs`, then `src/shop/tools/`: one tool a file.

pub mod everything;
pub mod host;
pub mod logging;
pub mod notes;
pub mod shop;

/// Any error, for functions that only pass errors on.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;
