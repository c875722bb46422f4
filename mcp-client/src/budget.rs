//! How much work a foreign schema may make.
//!
//! Motivation: a schema of a few dozen lines can describe billions of paths, by referring twice to
//! what refers twice to the next. So its parts are counted as a validator walks them, with every
//! reference followed, before it is given to one.
//!
//! Specification: basic/index, JSON Schema Usage, Composition-Keyword Resource Use.

use std::collections::{HashMap, HashSet};
use std::ptr;

use serde_json::Value;

/// Bounds on the schema as it is written.
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 20_000;

/// Bounds on the schema with its references followed.
const MAX_WALK_DEPTH: usize = 256;
const MAX_WALK: u64 = 100_000;

/// How many parts times bytes of a result are checked where the caller waits.
const QUICK: u64 = 50_000_000;

/// What a schema within the bounds amounts to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    parts: u64,
    /// It refers to itself, so the result decides how long a check takes.
    recursive: bool,
}

impl Effort {
    /// Whether checking a result of that length takes no time to speak of.
    pub(crate) fn is_quick(self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        !self.recursive && self.parts.saturating_mul(bytes) <= QUICK
    }
}

/// Counts a schema's parts; the error is which bound it exceeds.
pub(crate) fn measure(schema: &Value) -> Result<Effort, String> {
    let targets = survey(schema)?;
    let mut walk = Walk {
        targets,
        known: HashMap::new(),
        open: HashSet::from([ptr::from_ref(schema)]),
        recursive: false,
    };
    let parts = walk.count(schema, 1)?;
    if parts > MAX_WALK {
        return Err(format!(
            "it has more than {MAX_WALK} parts once its references are followed"
        ));
    }
    Ok(Effort {
        parts,
        recursive: walk.recursive,
    })
}

/// What a reference can lead to.
struct Targets<'a> {
    /// The document, and whatever has an identifier of its own.
    resources: Vec<&'a Value>,
    anchors: HashMap<&'a str, Vec<&'a Value>>,
}

/// Looks through the schema as it is written.
fn survey(schema: &Value) -> Result<Targets<'_>, String> {
    let mut targets = Targets {
        resources: vec![schema],
        anchors: HashMap::new(),
    };
    let mut open = vec![(schema, 1)];
    let mut nodes = 0;
    while let Some((node, depth)) = open.pop() {
        nodes += 1;
        if depth > MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
        }
        if nodes > MAX_NODES {
            return Err(format!("it has more than {MAX_NODES} parts"));
        }
        match node {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                open.extend(members.values().map(|item| (item, depth + 1)));
                let text = |key| members.get(key).and_then(Value::as_str);
                if depth > 1 && (text("$id").is_some() || text("id").is_some()) {
                    targets.resources.push(node);
                }
                for anchor in [text("$anchor"), text("$dynamicAnchor")]
                    .into_iter()
                    .flatten()
                {
                    targets.anchors.entry(anchor).or_default().push(node);
                }
            }
            _ => {}
        }
    }
    Ok(targets)
}

impl<'a> Targets<'a> {
    /// Everything that a reference may mean. Which one it is depends on identifiers around it; for
    /// an upper bound they all count.
    fn of(&self, reference: &str) -> Vec<&'a Value> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if fragment.is_empty() {
            let whole = if document.is_empty() { 1 } else { usize::MAX };
            return self.resources.iter().copied().take(whole).collect();
        }
        if fragment.starts_with('/') {
            let pointer = percent_decoded(fragment);
            let found = self.resources.iter();
            return found.filter_map(|node| node.pointer(&pointer)).collect();
        }
        self.anchors.get(fragment).cloned().unwrap_or_default()
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Walk<'a> {
    targets: Targets<'a>,
    /// The parts of what was referred to before.
    known: HashMap<*const Value, u64>,
    /// What is being counted further up.
    open: HashSet<*const Value>,
    recursive: bool,
}

impl<'a> Walk<'a> {
    fn count(&mut self, node: &'a Value, depth: usize) -> Result<u64, String> {
        if depth > MAX_WALK_DEPTH {
            return Err(format!(
                "its references lead more than {MAX_WALK_DEPTH} levels deep"
            ));
        }
        let mut parts: u64 = 1;
        match node {
            Value::Array(items) => {
                for item in items {
                    parts = parts.saturating_add(self.count(item, depth + 1)?);
                }
            }
            Value::Object(members) => {
                for (key, value) in members {
                    let more = match (key.as_str(), value) {
                        ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                            self.follow(reference, depth + 1)?
                        }
                        _ => self.count(value, depth + 1)?,
                    };
                    parts = parts.saturating_add(more);
                }
            }
            _ => {}
        }
        Ok(parts)
    }

    fn follow(&mut self, reference: &str, depth: usize) -> Result<u64, String> {
        let mut parts: u64 = 1;
        for target in self.targets.of(reference) {
            let address = ptr::from_ref(target);
            if let Some(known) = self.known.get(&address) {
                parts = parts.saturating_add(*known);
            } else if self.open.insert(address) {
                let counted = self.count(target, depth)?;
                self.open.remove(&address);
                self.known.insert(address, counted);
                parts = parts.saturating_add(counted);
            } else {
                self.recursive = true;
            }
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    /// `levels` definitions, each of which refers twice to the next.
    fn doubling(levels: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            let branch = |name: &str| json!({"allOf": [next, {"required": [name]}]});
            let both = json!({"anyOf": [branch("y"), branch("z")]});
            defs.insert(format!("d{level}"), both);
        }
        defs.insert(format!("d{levels}"), json!({"type": "object"}));
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    }

    #[test]
    fn a_schema_with_more_paths_than_parts_is_refused() {
        assert!(measure(&doubling(28)).unwrap_err().contains("references"));
        assert!(measure(&doubling(3)).unwrap().is_quick(1000));
    }

    #[test]
    fn the_paths_are_found_behind_anchors_identifiers_and_escapes() {
        for (from, to) in [
            ("#/$defs/", "#/%24defs/"),
            ("#/$defs/", "https://example.com/s#/$defs/"),
        ] {
            let text = doubling(28).to_string().replace(from, to);
            assert!(
                measure(&serde_json::from_str(&text).unwrap()).is_err(),
                "{to}"
            );
        }
        let mut text = doubling(28).to_string().replace("#/$defs/", "#");
        for level in 0..28 {
            let name = format!("\"d{level}\":{{");
            text = text.replace(&name, &format!("{name}\"$anchor\":\"d{level}\","));
        }
        assert!(measure(&serde_json::from_str(&text).unwrap()).is_err());
    }

    #[test]
    fn a_schema_may_refer_to_itself_but_is_not_quick() {
        let tree = json!({"type": "object", "properties": {"children": {"items": {"$ref": "#"}}}});
        let effort = measure(&tree).unwrap();
        assert!(effort.recursive && !effort.is_quick(10));
        let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
        assert!(measure(&circle).unwrap().recursive);
    }

    #[test]
    fn a_long_chain_of_references_is_refused() {
        let mut defs = serde_json::Map::new();
        for level in 0..2000 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), next);
        }
        defs.insert("d2000".to_owned(), json!(true));
        let chain = json!({"$ref": "#/$defs/d0", "$defs": defs});
        assert!(measure(&chain).unwrap_err().contains("256 levels"));
    }
}
