//! Results that a server allows to be kept.
//!
//! Specification: server/utilities/caching. Only first requests get here: what came of answers or of a
//! state depends on more than the key says.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::inbox::Change;
use crate::session::Call;

/// The methods whose results may be kept.
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Nothing is kept for longer, whatever the server says: the clock cannot count to every number.
const MAX_TTL: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Results of **one server**, kept in memory for as long as it allows.
///
/// Each client has one of its own. Clients of the same server can be given clones of one: they then
/// share what the server calls public. What it calls private is used again only by clients of the same
/// [`cache_partition`](crate::Builder::cache_partition).
///
/// It holds at most 1,000 results and 16 MiB of them; those that were not used for the longest time go
/// first.
///
/// ```
/// use mcp_client::{Client, SharedCache};
///
/// let cache = SharedCache::new();
/// let for_anna = Client::builder("host", "1.0.0").cache(&cache).cache_partition("anna");
/// let for_ben = Client::builder("host", "1.0.0").cache(&cache).cache_partition("ben");
/// # drop((for_anna, for_ben));
/// ```
#[derive(Clone, Default)]
pub struct SharedCache {
    store: Arc<Mutex<Store>>,
}

/// Whose private results are whose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Partition {
    /// Of one client alone.
    Client(u64),
    /// Of all clients with the same authorization.
    Named(String),
}

impl Partition {
    pub(crate) fn of_one_client() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self::Client(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// A cache as one client sees it.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    shared: SharedCache,
    partition: Partition,
}

/// What a request asks for, and when: a notice or a clearing that comes before its answer makes the answer
/// stale.
#[derive(Debug)]
pub(crate) struct Lookup {
    method: String,
    target: String,
    params: String,
    changes: u64,
}

#[derive(Default)]
struct Store {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    uses: u64,
    changes: u64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    method: String,
    params: String,
    /// `None` for a public result.
    owner: Option<Partition>,
}

struct Entry {
    /// What was asked for: a resource's URI.
    target: String,
    result: Box<RawValue>,
    expires: Instant,
    last_use: u64,
}

impl SharedCache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, so that the server is asked again.
    pub fn clear(&self) {
        let mut store = self.store();
        // What is on its way now was asked for before, perhaps by somebody else.
        store.changes += 1;
        store.forget(|_, _| true);
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    pub(crate) fn new(shared: SharedCache, partition: Partition) -> Self {
        Self { shared, partition }
    }

    /// Prepares for a request; `None` if its result may not be kept. `beside` is what else may make a
    /// difference to the result.
    pub(crate) fn lookup(&self, call: &Call, beside: impl FnOnce() -> String) -> Option<Lookup> {
        if !CACHEABLE.contains(&call.method.as_str()) {
            return None;
        }
        let mut params = beside();
        for (name, value) in &call.fields {
            params.extend(["\n", name, "=", value]);
        }
        Some(Lookup {
            method: call.method.clone(),
            target: call.target.clone(),
            params,
            changes: self.shared.store().changes,
        })
    }

    /// The kept result, if there is one and it is still fresh.
    pub(crate) fn get(&self, lookup: &Lookup) -> Option<Box<RawValue>> {
        let mut store = self.shared.store();
        store.uses += 1;
        let (now, last_use) = (Instant::now(), store.uses);
        [Some(&self.partition), None].into_iter().find_map(|owner| {
            let entry = store.entries.get_mut(&lookup.key(owner.cloned()))?;
            entry.last_use = last_use;
            (now < entry.expires).then(|| entry.result.clone())
        })
    }

    /// Keeps a result that was received just now, if the server allows it.
    pub(crate) fn keep(&self, lookup: Lookup, result: &RawValue) {
        let Hints { ttl, public } = Hints::read(result);
        let owner = (!public).then(|| self.partition.clone());
        let key = lookup.key(owner);
        let mut store = self.shared.store();
        store.remove(&key);
        if ttl.is_zero() || store.changes != lookup.changes {
            return;
        }
        store.uses += 1;
        let entry = Entry {
            target: lookup.target,
            result: result.to_owned(),
            expires: Instant::now() + ttl,
            last_use: store.uses,
        };
        store.insert(key, entry);
    }

    /// Forgets what a notice of the server makes stale.
    pub(crate) fn changed(&self, change: &Change) {
        let mut store = self.shared.store();
        store.changes += 1;
        store.forget(|key, entry| match (change, key.method.as_str()) {
            (Change::Tools, "tools/list") | (Change::Prompts, "prompts/list") => true,
            (Change::Resources, "resources/list" | "resources/templates/list") => true,
            // The notice may name a part of the resource, and a part changes with the whole.
            (Change::Resource(uri), "resources/read") => {
                uri.starts_with(&entry.target) || entry.target.starts_with(uri)
            }
            _ => false,
        });
    }

    /// Forgets all results of a method; true if there were any.
    pub(crate) fn forget(&self, method: &str) -> bool {
        self.shared.store().forget(|key, _| key.method == method)
    }

    pub(crate) fn clear(&self) {
        self.shared.clear();
    }
}

impl Lookup {
    fn key(&self, owner: Option<Partition>) -> Key {
        Key {
            method: self.method.clone(),
            params: self.params.clone(),
            owner,
        }
    }
}

impl Store {
    fn insert(&mut self, key: Key, entry: Entry) {
        let bytes = size(&key, &entry);
        if bytes > MAX_BYTES {
            return;
        }
        if self.entries.len() >= MAX_ENTRIES || self.bytes + bytes > MAX_BYTES {
            let now = Instant::now();
            self.forget(|_, entry| entry.expires <= now);
        }
        while self.entries.len() >= MAX_ENTRIES || self.bytes + bytes > MAX_BYTES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.remove(&oldest);
        }
        self.bytes += bytes;
        self.entries.insert(key, entry);
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= size(key, &entry);
        }
    }

    fn forget(&mut self, stale: impl Fn(&Key, &Entry) -> bool) -> bool {
        let before = self.entries.len();
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| {
            let stale = stale(key, entry);
            if stale {
                *bytes -= size(key, entry);
            }
            !stale
        });
        self.entries.len() < before
    }
}

