//! A JSON object as its members in order, each value as its text: what is not touched passes byte for byte.

use mcp_core::rpc::write_str;

use crate::parameters::{Members, items};

/// An object whose values nobody has read.
///
/// The views call its methods in a hundred places, so none of them is worth a copy in each.
#[derive(Debug, Clone, Default)]
pub(super) struct Object(Vec<(String, String)>);

/// A change of an object, behind a pointer so that what is around it is compiled once.
type Change<'c> = &'c mut dyn FnMut(&mut Object);

impl Object {
    /// The object of this text, which is JSON, if it is one.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let mut members = Vec::new();
        for member in Members::of(json) {
            let (name, json) = member?;
            members.push((name.into_owned(), json.to_owned()));
        }
        Some(Self(members))
    }

    /// The JSON of a member.
    #[inline(never)]
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, json) = self.0.iter().find(|(known, _)| known == name)?;
        Some(json)
    }

    /// A member that is a string.
    #[inline(never)]
    pub(super) fn text(&self, name: &str) -> Option<String> {
        text(self.get(name)?)
    }

    /// Whether a member is this string.
    #[inline(never)]
    pub(super) fn is(&self, name: &str, text: &str) -> bool {
        self.text(name).as_deref() == Some(text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(never)]
    pub(super) fn remove(&mut self, name: &str) {
        self.remove_all(&[name]);
    }

    #[inline(never)]
    pub(super) fn remove_all(&mut self, names: &[&str]) {
        self.remove_if(&|known| names.contains(&known));
    }

    /// Removes the members with such names.
    pub(super) fn remove_if(&mut self, is_one: &dyn Fn(&str) -> bool) {
        self.0.retain(|(known, _)| !is_one(known));
    }

    /// Sets a member to this JSON: where it stands, or as the last one.
    #[inline(never)]
    pub(super) fn set(&mut self, name: &str, json: &str) {
        match self.json(name) {
            Some(old) => json.clone_into(old),
            None => self.0.push((name.to_owned(), json.to_owned())),
        }
    }

    /// Sets a member to a string.
    #[inline(never)]
    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, &quoted(text));
    }

    /// Sets a member to what it is in another object, if it is there.
    #[inline(never)]
    pub(super) fn copy(&mut self, name: &str, other: &Self) {
        if let Some(json) = other.get(name) {
            self.set(name, json);
        }
    }

    /// Puts the members of another object behind its own.
    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Changes a member that is an object; says whether there is one.
    #[inline(never)]
    pub(super) fn edit(&mut self, name: &str, change: Change<'_>) -> bool {
        self.json(name).is_some_and(|json| edited(json, change))
    }

    /// Changes each object in a member that is a list.
    pub(super) fn each(&mut self, name: &str, change: Change<'_>) {
        let Some(json) = self.json(name) else {
            return;
        };
        let Some(items) = items(json) else {
            return;
        };
        let mut list = List::default();
        for item in items {
            match Object::parse(item) {
                Some(mut object) => {
                    change(&mut object);
                    list.push(&object.to_json());
                }
                None => list.push(item),
            }
        }
        *json = list.into_json();
    }

    /// Changes every member that is an object.
    pub(super) fn each_member(&mut self, change: &mut dyn FnMut(&str, &mut Object)) {
        for (name, json) in &mut self.0 {
            edited(json, &mut |object| change(name, object));
        }
    }

    /// Changes the JSON of every member.
    pub(super) fn each_value(&mut self, change: fn(&str) -> Option<&'static str>) {
        for (_, json) in &mut self.0 {
            if let Some(other) = change(json) {
                other.clone_into(json);
            }
        }
    }

    fn json(&mut self, name: &str) -> Option<&mut String> {
        let (_, json) = self.0.iter_mut().find(|(known, _)| known == name)?;
        Some(json)
    }

    /// The text again, on one line if its values were.
    pub(super) fn to_json(&self) -> String {
        let mut out = vec![b'{'];
        for (name, json) in &self.0 {
            if out.len() > 1 {
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

/// An object to which others add members of their own, each time it is written.
pub(super) struct Beginning(Box<str>);

impl From<Object> for Beginning {
    fn from(object: Object) -> Self {
        let mut json = object.to_json();
        json.pop();
        Self(json.into())
    }
}

impl Beginning {
    /// The text of the object without its closing brace: more members go behind it, each after a comma, and then the brace.
    pub(super) fn unclosed(&self) -> &str {
        &self.0
    }
}

/// Changes the object that a text is; says whether it is one.
fn edited(json: &mut String, change: Change<'_>) -> bool {
    let Some(mut object) = Object::parse(json) else {
        return false;
    };
    change(&mut object);
    *json = object.to_json();
    true
}

/// The text of a list, as it grows.
#[derive(Default)]
pub(super) struct List(String);

impl List {
    pub(super) fn push(&mut self, item: &str) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push_str(item);
    }

    pub(super) fn into_json(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('[');
        }
        self.0.push(']');
        self.0
    }
}

/// The string that this JSON is, if it is one.
#[inline(never)]
pub(super) fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// A text as JSON.
#[inline(never)]
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
        object.each("list", &mut |item| item.set("b", "0"));
        object.each("c", &mut |_| unreachable!("this is no list"));
        assert!(!object.edit("a", &mut |_| ()));
        assert!(!object.edit("absent", &mut |_| ()));
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
