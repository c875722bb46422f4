//! What this client can be asked for, as every request declares it.

use serde_json::{Map, Value, json};

use crate::question::Kind;

/// The declared kinds of input. Derived from the handlers; a session may add to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    form: bool,
    url: bool,
    sampling: bool,
    sampling_tools: bool,
    roots: bool,
}

impl Capabilities {
    pub(crate) fn declare(&mut self, kind: Kind) {
        match kind {
            Kind::Form => self.form = true,
            Kind::Url => self.url = true,
            Kind::Sampling => self.sampling = true,
            Kind::Roots => self.roots = true,
        }
    }

    pub(crate) fn declare_sampling_tools(&mut self) {
        self.sampling = true;
        self.sampling_tools = true;
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Form => self.form,
            Kind::Url => self.url,
            Kind::Sampling => self.sampling,
            Kind::Roots => self.roots,
        }
    }

    pub(crate) fn has_sampling_tools(&self) -> bool {
        self.sampling_tools
    }

    /// In the form of `ClientCapabilities`.
    pub(crate) fn to_json(&self) -> Value {
        let mut all = Map::new();
        // `elicitation: {}` would mean form mode, so the modes are always spelled out.
        let modes = [("form", self.form), ("url", self.url)];
        let modes: Map<_, _> = modes
            .into_iter()
            .filter(|(_, declared)| *declared)
            .map(|(mode, _)| (mode.to_owned(), json!({})))
            .collect();
        if !modes.is_empty() {
            all.insert("elicitation".to_owned(), Value::Object(modes));
        }
        if self.sampling_tools {
            all.insert("sampling".to_owned(), json!({ "tools": {} }));
        } else if self.sampling {
            all.insert("sampling".to_owned(), json!({}));
        }
        if self.roots {
            all.insert("roots".to_owned(), json!({}));
        }
        Value::Object(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declares_what_was_given_and_nothing_else() {
        let declared = |kinds: &[Kind]| {
            let mut capabilities = Capabilities::default();
            kinds.iter().for_each(|kind| capabilities.declare(*kind));
            capabilities.to_json()
        };
        assert_eq!(declared(&[]), json!({}));
        assert_eq!(
            declared(&[Kind::Form]),
            json!({"elicitation": {"form": {}}})
        );
        assert_eq!(declared(&[Kind::Url]), json!({"elicitation": {"url": {}}}));
        assert_eq!(
            declared(&[Kind::Form, Kind::Url]),
            json!({"elicitation": {"form": {}, "url": {}}})
        );
        assert_eq!(
            declared(&[Kind::Sampling, Kind::Roots]),
            json!({"sampling": {}, "roots": {}})
        );
    }
}
