//! A page of a list: `tools/list`, `prompts/list`, `resources/list`, `resources/templates/list`.
//!
//! Specification: server/utilities/pagination, server/utilities/caching.

use mcp_core::rpc::{RpcError, write_json};

use super::{Asked, Step, string};
use crate::{builder::millis, function::Catalog, server::Server};

/// Appends one page; `member` is the name under which its entries stand.
///
/// # Errors
///
/// `-32602` for a cursor that this server did not give.
pub(crate) fn list(
    server: &Server,
    catalog: &Catalog,
    member: &str,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let cursor = match request.params.cursor {
        None => None,
        cursor => Some(string(cursor, "cursor")?),
    };
    let inner = server.inner();
    let page = catalog
        .page(&inner.functions, cursor.as_deref(), &request.peer.principal)
        .map_err(|_| RpcError::invalid_params("unknown `cursor`; begin again without one"))?;
    out.extend_from_slice(br#"{"resultType":"complete",""#);
    out.extend_from_slice(member.as_bytes());
    out.extend_from_slice(br#"":["#);
    out.extend_from_slice(page.json.as_bytes());
    out.push(b']');
    if let Some(cursor) = &page.next_cursor {
        out.extend_from_slice(br#","nextCursor":"#);
        write_json(out, cursor.as_str());
    }
    out.extend_from_slice(br#","ttlMs":"#);
    write_json(out, &millis(inner.options.list_ttl));
    out.extend_from_slice(br#","cacheScope":"private","_meta":{"#);
    out.extend_from_slice(inner.writer.server_info.as_bytes());
    Ok(Step::Written)
}
