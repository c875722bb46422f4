//! `server/discover`.
//!
//! Specification: server/discover.

use crate::server::Server;

/// Appends the result, which was made when the server was built.
pub(crate) fn discover(server: &Server, out: &mut Vec<u8>) {
    let server = server.inner();
    out.extend_from_slice(server.discover.as_bytes());
    out.extend_from_slice(server.writer.server_info.as_bytes());
}
