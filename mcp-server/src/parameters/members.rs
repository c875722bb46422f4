//! Walks the members of a JSON object that was parsed once already.
//!
//! The message's parser has found the text to be JSON, so finding where its values end needs no
//! second parse: only strings and brackets matter.

use std::borrow::Cow;

/// The members of an object, each with its key decoded and its value as JSON.
pub(crate) struct Members<'a> {
    rest: &'a str,
    done: bool,
}

impl<'a> Members<'a> {
    /// Walks an object; of anything else it gives one `None`.
    pub(crate) fn of(json: &'a str) -> Self {
        match json.strip_prefix('{') {
            Some(rest) => {
                let rest = rest.trim_ascii_start();
                Self {
                    done: rest == "}",
                    rest,
                }
            }
            None => Self {
                rest: "",
                done: false,
            },
        }
    }

    fn member(&mut self) -> Option<(Cow<'a, str>, &'a str)> {
        let key_end = string_end(self.rest)?;
        let (key, rest) = self.rest.split_at(key_end);
        let rest = rest
            .trim_ascii_start()
            .strip_prefix(':')?
            .trim_ascii_start();
        let value_end = value_end(rest)?;
        let (value, rest) = rest.split_at(value_end);
        let rest = rest.trim_ascii_start();
        self.done = rest == "}";
        if !self.done {
            self.rest = rest.strip_prefix(',')?.trim_ascii_start();
        }
        let inner = &key[1..key.len() - 1];
        let key = if inner.contains('\\') {
            Cow::Owned(serde_json::from_str(key).ok()?)
        } else {
            Cow::Borrowed(inner)
        };
        Some((key, value))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Option<(Cow<'a, str>, &'a str)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let member = self.member();
        self.done |= member.is_none();
        Some(member)
    }
}

/// The value of a member as JSON; none where it is absent or `null`, or where this is no object.
pub(crate) fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    for member in Members::of(json) {
        let (key, value) = member?;
        if key == name {
            return (value != "null").then_some(value);
        }
    }
    None
}

/// The values of a list, each as its JSON; none where this is no list.
#[cfg(feature = "legacy")]
pub(crate) fn items(json: &str) -> Option<Vec<&str>> {
    let mut items = Vec::new();
    let mut rest = json.strip_prefix('[')?.trim_ascii_start();
    if rest == "]" {
        return Some(items);
    }
    loop {
        let (item, after) = rest.split_at(value_end(rest)?);
        items.push(item);
        let after = after.trim_ascii_start();
        if after == "]" {
            return Some(items);
        }
        rest = after.strip_prefix(',')?.trim_ascii_start();
    }
}

/// Where a string that begins here ends, its quotes included.
fn string_end(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        // Whatever is escaped, it is no end.
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

/// Where a value that begins here ends.
fn value_end(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    match bytes.first()? {
        b'"' => string_end(json),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = 0;
            loop {
                match bytes.get(at)? {
                    b'"' => at += string_end(&json[at..])?,
                    b'{' | b'[' => {
                        depth += 1;
                        at += 1;
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        at += 1;
                        if depth == 0 {
                            return Some(at);
                        }
                    }
                    _ => at += 1,
                }
            }
        }
        _ => bytes
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn walked(json: &str) -> Option<Vec<(String, Value)>> {
        Members::of(json)
            .map(|member| {
                let (key, value) = member?;
                Some((key.into_owned(), serde_json::from_str(value).ok()?))
            })
            .collect()
    }

    #[test]
    fn members_are_found_between_blanks_and_escapes() {
        let json = r#"{ "a" : 1 , "b\u00e9\"":"x\\" ,"c":{"d":[1,"}",{}]} , "e":null}"#;
        let expected = [
            ("a".to_owned(), json!(1)),
            ("bé\"".to_owned(), json!("x\\")),
            ("c".to_owned(), json!({"d": [1, "}", {}]})),
            ("e".to_owned(), json!(null)),
        ];
        assert_eq!(walked(json), Some(expected.to_vec()));
        assert_eq!(walked("{}"), Some(Vec::new()));
        assert_eq!(walked("{ \n }"), Some(Vec::new()));
    }

    #[test]
    #[cfg(feature = "legacy")]
    fn values_of_a_list_are_found_between_blanks_and_brackets() {
        let json = r#"[ 1 , "],[" ,[2, [3]],{"a":[4]} ,null]"#;
        let expected = ["1", r#""],[""#, "[2, [3]]", r#"{"a":[4]}"#, "null"];
        assert_eq!(items(json), Some(expected.to_vec()));
        assert_eq!(items("[ \n ]"), Some(Vec::new()));
        for json in ["{}", "1", "", "[1", "[1 2]"] {
            assert_eq!(items(json), None, "{json}");
        }
    }

    #[test]
    fn what_is_no_object_is_told() {
        for json in ["[]", "1", "", "null", r#""a""#] {
            assert_eq!(walked(json), None, "{json}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
            "\\PC*".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("\\PC*", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_finds_what_a_parser_finds(map in prop::collection::btree_map("\\PC*", value(), 0..5), pretty: bool) {
            let json = if pretty {
                serde_json::to_string_pretty(&map)
            } else {
                serde_json::to_string(&map)
            };
            let found: Option<BTreeMap<String, Value>> =
                walked(&json.unwrap_or_default()).map(|members| members.into_iter().collect());
            prop_assert_eq!(found, Some(map));
        }

        #[test]
        fn no_text_makes_it_panic(json in "\\PC*") {
            let _ = walked(&json);
            let _ = walked(&format!("{{{json}"));
        }
    }
}
