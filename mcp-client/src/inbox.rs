//! What has come over one subscription and was not yet looked at. No I/O.
//!
//! Motivation: a server may say two hundred times that its tools have changed, and a host that asked for
//! the list each time would never be done. Each change stands here once: what comes while the host
//! fetches makes one more fetch, and a server that announces a change after every fetch is met with
//! growing pauses.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_core::protocol::{
    ResourceUpdatedNotificationParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::cache::Cache;
use crate::excerpt::Excerpt;
use crate::tally::Tally;

/// How many changes wait for a host that does not look; further ones are dropped.
const MAX_WAITING: usize = 10_000;

/// How much text their URIs have, all of them together. A single one is taken whatever its length.
const MAX_BYTES: usize = crate::transport::DEFAULT_MAX_MESSAGE;

/// The pause before the same list is reported again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What a server says has changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or that of templates.
    Resources,
    /// The resource of this URI. It may be a part of the one that was subscribed to.
    Resource(String),
}

impl Change {
    /// A resource's content changes for reasons of its own; a list may change because it was fetched.
    fn is_list(&self) -> bool {
        !matches!(self, Self::Resource(_))
    }

    /// The resource's; nothing where it is a list.
    fn uri(&self) -> &str {
        match self {
            Self::Resource(uri) => uri,
            Self::Tools | Self::Prompts | Self::Resources => "",
        }
    }
}

/// Filled by the task that reads, emptied by the one that waits for changes.
#[derive(Debug)]
pub(crate) struct Inbox {
    wanted: SubscriptionFilter,
    cache: Option<Cache>,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    acknowledged: Option<SubscriptionFilter>,
    fault: Option<String>,
    waiting: VecDeque<Change>,
    /// How much text that is.
    bytes: usize,
    reported: Vec<(Change, Pace)>,
    /// What the server should not have said.
    ignored: Tally,
}

/// When a list may be reported again.
#[derive(Clone, Copy, Debug)]
struct Pace {
    at: Instant,
    pause: Duration,
}

/// What there is to report.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Change(Change),
    /// Nothing before this time.
    NotBefore(Instant),
    Nothing,
}