fn size(key: &Key, entry: &Entry) -> usize {
    key.params.len() + entry.target.len() + entry.result.get().len()
}

/// What a result says about itself.
struct Hints {
    ttl: Duration,
    public: bool,
}

impl Hints {
    fn read(result: &RawValue) -> Self {
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase")]
        struct Members<'a> {
            #[serde(borrow, default)]
            ttl_ms: Option<&'a RawValue>,
            #[serde(borrow, default)]
            cache_scope: Option<&'a RawValue>,
        }
        let members: Members<'_> = serde_json::from_str(result.get()).unwrap_or_default();
        let ttl = members.ttl_ms.and_then(|ttl| ttl.get().parse().ok());
        let ttl: f64 = ttl.unwrap_or_default();
        Self {
            // Less than zero counts as zero.
            ttl: Duration::from_secs_f64((ttl / 1e3).clamp(0.0, MAX_TTL.as_secs_f64())),
            public: members.cache_scope.map(RawValue::get) == Some(r#""public""#),
        }
    }
}

impl fmt::Debug for SharedCache {
    /// The results are the servers' and the users' business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = self.store();
        f.debug_struct("SharedCache")
            .field("entries", &store.entries.len())
            .field("bytes", &store.bytes)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(uri: &str) -> Call {
        let fields = vec![("uri".to_owned(), format!("{uri:?}"))];
        Call::new("resources/read", uri, fields)
    }

    fn keep(cache: &Cache, uri: &str, result: &str) {
        let lookup = cache.lookup(&read(uri), String::new).unwrap();
        cache.keep(lookup, serde_json::from_str(result).unwrap());
    }

    fn has(cache: &Cache, uri: &str) -> bool {
        let lookup = cache.lookup(&read(uri), String::new).unwrap();
        cache.get(&lookup).is_some()
    }

    fn cache() -> Cache {
        Cache::new(SharedCache::new(), Partition::of_one_client())
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_results_is_bounded_and_the_least_used_go_first() {
        let cache = cache();
        for n in 0..MAX_ENTRIES {
            keep(&cache, &format!("x://{n}"), r#"{"ttlMs":1000}"#);
        }
        assert!(has(&cache, "x://0"));
        keep(&cache, "x://new", r#"{"ttlMs":1000}"#);
        assert!(has(&cache, "x://0") && has(&cache, "x://new"));
        assert!(!has(&cache, "x://1"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_bytes_are_bounded() {
        let cache = cache();
        let result = |bytes: usize| format!(r#"{{"ttlMs":1000,"x":"{}"}}"#, "x".repeat(bytes));
        for n in 0..5 {
            keep(&cache, &format!("x://{n}"), &result(MAX_BYTES / 4));
        }
        assert!(cache.shared.store().bytes <= MAX_BYTES);
        assert!(!has(&cache, "x://0") && has(&cache, "x://4"));
        keep(&cache, "x://huge", &result(MAX_BYTES));
        assert!(!has(&cache, "x://huge") && has(&cache, "x://4"));
        cache.clear();
        assert_eq!(cache.shared.store().bytes, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ttl_of_any_size_and_form_is_survived() {
        let cache = cache();
        for (ttl, kept) in [
            ("1e300", true),
            ("18446744073709551616", true),
            ("0.5", true),
            ("-1", false),
            ("-0", false),
            ("null", false),
            (r#""1000""#, false),
            ("[]", false),
        ] {
            keep(&cache, "x://a", &format!(r#"{{"ttlMs":{ttl}}}"#));
            assert_eq!(has(&cache, "x://a"), kept, "{ttl}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_a_notice_overtook_is_not_kept() {
        let cache = cache();
        let lookup = cache.lookup(&read("x://a"), String::new).unwrap();
        cache.changed(&Change::Resource("x://a".to_owned()));
        cache.keep(lookup, serde_json::from_str(r#"{"ttlMs":1000}"#).unwrap());
        assert!(!has(&cache, "x://a"));
    }

    #[tokio::test(start_paused = true)]
    async fn debug_output_keeps_results_secret() {
        let cache = cache();
        keep(&cache, "x://hunter2", r#"{"ttlMs":1000,"x":"hunter2"}"#);
        let shown = format!("{cache:?}");
        assert!(
            !shown.contains("hunter2") && shown.contains("entries: 1"),
            "{shown}"
        );
    }
}
