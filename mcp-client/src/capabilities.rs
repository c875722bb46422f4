//! What this client can be asked for and what else it can do, as every request declares it.

use mcp_core::protocol::meta::key;
use serde_json::{Map, Value, json};

use crate::question::Kind;

/// The declared kinds of input, derived from the handlers (a session may add to them); and the extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    form: bool,
    url: bool,
    sampling: bool,
    sampling_tools: bool,
    roots: bool,
    /// Their settings, by identifier.
    extensions: Map<String, Value>,
}

impl Capabilities {
    /// Declares an extension.
    ///
    /// # Errors
    ///
    /// What the protocol does not allow about it.
    ///
    /// Specification: basic/versioning, Extension Negotiation.
    pub(crate) fn declare_extension(
        &mut self,
        name: String,
        settings: Value,
    ) -> Result<(), String> {
        if !name.contains('/') || !key::is_valid(&name) {
            return Err(format!(
                "{name:?} is no name for an extension; write a prefix of its owner and a name, as in com.example/thing"
            ));
        }
        if !settings.is_object() {
            return Err(format!(
                "the settings of the extension {name} are no object; give {{}} where there are none"
            ));
        }
        if self.extensions.contains_key(&name) {
            return Err(format!(
                "the extension {name} is declared twice; leave one out"
            ));
        }
        self.extensions.insert(name, settings);
        Ok(())
    }

    /// The same without any kind of input.
    pub(crate) fn without_kinds(self) -> Self {
        Self {
            extensions: self.extensions,
            ..Self::default()
        }
    }

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
        if !self.extensions.is_empty() {
            all.insert("extensions".to_owned(), self.extensions.clone().into());
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

    #[test]
    fn an_extension_has_a_name_with_a_prefix_and_settings() {
        let mut capabilities = Capabilities::default();
        for (name, settings, expected) in [
            ("charts", json!({}), "no name"),
            ("com.example/", json!({}), ""),
            ("com.example/charts", json!({"width": 8}), ""),
            ("com.example/charts", json!({}), "twice"),
            ("com.example/a/b", json!({}), "no name"),
            ("1st.example/charts", json!({}), "no name"),
            ("com..example/charts", json!({}), "no name"),
            ("com.example/-charts", json!({}), "no name"),
            ("/charts", json!({}), "no name"),
            ("", json!({}), "no name"),
            ("com.example/maps", json!(true), "no object"),
            ("com.example/maps", json!(null), "no object"),
            ("com.example/maps", json!([]), "no object"),
            // Whoever has an official one declares it.
            ("io.modelcontextprotocol/ui", json!({}), ""),
        ] {
            let declared = capabilities.declare_extension(name.to_owned(), settings);
            match declared {
                Ok(()) => assert_eq!(expected, "", "{name}"),
                Err(fault) => {
                    assert!(!expected.is_empty() && fault.contains(expected), "{fault}");
                }
            }
        }
        let expected = json!({"extensions": {
            "com.example/": {}, "com.example/charts": {"width": 8}, "io.modelcontextprotocol/ui": {},
        }});
        assert_eq!(capabilities.to_json(), expected);
        capabilities.declare(Kind::Roots);
        assert_eq!(capabilities.without_kinds().to_json(), expected);
    }
}
