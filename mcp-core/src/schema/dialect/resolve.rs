//! References: which definitions are recursive, and everything else put in place of what refers to it.

use std::mem;

use serde_json::Value;

use super::Keywords;
use crate::schema::object::{add, set, text};
use crate::schema::place::unescape;

/// The definitions of a schema: few, so they are looked for one after the other.
pub(super) struct Definitions<'a>(Vec<Definition<'a>>);

pub(super) struct Definition<'a> {
    pointer: String,
    pub(super) name: String,
    pub(super) schema: &'a Value,
    pub(super) recursive: bool,
}

impl<'a> Definitions<'a> {
    /// Those of a schema without references.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    pub(super) fn of(root: &'a Value) -> Self {
        let mut all = Vec::new();
        let Value::Object(keywords) = root else {
            return Self(all);
        };
        // A recursive root refers to itself as `#`.
        let root_name = text(keywords, "title").unwrap_or("Root");
        all.push(Definition::new("#".to_owned(), root_name, root));
        for keyword in ["$defs", "definitions"] {
            if let Some(Value::Object(definitions)) = keywords.get(keyword) {
                for (name, schema) in definitions {
                    all.push(Definition::new(format!("#/{keyword}/{name}"), name, schema));
                }
            }
        }
        let mut definitions = Self(all);
        definitions.mark_recursive();
        definitions.make_names_unique();
        definitions
    }

    /// The definition that a `$ref` points to.
    pub(super) fn get(&self, reference: &str) -> Option<&Definition<'a>> {
        self.place(reference).map(|place| &self.0[place])
    }

    fn place(&self, reference: &str) -> Option<usize> {
        let pointer = decode(reference);
        self.0
            .iter()
            .position(|definition| definition.pointer == pointer)
    }

    fn mark_recursive(&mut self) {
        let mut edges = Vec::new();
        for definition in &self.0 {
            let mut found = Vec::new();
            references(definition.schema, &mut found);
            let mut targets = Vec::new();
            for reference in found {
                if let Some(place) = self.place(reference)
                    && !targets.contains(&place)
                {
                    targets.push(place);
                }
            }
            edges.push(targets);
        }
        for (start, definition) in self.0.iter_mut().enumerate() {
            definition.recursive = reaches_itself(start, &edges);
        }
    }

    fn make_names_unique(&mut self) {
        let mut taken: Vec<String> = Vec::new();
        for definition in &mut self.0 {
            // The others are inlined, and their names with them.
            if definition.recursive {
                while taken.contains(&definition.name) {
                    definition.name.push('_');
                }
                taken.push(definition.name.clone());
            }
        }
    }
}

impl<'a> Definition<'a> {
    fn new(pointer: String, name: &str, schema: &'a Value) -> Self {
        let mut plain = String::with_capacity(name.len());
        for c in name.chars() {
            // Some hosts accept plain names only.
            let is_plain = c.is_ascii_alphanumeric() || c == '_';
            plain.push(if is_plain { c } else { '_' });
        }
        Self {
            pointer,
            name: plain,
            schema,
            recursive: false,
        }
    }
}

fn reaches_itself(start: usize, edges: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut ahead = vec![start];
    while let Some(place) = ahead.pop() {
        for target in &edges[place] {
            if *target == start {
                return true;
            }
            if !mem::replace(&mut seen[*target], true) {
                ahead.push(*target);
            }
        }
    }
    false
}

/// Whether there is anything to look up among the definitions of a schema.
pub(super) fn mentions_references(root: &Value) -> bool {
    let mut found = Vec::new();
    references(root, &mut found);
    !found.is_empty()
}

/// All references below a schema, its own definitions left out.
fn references<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match (keyword.as_str(), value) {
                    ("$ref", Value::String(reference)) => found.push(reference),
                    ("$defs" | "definitions" | "default" | "examples" | "enum" | "const", _) => {}
                    // Their names are no keywords.
                    ("properties" | "patternProperties", Value::Object(schemas)) => {
                        for schema in schemas.values() {
                            references(schema, found);
                        }
                    }
                    _ => references(value, found),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                references(item, found);
            }
        }
        _ => {}
    }
}

/// A reference as the pointer it means: percent signs and tildes decoded.
fn decode(reference: &str) -> String {
    let mut bytes = Vec::with_capacity(reference.len());
    let mut rest = reference.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = match (first, after) {
            (b'%', [high, low, ..]) => digit(*high).zip(digit(*low)),
            _ => None,
        };
        let (byte, length) = match hex {
            Some((high, low)) => (high * 16 + low, 3),
            None => (*first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    unescape(&String::from_utf8_lossy(&bytes))
}

fn digit(hex: u8) -> Option<u8> {
    match hex {
        b'0'..=b'9' => Some(hex - b'0'),
        b'a'..=b'f' => Some(hex - b'a' + 10),
        b'A'..=b'F' => Some(hex - b'A' + 10),
        _ => None,
    }
}

/// Adds what `other` says to `keywords`, which wins where only one can.
///
/// # Errors
///
/// What is wrong where a keyword comes from two sides and means one thing only.
pub(super) fn merge(keywords: &mut Keywords, other: &Keywords) -> Result<(), String> {
    for (keyword, theirs) in other {
        match (keyword.as_str(), keywords.get_mut(keyword), theirs) {
            ("$defs" | "definitions" | "$schema", _, _) => {}
            (_, None, _) => set(keywords, keyword, theirs.clone()),
            ("properties", Some(Value::Object(ours)), Value::Object(theirs)) => add(ours, theirs),
            ("required", Some(Value::Array(ours)), Value::Array(theirs)) => {
                for name in theirs {
                    if !ours.contains(name) {
                        ours.push(name.clone());
                    }
                }
            }
            ("oneOf" | "anyOf" | "allOf", Some(ours), theirs) if ours != theirs => {
                return Err(format!("has `{keyword}` twice: flatten one enum at most"));
            }
            _ => {}
        }
    }
    Ok(())
}
