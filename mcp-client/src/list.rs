//! Follows the pages of a list to their end, and notices when there is none.
//!
//! Specification: server/utilities/pagination.

use std::collections::{BTreeMap, HashSet};

use mcp_core::rpc::code;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::session::Call;

/// More pages than any list has; a server that invents cursors for ever is stopped here.
const MAX_PAGES: usize = 10_000;

/// Every item of every page that can be read; `items` is the name of the member they are in. One
/// unreadable item does not sink the list.
pub(crate) async fn items<T: DeserializeOwned>(
    client: &Client,
    method: &str,
    items: &str,
) -> Result<Vec<T>, Error> {
    let mut read = Vec::new();
    pages(client, method, items, |raw| {
        match serde_json::from_str(raw.get()) {
            Ok(item) => read.push(item),
            Err(error) => {
                tracing::warn!(target: "mcp_client", method, error = %Excerpt(&error), "left out an unreadable item");
            }
        }
    })
    .await?;
    Ok(read)
}

/// Hands every item of every page to `each`, once all pages are there.
pub(crate) async fn pages(
    client: &Client,
    method: &str,
    items: &str,
    each: impl FnMut(&RawValue),
) -> Result<(), Error> {
    let found = match follow(client, method, items).await {
        // Kept pages may have outlived their cursors (server/utilities/caching, Interaction with
        // Pagination).
        Err(Error::Rpc(error)) if error.code == code::INVALID_PARAMS && client.forget(method) => {
            follow(client, method, items).await?
        }
        found => found?,
    };
    found.iter().map(AsRef::as_ref).for_each(each);
    Ok(())
}

async fn follow(client: &Client, method: &str, items: &str) -> Result<Vec<Box<RawValue>>, Error> {
    let endless = |reason: &str| Error::EndlessList {
        method: method.to_owned(),
        reason: reason.to_owned(),
    };
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut fields = Vec::new();
    for _ in 0..MAX_PAGES {
        let call = Call::new(method, method, fields);
        let result = client.plain(call).await?;
        let page = Page::read(method, items, &result).inspect_err(|_| {
            client.forget(method);
        })?;
        found.extend(page.items.into_iter().map(ToOwned::to_owned));
        // An empty string is a cursor like any other.
        let Some(cursor) = page.next else {
            return Ok(found);
        };
        fields = vec![("cursor".to_owned(), cursor.clone())];
        if !seen.insert(cursor) {
            return Err(endless("the server sent the same cursor twice"));
        }
    }
    Err(endless("there are too many"))
}

struct Page<'a> {
    items: Vec<&'a RawValue>,
    /// As JSON text: cursors are sent back as they came.
    next: Option<String>,
}

impl<'a> Page<'a> {
    fn read(method: &str, items: &str, result: &'a RawValue) -> Result<Self, Error> {
        let invalid = |reason: String| Error::InvalidResult {
            method: method.to_owned(),
            reason,
        };
        let mut members: BTreeMap<String, &'a RawValue> =
            serde_json::from_str(result.get()).map_err(|e| invalid(e.to_string()))?;
        let Some(list) = members.remove(items) else {
            return Err(invalid(format!("it has no {items}")));
        };
        let items = Vec::deserialize(list).map_err(|e| invalid(format!("{items}: {e}")))?;
        let next = match members.get("nextCursor").map(|cursor| cursor.get()) {
            None | Some("null") => None,
            Some(cursor) if cursor.starts_with('"') => Some(cursor.to_owned()),
            Some(_) => return Err(invalid("its nextCursor is not a string".to_owned())),
        };
        Ok(Self { items, next })
    }
}
