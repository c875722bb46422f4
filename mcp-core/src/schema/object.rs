//! The few changes that schemas need of JSON objects. Each is one function: a map's own code is long, and once is enough.

use serde_json::{Map, Value};

use crate::text::sort;

/// Gives a member this value.
pub(super) fn set(object: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    insert(object, key, value.into());
}

#[inline(never)]
fn insert(object: &mut Map<String, Value>, key: &str, value: Value) {
    object.insert(key.to_owned(), value);
}

/// Removes a member.
#[inline(never)]
pub(super) fn take(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    object.remove(key)
}

/// Removes the members that are not wanted. The others keep their order, where a map has one.
#[inline(never)]
pub(super) fn keep(
    object: &mut Map<String, Value>,
    is_wanted: &mut dyn FnMut(&str, &Value) -> bool,
) {
    object.retain(|key, value| is_wanted(key, value));
}

/// Adds the members of another object; those that are there already stay as they are.
pub(super) fn add(object: &mut Map<String, Value>, others: &Map<String, Value>) {
    for (key, value) in others {
        if !object.contains_key(key) {
            insert(object, key, value.clone());
        }
    }
}

/// A member that is a string.
#[inline(never)]
pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// A member that is a list.
#[inline(never)]
pub(super) fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a [Value]> {
    object.get(key)?.as_array().map(Vec::as_slice)
}

/// A member that is an object.
#[inline(never)]
pub(super) fn nested<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Option<&'a Map<String, Value>> {
    object.get(key)?.as_object()
}

/// The names of the members in order, which a map need not have.
pub(super) fn sorted_names(object: &Map<String, Value>) -> Vec<&str> {
    let mut names = Vec::with_capacity(object.len());
    for name in object.keys() {
        names.push(name.as_str());
    }
    sort(&mut names);
    names
}

/// The texts of a list; `None` where it holds anything else.
pub(super) fn texts(list: &[Value]) -> Option<Vec<&str>> {
    let mut texts = Vec::new();
    for value in list {
        texts.push(value.as_str()?);
    }
    Some(texts)
}

/// Texts as a list of values.
pub(super) fn values(texts: &[&str]) -> Vec<Value> {
    texts.iter().copied().map(Value::from).collect()
}

/// Texts as they are owned.
pub(super) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}
