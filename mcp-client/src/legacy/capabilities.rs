//! What servers may ask for, in the words of each revision.

use mcp_core::Revision;
use serde_json::{Map, Value, json};

use crate::capabilities::Capabilities;
use crate::question::Kind;

/// What of these capabilities there is in a revision.
pub(super) fn of(all: &Capabilities, revision: Revision) -> Capabilities {
    let mut some = Capabilities::default();
    [Kind::Form, Kind::Url, Kind::Sampling, Kind::Roots]
        .into_iter()
        .filter(|kind| all.has(*kind) && revision >= since(*kind))
        .for_each(|kind| some.declare(kind));
    if all.has_sampling_tools() && revision >= Revision::V2025_11_25 {
        some.declare_sampling_tools();
    }
    some
}

/// The revision that has this kind of question first.
fn since(kind: Kind) -> Revision {
    match kind {
        Kind::Sampling | Kind::Roots => Revision::V2024_11_05,
        Kind::Form => Revision::V2025_06_18,
        Kind::Url => Revision::V2025_11_25,
    }
}

/// The `capabilities` of `initialize`.
pub(super) fn to_json(all: &Capabilities, revision: Revision) -> Value {
    let declared = of(all, revision);
    let mut members = match declared.to_json() {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    // The modes are told apart since 2025-11-25.
    if revision < Revision::V2025_11_25 && declared.has(Kind::Form) {
        members.insert("elicitation".to_owned(), json!({}));
    }
    if declared.has(Kind::Roots) {
        members.insert("roots".to_owned(), json!({ "listChanged": true }));
    }
    Value::Object(members)
}

/// The `clientInfo` of `initialize`: descriptions have grown from one revision to the next.
pub(super) fn client_info(identity: &Value, revision: Revision) -> Value {
    let known: &[&str] = match revision {
        Revision::V2024_11_05 | Revision::V2025_03_26 => &["name", "version"],
        Revision::V2025_06_18 => &["name", "title", "version"],
        _ => return identity.clone(),
    };
    let members = known.iter().filter_map(|name| {
        let value = identity.get(name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    Value::Object(members.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_is_told_what_it_knows() {
        let mut all = Capabilities::default();
        [Kind::Form, Kind::Url, Kind::Roots]
            .into_iter()
            .for_each(|kind| all.declare(kind));
        all.declare_sampling_tools();
        let roots = json!({"listChanged": true});
        let oldest = json!({"sampling": {}, "roots": roots});
        assert_eq!(to_json(&all, Revision::V2024_11_05), oldest);
        assert_eq!(to_json(&all, Revision::V2025_03_26), oldest);
        assert_eq!(
            to_json(&all, Revision::V2025_06_18),
            json!({"sampling": {}, "roots": roots, "elicitation": {}})
        );
        assert_eq!(
            to_json(&all, Revision::V2025_11_25),
            json!({"sampling": {"tools": {}}, "roots": roots, "elicitation": {"form": {}, "url": {}}})
        );
    }

    #[test]
    fn what_was_not_declared_is_not_told() {
        let mut url = Capabilities::default();
        url.declare(Kind::Url);
        assert_eq!(to_json(&url, Revision::V2025_06_18), json!({}));
        assert_eq!(
            to_json(&url, Revision::V2025_11_25),
            json!({"elicitation": {"url": {}}})
        );
    }

    #[test]
    fn the_client_is_described_in_the_members_of_the_revision() {
        let whole =
            json!({"name": "n", "version": "1", "title": "N", "websiteUrl": "https://n.example"});
        for (revision, expected) in [
            (Revision::V2024_11_05, json!({"name": "n", "version": "1"})),
            (
                Revision::V2025_06_18,
                json!({"name": "n", "version": "1", "title": "N"}),
            ),
            (Revision::V2025_11_25, whole.clone()),
        ] {
            assert_eq!(client_info(&whole, revision), expected);
        }
    }
}
