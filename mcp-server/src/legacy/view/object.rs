//! A JSON object as its members in order, each value as its text: what is not touched passes byte for byte.

use std::{borrow::Cow, fmt, mem};

use mcp_core::rpc::write_str;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object whose values nobody has read.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a>(Vec<(String, Cow<'a, str>)>);

impl<'a> Object<'a> {
    /// The object of this text, if it is one.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
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
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = json,
            None => self.0.push((name.to_owned(), json)),
        }
    }

    /// Sets a member to a string.
    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, quoted(text));
    }

    /// Changes a member that is an object; gives what came of that, or `None` where there is no such member.
    pub(super) fn edit<T>(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut Object<'_>) -> T,
    ) -> Option<T> {
        let (_, json) = self.0.iter_mut().find(|(known, _)| known == name)?;
        edited(json, change)
    }

    /// Changes each object in a member that is a list.
    pub(super) fn each(&mut self, name: &str, mut change: impl FnMut(&mut Object<'_>)) {
        let changed = self.try_each(name, |object| {
            change(object);
            Ok(())
        });
        debug_assert_eq!(changed, Ok(()), "nothing failed");
    }

    /// As [`each`](Self::each), up to the first that cannot be changed.
    pub(super) fn try_each(
        &mut self,
        name: &str,
        mut change: impl FnMut(&mut Object<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let Some((_, json)) = self.0.iter_mut().find(|(known, _)| known == name) else {
            return Ok(());
        };
        let Some(mut items) = items(json) else {
            return Ok(());
        };
        for item in &mut items {
            edited(item, &mut change).unwrap_or(Ok(()))?;
        }
        *json = Cow::Owned(list(&items));
        Ok(())
    }

    /// Changes the JSON of every member.
    pub(super) fn each_value(&mut self, mut change: impl FnMut(&str) -> Option<&'static str>) {
        for (_, json) in &mut self.0 {
            if let Some(other) = change(json) {
                *json = Cow::Borrowed(other);
            }
        }
    }

    /// Changes every member that is an object, up to the first that cannot be changed.
    pub(super) fn try_each_member(
        &mut self,
        mut change: impl FnMut(&str, &mut Object<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        for (name, json) in &mut self.0 {
            edited(json, |object| change(name, object)).unwrap_or(Ok(()))?;
        }
        Ok(())
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

/// Changes the object that a text is, if it is one.
fn edited<T>(json: &mut Cow<'_, str>, change: impl FnOnce(&mut Object<'_>) -> T) -> Option<T> {
    let old = mem::take(json);
    let Some(mut object) = Object::parse(&old) else {
        *json = old;
        return None;
    };
    let done = change(&mut object);
    let new = object.to_json();
    *json = Cow::Owned(new);
    Some(done)
}

/// The values of a list as their texts.
pub(super) fn items(json: &str) -> Option<Vec<Cow<'_, str>>> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(items.into_iter().map(|item| item.get().into()).collect())
}

/// The list of these values.
pub(super) fn list(items: &[impl AsRef<str>]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    format!("[{}]", items.join(","))
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_str(&mut out, text);
    String::from_utf8(out).expect("all of it is text")
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((name, json)) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((name, Cow::Borrowed(json.get())));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
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
        assert!(object.edit("a", |_| ()).is_none());
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
