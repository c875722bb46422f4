//! References: which definitions are recursive, and everything else put in place of what refers to it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Keywords;

/// The definitions of a schema.
pub(super) struct Definitions<'a> {
    by_pointer: BTreeMap<String, Definition<'a>>,
}

pub(super) struct Definition<'a> {
    pub(super) name: String,
    pub(super) schema: &'a Value,
    pub(super) recursive: bool,
}

impl<'a> Definitions<'a> {
    /// Those of a schema without references.
    pub(super) fn none() -> Self {
        Self {
            by_pointer: BTreeMap::new(),
        }
    }

    pub(super) fn of(root: &'a Value) -> Self {
        let mut by_pointer = BTreeMap::new();
        // A recursive root refers to itself as `#`.
        let root_name = root.get("title").and_then(Value::as_str).unwrap_or("Root");
        by_pointer.insert("#".to_owned(), Definition::new(root_name, root));
        for keyword in ["$defs", "definitions"] {
            let definitions = root.get(keyword).and_then(Value::as_object);
            for (name, schema) in definitions.into_iter().flatten() {
                by_pointer.insert(format!("#/{keyword}/{name}"), Definition::new(name, schema));
            }
        }
        let mut definitions = Self { by_pointer };
        definitions.mark_recursive();
        definitions.make_names_unique();
        definitions
    }

    /// The definition that a `$ref` points to.
    pub(super) fn get(&self, reference: &str) -> Option<&Definition<'a>> {
        self.by_pointer.get(&decode(reference))
    }

    fn mark_recursive(&mut self) {
        let mut edges = BTreeMap::new();
        for (pointer, definition) in &self.by_pointer {
            let mut targets = BTreeSet::new();
            references(definition.schema, &mut targets);
            edges.insert(pointer.as_str(), targets);
        }
        let recursive: Vec<String> = edges
            .keys()
            .filter(|pointer| reaches_itself(pointer, &edges))
            .map(|pointer| (*pointer).to_owned())
            .collect();
        for pointer in recursive {
            if let Some(definition) = self.by_pointer.get_mut(&pointer) {
                definition.recursive = true;
            }
        }
    }

    fn make_names_unique(&mut self) {
        let mut taken = BTreeSet::new();
        // The others are inlined, and their names with them.
        for definition in self
            .by_pointer
            .values_mut()
            .filter(|definition| definition.recursive)
        {
            while !taken.insert(definition.name.clone()) {
                definition.name.push('_');
            }
        }
    }
}

impl<'a> Definition<'a> {
    fn new(name: &str, schema: &'a Value) -> Self {
        // Some hosts accept plain names only.
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        };
        Self {
            name: name.chars().map(plain).collect(),
            schema,
            recursive: false,
        }
    }
}

fn reaches_itself(start: &str, edges: &BTreeMap<&str, BTreeSet<String>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead: Vec<&str> = vec![start];
    while let Some(pointer) = ahead.pop() {
        for target in edges.get(pointer).into_iter().flatten() {
            if target == start {
                return true;
            }
            if seen.insert(target.as_str()) {
                ahead.push(target);
            }
        }
    }
    false
}

/// Whether there is anything to look up among the definitions of a schema.
pub(super) fn mentions_references(root: &Value) -> bool {
    let mut targets = BTreeSet::new();
    references(root, &mut targets);
    !targets.is_empty()
}

/// All references below a schema, its own definitions left out.
fn references(schema: &Value, targets: &mut BTreeSet<String>) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match (keyword.as_str(), value) {
                    ("$ref", Value::String(reference)) => {
                        targets.insert(decode(reference));
                    }
                    ("$defs" | "definitions" | "default" | "examples" | "enum" | "const", _) => {}
                    // Their names are no keywords.
                    ("properties" | "patternProperties", Value::Object(schemas)) => {
                        schemas
                            .values()
                            .for_each(|schema| references(schema, targets));
                    }
                    _ => references(value, targets),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, targets)),
        _ => {}
    }
}

/// A reference as the pointer it means: percent signs and tildes decoded.
fn decode(reference: &str) -> String {
    let mut bytes = Vec::with_capacity(reference.len());
    let mut rest = reference.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(hex.unwrap_or(*first));
        rest = if hex.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes)
        .replace("~1", "/")
        .replace("~0", "~")
}

/// Adds what `other` says to `keywords`, which wins where only one can.
///
/// # Errors
///
/// The keyword that both have and that cannot be merged.
pub(super) fn merge(keywords: &mut Keywords, other: &Keywords) -> Result<(), String> {
    for (keyword, theirs) in other {
        match (keyword.as_str(), keywords.get_mut(keyword), theirs) {
            ("$defs" | "definitions" | "$schema", _, _) => {}
            (_, None, _) => {
                keywords.insert(keyword.clone(), theirs.clone());
            }
            ("properties", Some(Value::Object(ours)), Value::Object(theirs)) => {
                for (name, schema) in theirs {
                    ours.entry(name.clone()).or_insert_with(|| schema.clone());
                }
            }
            ("required", Some(Value::Array(ours)), Value::Array(theirs)) => {
                for name in theirs {
                    if !ours.contains(name) {
                        ours.push(name.clone());
                    }
                }
            }
            ("oneOf" | "anyOf" | "allOf", Some(ours), theirs) if ours != theirs => {
                return Err(keyword.clone());
            }
            _ => {}
        }
    }
    Ok(())
}
