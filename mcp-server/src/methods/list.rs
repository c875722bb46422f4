//! A page of a list: `tools/list`, `prompts/list`, `resources/list`, `resources/templates/list`.
//!
//! Specification: server/utilities/pagination, server/utilities/caching.

use std::borrow::Cow;

use mcp_core::rpc::{RpcError, write_json};

use super::{Asked, Params, Step, string};
use crate::{
    builder::millis,
    function::{Catalog, unknown_cursor},
    server::{Inner, Server},
};

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
    let cursor = cursor(request.params)?;
    let inner = server.inner();
    let page = catalog
        .page(&inner.functions, cursor.as_deref(), &request.peer.principal)
        .map_err(|_| unknown_cursor())?;
    let next_cursor = page.next_cursor.as_deref();
    write_page(inner, catalog, member, &page.json, next_cursor, out);
    Ok(Step::Written)
}

/// The cursor of a request, if it has one.
pub(super) fn cursor<'a>(params: &Params<'a>) -> Result<Option<Cow<'a, str>>, RpcError> {
    match params.cursor {
        None => Ok(None),
        cursor => string(cursor, "cursor").map(Some),
    }
}

/// Appends the result that a page is.
pub(super) fn write_page(
    inner: &Inner,
    catalog: &Catalog,
    member: &str,
    entries: &str,
    next_cursor: Option<&str>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(br#"{"resultType":"complete",""#);
    out.extend_from_slice(member.as_bytes());
    out.extend_from_slice(br#"":["#);
    out.extend_from_slice(entries.as_bytes());
    out.push(b']');
    if let Some(cursor) = next_cursor {
        out.extend_from_slice(br#","nextCursor":"#);
        write_json(out, cursor);
    }
    out.extend_from_slice(br#","ttlMs":"#);
    write_json(out, &millis(inner.options.list_ttl));
    out.extend_from_slice(br#","cacheScope":"#);
    write_json(out, &inner.options.scope(catalog.is_per_caller()));
    out.extend_from_slice(br#","_meta":{"#);
    out.extend_from_slice(inner.writer.server_info.as_bytes());
}