impl Inbox {
    pub(crate) fn new(wanted: SubscriptionFilter, cache: Option<Cache>) -> Self {
        Self {
            wanted,
            cache,
            state: Mutex::default(),
            news: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a notification that carries the subscription's id.
    pub(crate) fn take(&self, method: &str, params: &RawValue) {
        if let Err(fault) = self.read(method, params) {
            self.state().fault.get_or_insert(fault);
        }
        self.news.notify_one();
    }

    /// The error is one that ends the subscription.
    fn read(&self, method: &str, params: &RawValue) -> Result<(), String> {
        if method == "notifications/subscriptions/acknowledged" {
            let params: SubscriptionsAcknowledgedNotificationParams = parse(method, params)?;
            let mut state = self.state();
            if state.acknowledged.is_none() {
                state.acknowledged = Some(params.notifications);
            } else if state
                .ignored
                .is_first("a second acknowledgement of a subscription")
            {
                tracing::warn!(target: "mcp_client", "a second acknowledgement of a subscription; ignored");
            }
            return Ok(());
        }
        // Specification: basic/patterns/subscriptions, Acknowledgment.
        if self.state().acknowledged.is_none() {
            return Err(format!("{method} came before the acknowledgement"));
        }
        let change = match method {
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => {
                let params = parse::<ResourceUpdatedNotificationParams>(method, params);
                match params {
                    Ok(params) => Change::Resource(params.uri),
                    Err(reason) => {
                        if self.is_first("a malformed notification") {
                            tracing::warn!(target: "mcp_client", reason = %Excerpt(reason), "a malformed notification; ignored");
                        }
                        return Ok(());
                    }
                }
            }
            _ => {
                if self.is_first("no notification of a subscription") {
                    tracing::warn!(target: "mcp_client", method = %Excerpt(method), "no notification of a subscription; ignored");
                }
                return Ok(());
            }
        };
        if self.is_wanted(&change) {
            self.add(change);
        } else if self.is_first("a notification that was not asked for") {
            tracing::warn!(target: "mcp_client", method = %Excerpt(method), "a notification that was not asked for; ignored");
        }
        Ok(())
    }

    /// Whether this kind of thing has not been in the log yet. It is counted either way.
    fn is_first(&self, kind: &'static str) -> bool {
        self.state().ignored.is_first(kind)
    }

    fn is_wanted(&self, change: &Change) -> bool {
        let wanted = &self.wanted;
        match change {
            Change::Tools => wanted.tools_list_changed == Some(true),
            Change::Prompts => wanted.prompts_list_changed == Some(true),
            Change::Resources => wanted.resources_list_changed == Some(true),
            // It may be a part of one that was asked for, and only the server knows of what.
            Change::Resource(_) => wanted.resource_subscriptions.is_some(),
        }
    }

    fn add(&self, change: Change) {
        if let Some(cache) = &self.cache {
            cache.changed(&change);
        }
        let mut state = self.state();
        if state.waiting.contains(&change) {
            return;
        }
        if !state.has_room_for(&change) {
            if state
                .ignored
                .is_first("a change beyond those that may wait")
            {
                let uri = Excerpt(change.uri());
                tracing::warn!(target: "mcp_client", %uri, "too many changes wait; one was dropped");
            }
            return;
        }
        state.bytes += change.uri().len();
        state.waiting.push_back(change);
    }

    /// Whatever was agreed to may have changed while nobody listened.
    pub(crate) fn assume_changes(&self, honoured: &SubscriptionFilter) {
        let lists = [
            (honoured.tools_list_changed, Change::Tools),
            (honoured.prompts_list_changed, Change::Prompts),
            (honoured.resources_list_changed, Change::Resources),
        ];
        let lists = lists
            .into_iter()
            .filter(|(agreed, _)| *agreed == Some(true));
        let resources = honoured.resource_subscriptions.iter().flatten();
        lists
            .map(|(_, change)| change)
            .chain(resources.cloned().map(Change::Resource))
            .for_each(|change| self.add(change));
        self.news.notify_one();
    }

    /// Takes out the next change that may be reported.
    pub(crate) fn next(&self, now: Instant) -> Next {
        let mut state = self.state();
        let ready = state
            .waiting
            .iter()
            .position(|change| state.not_before(change).is_none_or(|at| at <= now));
        if let Some(change) = ready.and_then(|place| state.waiting.remove(place)) {
            state.bytes -= change.uri().len();
            state.report(&change, now);
            return Next::Change(change);
        }
        let times = state
            .waiting
            .iter()
            .filter_map(|change| state.not_before(change));
        times.min().map_or(Next::Nothing, Next::NotBefore)
    }

    /// Waits until something came, however long ago.
    pub(crate) async fn news(&self) {
        self.news.notified().await;
    }

    pub(crate) fn acknowledged(&self) -> Option<SubscriptionFilter> {
        self.state().acknowledged.clone()
    }

    /// Ends the subscription for this reason.
    #[cfg(feature = "legacy")]
    pub(crate) fn fail(&self, reason: &str) {
        self.state().fault.get_or_insert_with(|| reason.to_owned());
        self.news.notify_one();
    }

    /// What the server did wrong, if that ends the subscription.
    pub(crate) fn fault(&self) -> Option<String> {
        self.state().fault.clone()
    }

    /// Before another request: what came is kept, and another acknowledgement is to come.
    pub(crate) fn expect_acknowledgement(&self) {
        self.state().acknowledged = None;
    }
}

impl State {
    fn has_room_for(&self, change: &Change) -> bool {
        let bytes = self.bytes + change.uri().len();
        self.waiting.is_empty() || self.waiting.len() < MAX_WAITING && bytes <= MAX_BYTES
    }

    fn not_before(&self, change: &Change) -> Option<Instant> {
        let mut reported = self.reported.iter();
        let (_, pace) = reported.find(|(known, _)| known == change)?;
        pace.at.checked_add(pace.pause)
    }

    /// Two reports close to each other double the pause, and a calm while ends it.
    fn report(&mut self, change: &Change, now: Instant) {
        if !change.is_list() {
            return;
        }
        let first = Pace {
            at: now,
            pause: FIRST_PAUSE,
        };
        match self.reported.iter_mut().find(|(known, _)| known == change) {
            Some((_, pace)) if now.duration_since(pace.at) < pace.pause * 2 => {
                pace.pause = (pace.pause * 2).min(LONGEST_PAUSE);
                pace.at = now;
            }
            Some((_, pace)) => *pace = first,
            None => self.reported.push((change.clone(), first)),
        }
    }
}

fn parse<T: DeserializeOwned>(method: &str, params: &RawValue) -> Result<T, String> {
    serde_json::from_str(params.get()).map_err(|e| format!("{method}: {e}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;
    use crate::tally::testing::logged;

    fn inbox() -> Inbox {
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            resource_subscriptions: Some(vec!["x://a".to_owned()]),
            ..SubscriptionFilter::default()
        };
        let inbox = Inbox::new(wanted.clone(), None);
        notify(
            &inbox,
            "subscriptions/acknowledged",
            json!({"notifications": wanted}),
        );
        inbox
    }

    fn notify(inbox: &Inbox, method: &str, params: serde_json::Value) {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        inbox.take(&format!("notifications/{method}"), &params);
    }

    #[tokio::test(start_paused = true)]
    async fn each_change_waits_once_in_the_order_of_arrival() {
        let inbox = inbox();
        for _ in 0..200 {
            notify(&inbox, "resources/updated", json!({"uri": "x://a/b"}));
            notify(&inbox, "tools/list_changed", json!({}));
        }
        let now = Instant::now();
        let resource = Change::Resource("x://a/b".to_owned());
        assert_eq!(inbox.next(now), Next::Change(resource));
        assert_eq!(inbox.next(now), Next::Change(Change::Tools));
        assert_eq!(inbox.next(now), Next::Nothing);
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_changes_at_each_look_is_reported_ever_more_slowly() {
        let inbox = inbox();
        let start = Instant::now();
        let mut now = start;
        let mut reports = 0;
        while now < start + Duration::from_secs(60) {
            notify(&inbox, "tools/list_changed", json!({}));
            match inbox.next(now) {
                Next::Change(_) => reports += 1,
                Next::NotBefore(at) => now = at,
                Next::Nothing => panic!("a change waits"),
            }
        }
        assert!((5..=14).contains(&reports), "{reports}");
        // After a calm while it is reported at once again.
        now += LONGEST_PAUSE * 2;
        assert_eq!(inbox.next(now), Next::Change(Change::Tools));
        notify(&inbox, "tools/list_changed", json!({}));
        assert_eq!(inbox.next(now), Next::NotBefore(now + FIRST_PAUSE));
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_bounded() {
        let inbox = inbox();
        for n in 0..=MAX_WAITING {
            notify(
                &inbox,
                "resources/updated",
                json!({"uri": format!("x://a/{n}")}),
            );
        }
        assert_eq!(inbox.state().waiting.len(), MAX_WAITING);
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_bounded_in_size_as_well() {
        let inbox = inbox();
        let update = |name: &str, bytes: usize| {
            let uri = format!("{name}{}", "x".repeat(bytes - name.len()));
            inbox.add(Change::Resource(uri));
        };
        let half = MAX_BYTES / 2;
        for name in ["a", "b", "c"] {
            update(name, half);
        }
        let next = || match inbox.next(Instant::now()) {
            Next::Change(change) => Some((change.uri()[..1].to_owned(), change.uri().len())),
            _ => None,
        };
        let expected = |name: &str, bytes| Some((name.to_owned(), bytes));
        assert_eq!(next(), expected("a", half));
        update("d", half);
        assert_eq!(next(), expected("b", half));
        assert_eq!(next(), expected("d", half));
        assert_eq!(next(), None);
        // The transport has taken it, however long it is.
        update("e", 2 * MAX_BYTES);
        update("f", 3);
        assert_eq!(next(), expected("e", 2 * MAX_BYTES));
        assert_eq!(next(), None);
    }

    #[test]
    fn the_log_has_no_more_than_the_beginning_of_what_a_server_wrote() {
        let lines = logged(|| {
            let inbox = inbox();
            let long = "x\n".repeat(10_000);
            notify(&inbox, &long, json!({}));
            notify(&inbox, "resources/updated", json!({"uri": [long.as_str()]}));
            let full = "x".repeat(MAX_BYTES);
            notify(&inbox, "resources/updated", json!({"uri": full}));
            notify(&inbox, "resources/updated", json!({"uri": long}));
        });
        assert_eq!(lines.len(), 3, "{}", lines.len());
        for line in lines {
            assert!(line.len() < 1_000 && !line.contains('\n'), "{}", line.len());
        }
    }

    #[test]
    fn what_the_server_should_not_say_is_in_the_log_once_for_each_kind() {
        let lines = logged(|| {
            let inbox = inbox();
            for n in 0..1_000 {
                // The names are the server's, and make no kinds of their own.
                notify(&inbox, &format!("x/{n}"), json!({}));
                notify(&inbox, "prompts/list_changed", json!({}));
                notify(&inbox, "resources/updated", json!({"uri": n}));
                notify(
                    &inbox,
                    "subscriptions/acknowledged",
                    json!({"notifications": {}}),
                );
            }
        });
        let counts = lines.iter().filter(|line| line.contains("999 times more"));
        assert_eq!(counts.count(), 4, "{lines:#?}");
        assert_eq!(lines.len(), 8, "{lines:#?}");
    }
}
