//! [`Catalog`]: the functions of one kind, as they are found and listed.
//!
//! Motivation: most lists are the same for every caller and hardly ever change. So their pages are written once, and anew only
//! after something was switched. Where callers see different things, a page is written for each request.

use std::{
    cmp::Ordering,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{self, AtomicU64},
    },
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::Bound;
use crate::state::Principal;

/// The functions of one kind by name (tools, prompts) or by URI (resources, templates).
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// In the order in which they were registered.
    entries: Vec<Entry>,
    /// Where each of them is, in the order of their keys: by length, then by bytes.
    by_key: Vec<usize>,
    /// The place in `by_key` at which the keys of each length begin, and at last its end: most keys are told apart by their
    /// length.
    of_length: Vec<usize>,
    page_size: usize,
    /// Whether callers see different entries.
    per_caller: bool,
    /// Whether the list goes on with what providers have.
    provided: bool,
    /// Goes up when something is switched.
    generation: AtomicU64,
    /// What every caller sees.
    pages: RwLock<Arc<Pages>>,
}

/// One function of a catalog.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// What it is found by.
    pub(crate) key: &'static str,
    /// Which of the server's functions it is.
    pub(crate) function: usize,
}

/// The whole list, as it was in a generation.
#[derive(Debug, Default)]
struct Pages {
    generation: u64,
    /// By the entry that each begins at; never empty.
    pages: Vec<(usize, Arc<Page>)>,
}

/// One page of a list.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The entries, separated by commas.
    pub(crate) json: String,
    /// How many there are.
    pub(crate) count: usize,
    pub(crate) next_cursor: Option<String>,
}

/// A cursor that this server did not give.
#[derive(Debug)]
pub(crate) struct UnknownCursor;

impl Catalog {
    /// Divides the functions into pages.
    pub(crate) fn new(
        entries: Vec<Entry>,
        provided: bool,
        page_size: usize,
        functions: &[Bound],
    ) -> Self {
        let mut by_key = Vec::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            let is_before = |&other: &usize| order(entries[other].key, entry.key).is_lt();
            let place = by_key.partition_point(is_before);
            by_key.insert(place, at);
        }
        let longest = by_key.last().map_or(0, |&at| entries[at].key.len());
        let of_length = (0..=longest + 1)
            .map(|length| by_key.partition_point(|&at| entries[at].key.len() < length))
            .collect();
        let per_caller = |entry: &Entry| functions[entry.function].access.is_per_caller();
        let mut catalog = Self {
            by_key,
            of_length,
            page_size: page_size.max(1),
            per_caller: entries.iter().any(per_caller),
            provided,
            entries,
            ..Self::default()
        };
        catalog.pages = RwLock::new(Arc::new(catalog.divide(functions, 0)));
        catalog
    }

    /// Whether nothing will ever be in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.provided
    }

    /// Whether callers may see different lists. What providers say depends on the caller, as far as anybody knows.
    pub(crate) fn is_per_caller(&self) -> bool {
        self.per_caller || self.provided
    }

    /// What is in it, in the order of the list.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries.iter().map(|entry| entry.key)
    }

    /// The function of this name or URI, switched on or not.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        self.place(key).map(|at| self.entries[at].function)
    }

    /// Which entry has this key.
    fn place(&self, key: &str) -> Option<usize> {
        let begin = *self.of_length.get(key.len())?;
        let end = *self.of_length.get(key.len() + 1)?;
        let of_length = &self.by_key[begin..end];
        let compare = |&at: &usize| self.entries[at].key.cmp(key);
        let place = of_length.binary_search_by(compare).ok()?;
        Some(of_length[place])
    }

    /// Something was switched: the list is another from now on.
    pub(crate) fn switched(&self) {
        self.generation.fetch_add(1, atomic::Ordering::AcqRel);
    }

    /// The page that a cursor means, as a caller sees it; the first one without a cursor.
    ///
    /// A cursor names an entry, so that it means the same after a restart, on every replica, and after that entry was switched
    /// off: the page begins there, or behind it.
    ///
    /// Specification: server/utilities/pagination.
    pub(crate) fn page(
        &self,
        functions: &[Bound],
        cursor: Option<&str>,
        principal: &Principal,
    ) -> Result<Arc<Page>, UnknownCursor> {
        let begin = match cursor {
            None => 0,
            // Anybody can write a cursor: that of a hidden entry is as unknown as that of none.
            Some(cursor) => self
                .position(cursor)
                .filter(|&at| {
                    let function = &functions[self.entries[at].function];
                    function.access.is_shown_to(principal)
                })
                .ok_or(UnknownCursor)?,
        };
        if self.per_caller {
            let shows = |function: usize| functions[function].access.allows(principal);
            return Ok(Arc::new(self.write(functions, begin, shows).0));
        }
        let pages = self.current(functions);
        let page = pages.pages.binary_search_by_key(&begin, |(at, _)| *at);
        Ok(match page {
            Ok(page) => Arc::clone(&pages.pages[page].1),
            // The cursor is of another generation.
            Err(_) => Arc::new(self.write(functions, begin, is_on(functions)).0),
        })
    }

    /// The pages of this generation.
    fn current(&self, functions: &[Bound]) -> Arc<Pages> {
        let generation = self.generation.load(atomic::Ordering::Acquire);
        {
            let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
            if pages.generation == generation {
                return Arc::clone(&pages);
            }
        }
        let pages = Arc::new(self.divide(functions, generation));
        let mut latest = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if latest.generation < generation {
            *latest = Arc::clone(&pages);
        }
        pages
    }

    fn divide(&self, functions: &[Bound], generation: u64) -> Pages {
        let mut pages = Vec::new();
        let mut begin = Some(0);
        while let Some(at) = begin {
            let (page, next) = self.write(functions, at, is_on(functions));
            pages.push((at, Arc::new(page)));
            begin = next;
        }
        Pages { generation, pages }
    }

    /// Writes the page that begins at an entry; tells where the next one does.
    fn write(
        &self,
        functions: &[Bound],
        begin: usize,
        shows: impl Fn(usize) -> bool,
    ) -> (Page, Option<usize>) {
        let mut shown = (begin..self.entries.len()).filter(|&at| shows(self.entries[at].function));
        let mut page = Page::default();
        for at in shown.by_ref().take(self.page_size) {
            if !page.json.is_empty() {
                page.json.push(',');
            }
            page.json
                .push_str(&functions[self.entries[at].function].json);
            page.count += 1;
        }
        let next = shown.next();
        page.next_cursor = next.map(|at| cursor(self.entries[at].key));
        (page, next)
    }

    fn position(&self, cursor: &str) -> Option<usize> {
        let key = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        self.place(std::str::from_utf8(&key).ok()?)
    }
}

fn order(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn is_on(functions: &[Bound]) -> impl Fn(usize) -> bool + '_ {
    |function| functions[function].access.is_on()
}

/// The cursor of a page that begins with an entry.
fn cursor(key: &str) -> String {
    URL_SAFE_NO_PAD.encode(key)
}
