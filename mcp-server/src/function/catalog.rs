//! [`Catalog`]: the functions of one kind, as they are found and listed.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// The functions of one kind by name (tools, prompts) or by URI (resources, templates).
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// In the order in which they were registered.
    keys: Vec<&'static str>,
    by_key: HashMap<&'static str, usize>,
    pages: Vec<Page>,
    /// Which page a cursor means.
    by_cursor: HashMap<String, usize>,
}

/// One function of a catalog.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What it is found by.
    pub(crate) key: &'static str,
    /// Which of the server's functions it is.
    pub(crate) function: usize,
    /// What the list says of it.
    pub(crate) json: String,
}

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    /// The entries, separated by commas.
    pub(crate) json: String,
    pub(crate) next_cursor: Option<String>,
}

/// A cursor that this server did not give.
#[derive(Debug)]
pub(crate) struct UnknownCursor;

impl Catalog {
    /// Divides the functions into pages.
    ///
    /// A cursor names the first entry of its page, so that it means the same after a restart and on
    /// every replica.
    ///
    /// Specification: server/utilities/pagination.
    pub(crate) fn new(entries: Vec<Entry>, page_size: usize) -> Self {
        let mut catalog = Self::default();
        for entry in &entries {
            catalog.keys.push(entry.key);
            catalog.by_key.insert(entry.key, entry.function);
        }
        let mut chunks = entries.chunks(page_size.max(1)).peekable();
        if chunks.peek().is_none() {
            catalog.pages.push(Page {
                json: String::new(),
                next_cursor: None,
            });
        }
        while let Some(chunk) = chunks.next() {
            let first = chunk.first().map(|entry| cursor(entry.key));
            if let Some(first) = first {
                catalog.by_cursor.insert(first, catalog.pages.len());
            }
            let mut json = String::with_capacity(chunk.iter().map(|e| e.json.len() + 1).sum());
            for (index, entry) in chunk.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                json.push_str(&entry.json);
            }
            let next = chunks.peek().and_then(|next| next.first());
            catalog.pages.push(Page {
                json,
                next_cursor: next.map(|first| cursor(first.key)),
            });
        }
        catalog
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What is in it, in the order of the list.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.keys.iter().copied()
    }

    /// The function of this name or URI.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The page that a cursor means; the first one without a cursor.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Result<&Page, UnknownCursor> {
        let page = match cursor {
            None => 0,
            Some(cursor) => *self.by_cursor.get(cursor).ok_or(UnknownCursor)?,
        };
        self.pages.get(page).ok_or(UnknownCursor)
    }
}

/// The cursor of the page that begins with an entry.
fn cursor(key: &str) -> String {
    URL_SAFE_NO_PAD.encode(key)
}
