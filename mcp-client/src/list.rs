//! Follows the pages of a list to their end, and notices when there is none.
//!
//! Specification: server/utilities/pagination.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::Error;
use crate::session::Call;

/// More pages than any list has; a server that invents cursors for ever is stopped here.
const MAX_PAGES: usize = 10_000;

/// Hands every item of every page to `each`. `items` is the name of the member they are in.
pub(crate) async fn pages(
    client: &Client,
    method: &str,
    items: &str,
    mut each: impl FnMut(&RawValue),
) -> Result<(), Error> {
    let endless = |reason: &str| Error::EndlessList {
        method: method.to_owned(),
        reason: reason.to_owned(),
    };
    let mut seen = HashSet::new();
    let mut fields = Vec::new();
    for _ in 0..MAX_PAGES {
        let call = Call::new(method, method, fields);
        let result = client.plain(call).await?;
        let page = Page::read(method, items, &result)?;
        page.items.iter().for_each(|item| each(item));
        // An empty string is a cursor like any other.
        let Some(cursor) = page.next else {
            return Ok(());
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
