//! Our client against servers that begin with a handshake: one on the Python SDK 1.x and the same on the TypeScript
//! SDK 1.x (`tests/peers/legacy`), and the reference server `server-everything`.
//!
//! They need those SDKs: `tests/peers/run` installs them and names the folder in `MCP_PEER_LEGACY`. Without the
//! variable each test says that it is skipped.

#![allow(clippy::unwrap_used)]

mod asking;
mod everything;
mod handshake;
mod offers;
mod reports;
mod support;
