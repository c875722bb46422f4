//! The client over HTTP against servers with a handshake.

mod http_sse;
mod listen;
mod probe;
mod resume;
mod session;
mod support;
