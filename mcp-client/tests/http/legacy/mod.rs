//! The client over HTTP against servers with a handshake.

mod early;
mod http_sse;
mod listen;
mod lost;
mod probe;
mod resume;
mod session;
mod support;
