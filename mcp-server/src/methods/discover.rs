//! `server/discover`.
//!
//! Specification: server/discover.

use mcp_core::rpc::RpcError;

use super::{Asked, Step};
use crate::server::Server;

/// Appends the result, which was made when the server was built.
///
/// # Errors
///
/// None.
pub(crate) fn discover(
    server: &Server,
    _: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let server = server.inner();
    out.extend_from_slice(server.discover.as_bytes());
    out.extend_from_slice(server.writer.server_info.as_bytes());
    Ok(Step::Written)
}
