//! What a client wants to hear of, and how much of that it gets.
//!
//! Specification: basic/patterns/subscriptions, Notification Filter.

use mcp_core::{
    protocol::SubscriptionFilter,
    rpc::{ByName, RpcError},
};

/// The most resources that one subscription names.
const MAX_URIS: usize = 1024;

/// The most bytes of their URIs, which are kept for as long as it is open.
const MAX_BYTES: usize = 256 * 1024;

/// Some of the three lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lists(u8);

impl Lists {
    pub(crate) const TOOLS: Self = Self(1);
    pub(crate) const PROMPTS: Self = Self(2);
    pub(crate) const RESOURCES: Self = Self(4);

    /// These, and those where the condition holds.
    #[must_use]
    pub(crate) fn with(self, others: Self, condition: bool) -> Self {
        Self(self.0 | if condition { others.0 } else { 0 })
    }

    /// Those that are in both.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notifications that tell of changes to these.
    pub(super) fn methods(self) -> impl Iterator<Item = &'static str> {
        [
            (Self::TOOLS, "notifications/tools/list_changed"),
            (Self::PROMPTS, "notifications/prompts/list_changed"),
            (Self::RESOURCES, "notifications/resources/list_changed"),
        ]
        .into_iter()
        .filter_map(move |(list, method)| self.contains(list).then_some(method))
    }
}

/// Which changes a subscription is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(super) lists: Lists,
    /// Each once.
    pub(super) uris: Box<[Box<str>]>,
}

impl Filter {
    /// Reads the filter of a request.
    ///
    /// # Errors
    ///
    /// `-32602` where it is not there, or no filter.
    pub(super) fn read(notifications: Option<&str>) -> Result<Self, RpcError> {
        let Some(notifications) = notifications else {
            return Err(RpcError::invalid_params(
                "`notifications` is missing; it says which changes to listen for",
            ));
        };
        let read = serde_json::from_str::<ByName<SubscriptionFilter>>(notifications);
        let Ok(ByName(members)) = read else {
            return Err(RpcError::invalid_params(
                "`notifications` must be an object, `toolsListChanged`, `promptsListChanged` and \
                 `resourcesListChanged` in it booleans, `resourceSubscriptions` an array of strings",
            ));
        };
        let mut uris: Vec<Box<str>> = Vec::new();
        let mut bytes = 0;
        for uri in members.resource_subscriptions.unwrap_or_default() {
            if let Err(place) = uris.binary_search_by(|known| (**known).cmp(&uri)) {
                bytes += uri.len();
                uris.insert(place, uri.into());
            }
            if uris.len() > MAX_URIS || bytes > MAX_BYTES {
                return Err(RpcError::invalid_params(format!(
                    "`resourceSubscriptions` names more than {MAX_URIS} resources, or has more than \
                     {MAX_BYTES} bytes of URIs; open several subscriptions"
                )));
            }
        }
        Ok(Self {
            lists: Lists::default()
                .with(Lists::TOOLS, members.tools_list_changed == Some(true))
                .with(Lists::PROMPTS, members.prompts_list_changed == Some(true))
                .with(
                    Lists::RESOURCES,
                    members.resources_list_changed == Some(true),
                ),
            uris: uris.into(),
        })
    }

    /// All changes of these lists.
    pub(crate) fn of(lists: Lists) -> Self {
        Self {
            lists,
            ..Self::default()
        }
    }

    /// One resource more, if it is not there yet; says whether there was room for it.
    pub(super) fn add(&mut self, uri: &str) -> bool {
        if self.uris.iter().any(|known| **known == *uri) {
            return true;
        }
        let bytes: usize = self.uris.iter().map(|uri| uri.len()).sum();
        if self.uris.len() >= MAX_URIS || bytes + uri.len() > MAX_BYTES {
            return false;
        }
        let mut uris = std::mem::take(&mut self.uris).into_vec();
        uris.push(uri.into());
        self.uris = uris.into();
        true
    }

    /// As much of it as a server can keep to that has these lists and serves these resources.
    #[must_use]
    pub(super) fn honoured(self, lists: Lists, serves: impl Fn(&str) -> bool) -> Self {
        let mut uris = self.uris.into_vec();
        uris.retain(|uri| serves(uri));
        Self {
            lists: self.lists.and(lists),
            uris: uris.into(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.uris.is_empty()
    }

    /// As an acknowledgement says it: what is not kept to is left out.
    pub(super) fn to_protocol(&self) -> SubscriptionFilter {
        let list = |list| self.lists.contains(list).then_some(true);
        SubscriptionFilter {
            tools_list_changed: list(Lists::TOOLS),
            prompts_list_changed: list(Lists::PROMPTS),
            resources_list_changed: list(Lists::RESOURCES),
            resource_subscriptions: (!self.uris.is_empty())
                .then(|| self.uris.iter().map(|uri| uri.to_string()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    fn read(filter: &Value) -> Result<Filter, RpcError> {
        Filter::read(Some(&filter.to_string()))
    }

    #[test]
    fn all_four_members_are_read_and_said_again() {
        let filter = json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourcesListChanged": true,
            "resourceSubscriptions": ["a:1", "a:2"],
        });
        let read = read(&filter).unwrap();
        assert_eq!(
            serde_json::to_value(read.to_protocol()).unwrap(),
            filter,
            "{read:?}"
        );
    }

    #[test]
    fn what_is_false_or_absent_is_not_wanted() {
        for filter in [
            json!({}),
            json!({"toolsListChanged": false, "resourceSubscriptions": []}),
            json!({"somethingNewer": {"a": 1}}),
        ] {
            let read = read(&filter).unwrap();
            assert!(read.is_empty(), "{filter}");
            assert_eq!(serde_json::to_value(read.to_protocol()).unwrap(), json!({}));
        }
    }

    #[test]
    fn a_resource_that_is_named_twice_counts_once() {
        let read = read(&json!({"resourceSubscriptions": ["b:1", "a:1", "b:1"]})).unwrap();
        assert_eq!(*read.uris, ["a:1".into(), "b:1".into()]);
    }

    #[test]
    fn only_what_there_is_is_honoured() {
        let read = read(&json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourceSubscriptions": ["a:1", "b:1"],
        }))
        .unwrap();
        let honoured = read.honoured(Lists::TOOLS.with(Lists::RESOURCES, true), |uri| {
            uri == "b:1"
        });
        assert_eq!(
            serde_json::to_value(honoured.to_protocol()).unwrap(),
            json!({"toolsListChanged": true, "resourceSubscriptions": ["b:1"]})
        );
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let many: Vec<String> = (0..=MAX_URIS).map(|n| format!("a:{n}")).collect();
        let long: Vec<String> = (0..5)
            .map(|n| format!("a:{n}{}", "x".repeat(60_000)))
            .collect();
        for filter in [
            json!(null),
            json!([]),
            json!("toolsListChanged"),
            json!({"toolsListChanged": "yes"}),
            json!({"promptsListChanged": 1}),
            json!({"resourceSubscriptions": "a:1"}),
            json!({"resourceSubscriptions": [1]}),
            json!({"resourceSubscriptions": many}),
            json!({"resourceSubscriptions": long}),
        ] {
            let error = read(&filter).unwrap_err();
            assert_eq!(error.code, -32602, "{filter}");
        }
        let error = Filter::read(None).unwrap_err();
        assert!(error.message.contains("is missing"), "{error}");
    }
}
