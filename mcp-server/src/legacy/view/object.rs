//! A JSON object as its members in order, each value as its text: what is not touched passes byte for byte.

use std::{borrow::Cow, mem};

use mcp_core::rpc::write_str;
use serde_json::value::RawValue;

use crate::parameters::Members;

/// An object whose values nobody has read.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Object<'a> {
    /// The object of this text, which is JSON, if it is one.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        let members = Members::of(json).map(|member| {
            let (name, json) = member?;
            Some((name, Cow::Borrowed(json)))
        });
        members.collect::<Option<_>>().map(Self)
    }

    /// The JSON of a member.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, json) = self.0.iter().find(|(known, _)| known == name)?;
        Some(json)
    }

    /// A member that is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    pub(super) fn remove_all(&mut self, names: &[&str]) {
        self.0.retain(|(known, _)| !names.contains(&&**known));
    }

    /// Removes the members whose names begin so.
    pub(super) fn remove_prefixed(&mut self, prefix: &str) {
        self.0.retain(|(known, _)| !known.starts_with(prefix));
    }

    /// Sets a member to this JSON: where it stands, or as the last one.
    pub(super) fn set(&mut self, name: &str, json: impl Into<Cow<'a, str>>) {
        let json = json.into();
        match self.json(name) {
            Some(old) => *old = json,
            None => self.0.push((Cow::Owned(name.to_owned()), json)),
        }
    }

    /// Sets a member to a string.
    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, quoted(text));
    }

    /// Changes a member that is an object; says whether there is one.
    pub(super) fn edit(&mut self, name: &str, mut change: impl FnMut(&mut Object<'_>)) -> bool {
        let changed = self.try_edit(name, |object| {
            change(object);
            Ok(())
        });
        matches!(changed, Ok(true))
    }

    /// The same, where that can fail.
    pub(super) fn try_edit(
        &mut self,
        name: &str,
        mut change: impl FnMut(&mut Object<'_>) -> Result<(), String>,
    ) -> Result<bool, String> {
        match self.json(name) {
            Some(json) => edited(json, &mut change),
            None => Ok(false),
        }
    }

    /// Changes each object in a member that is a list.
    pub(super) fn each(&mut self, name: &str, mut change: impl FnMut(&mut Object<'_>)) {
        if let Some(json) = self.json(name) {
            each_edited(json, &mut |object| {
                change(object);
                Ok(())
            });
        }
    }

    /// Changes every member that is an object, up to the first that cannot be changed.
    pub(super) fn try_each_member(
        &mut self,
        mut change: impl FnMut(&str, &mut Object<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        for (name, json) in &mut self.0 {
            edited(json, &mut |object| change(name, object))?;
        }
        Ok(())
    }

    /// Changes the JSON of every member.
    pub(super) fn each_value(&mut self, change: impl Fn(&str) -> Option<&'static str>) {
        for (_, json) in &mut self.0 {
            if let Some(other) = change(json) {
                *json = Cow::Borrowed(other);
            }
        }
    }

    fn json(&mut self, name: &str) -> Option<&mut Cow<'a, str>> {
        let (_, json) = self.0.iter_mut().find(|(known, _)| known == name)?;
        Some(json)
    }

    /// The text again, on one line if its values were.
    pub(super) fn to_json(&self) -> String {
        let size: usize = self
            .0
            .iter()
            .map(|(name, json)| name.len() + json.len() + 4)
            .sum();
        let mut out = Vec::with_capacity(size + 2);
        out.push(b'{');
        for (index, (name, json)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_str(&mut out, name);
            out.push(b':');
            out.extend_from_slice(json.as_bytes());
        }
        out.push(b'}');
        String::from_utf8(out).expect("all of it is text")
    }
}

/// A change, behind a pointer so that what is around it is compiled once.
type Change<'c> = &'c mut dyn FnMut(&mut Object<'_>) -> Result<(), String>;

/// Changes the object that a text is; says whether it is one.
fn edited(json: &mut Cow<'_, str>, change: Change<'_>) -> Result<bool, String> {
    let old = mem::take(json);
    let Some(mut object) = Object::parse(&old) else {
        *json = old;
        return Ok(false);
    };
    change(&mut object)?;
    let new = object.to_json();
    *json = Cow::Owned(new);
    Ok(true)
}

/// Changes each object of the list that a text is. The change does not fail.
fn each_edited(json: &mut Cow<'_, str>, change: Change<'_>) {
    let Some(mut items) = items(json) else {
        return;
    };
    for item in &mut items {
        let changed = edited(item, &mut *change);
        debug_assert!(changed.is_ok());
    }
    *json = Cow::Owned(list(&items));
}

/// The values of a list as their texts.
pub(super) fn items(json: &str) -> Option<Vec<Cow<'_, str>>> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(items.into_iter().map(|item| item.get().into()).collect())
}

/// The list of these values.
pub(super) fn list(items: &[Cow<'_, str>]) -> String {
    let mut out = String::from("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(item);
    }
    out.push(']');
    out
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_str(&mut out, text);
    String::from_utf8(out).expect("all of it is text")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_is_not_touched_keeps_its_order_and_every_digit() {
        let text = r#"{"z":18446744073709551616,"a":1.000000000000000000001,"\u0061b":{ "y" : [ 1 ], "x":1e400 }}"#;
        let mut object = Object::parse(text).unwrap();
        object.set("new", "true");
        object.remove("absent");
        assert_eq!(
            object.to_json(),
            r#"{"z":18446744073709551616,"a":1.000000000000000000001,"ab":{ "y" : [ 1 ], "x":1e400 },"new":true}"#
        );
    }

    #[test]
    fn what_is_changed_stays_at_its_place() {
        let mut object = Object::parse(r#"{"a":1,"list":[{"b":2},3,{"b":4}],"c":5}"#).unwrap();
        object.each("list", |item| item.set("b", "0"));
        object.each("c", |_| unreachable!("this is no list"));
        assert!(!object.edit("a", |_| ()));
        assert_eq!(object.try_edit("absent", |_| Err(String::new())), Ok(false));
        object.set_text("a", "\"");
        assert_eq!(
            object.to_json(),
            r#"{"a":"\"","list":[{"b":0},3,{"b":0}],"c":5}"#
        );
    }

    #[test]
    fn what_is_no_object_is_none() {
        for text in ["[]", "null", "{", "{} 1", r#""{}""#] {
            assert!(Object::parse(text).is_none(), "{text}");
        }
    }
}
