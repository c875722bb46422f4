//! Our client against a server on the Python SDK that asks in the middle of calls (`tests/peers/server.py`).
//!
//! They need a Python with that SDK: `tests/peers/run` makes one and names it in `MCP_PEER_PYTHON`. Without the
//! variable each test says that it is skipped.

#![allow(clippy::unwrap_used)]

mod by_hand;
mod kinds;
mod refusals;
mod reports;
mod rounds;
mod support;
