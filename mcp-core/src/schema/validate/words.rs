//! What was expected, in words.

use serde_json::Value;

use super::node::Node;
use super::violation::with_article;
use crate::text::joined;

/// Keys longer than this are cut where they are repeated.
const MAX_KEY: usize = 64;
/// Of longer lists of allowed values or known keys, this many are told.
const MAX_LISTED: usize = 24;

/// What a node expects, to be read after "must be".
pub(super) fn expected(node: &Node, definitions: &[Node]) -> String {
    if let Some(allowed) = &node.allowed {
        return one_of(allowed);
    }
    if let Some(types) = node.types {
        let mut names = Vec::new();
        for name in types.names() {
            names.push(with_article(name));
        }
        return any_of_texts(names);
    }
    if let Some(target) = node.reference.and_then(|index| definitions.get(index))
        && target.reference.is_none()
    {
        return expected(target, &[]);
    }
    match &node.any_of {
        Some(alternatives) => expected_of_any(&alternatives.nodes, &[]),
        None => "present".to_owned(),
    }
}

pub(super) fn expected_of_any(nodes: &[Node], definitions: &[Node]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for node in nodes {
        let text = expected(node, definitions);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    any_of_texts(texts)
}

fn any_of_texts(mut texts: Vec<String>) -> String {
    match texts.pop() {
        Some(last) if texts.is_empty() => last,
        Some(last) => format!("{} or {last}", joined(&texts, ", ")),
        None => "present".to_owned(),
    }
}

pub(super) fn one_of(allowed: &[Value]) -> String {
    if let [only] = allowed {
        return only.to_string();
    }
    let mut texts = Vec::with_capacity(allowed.len());
    for value in allowed {
        texts.push(value.to_string());
    }
    format!("one of {}", listed(texts))
}

pub(super) fn listed(mut texts: Vec<String>) -> String {
    let more = texts.len().saturating_sub(MAX_LISTED);
    texts.truncate(MAX_LISTED);
    let listed = joined(&texts, ", ");
    if more == 0 {
        listed
    } else {
        format!("{listed} and {more} more")
    }
}

/// A key as it may be repeated to a model: cut, and without control characters.
pub(super) fn shown(key: &str) -> String {
    let mut shown = String::with_capacity(key.len().min(MAX_KEY));
    for (i, c) in key.chars().enumerate() {
        if i == MAX_KEY {
            shown.push('…');
            break;
        }
        shown.push(if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        });
    }
    shown
}
