//! Whether a schema is in the dialect that every host accepts: for our own tests and for those of users.

use serde_json::{Map, Value};

use super::dialect::{ANNOTATIONS, FORMATS, applicable};
use super::object::{list, nested, take, text};
use super::place::Place;
use crate::text::{borrowed, joined, sort};

/// Every breach of the [dialect](super::dialect) in the schema of a tool's arguments or result, as sentences with a JSON
/// pointer; empty if hosts will accept it.
#[must_use]
pub fn check_provider_safe(schema: &Value) -> Vec<String> {
    let mut walk = Walk {
        breaches: Vec::new(),
        references: Vec::new(),
        at: Place::root(),
    };
    walk.root(schema);
    walk.breaches
}

/// Asserts that hosts will accept the schema of a tool's arguments or result.
///
/// # Panics
///
/// If it is outside the dialect, with every breach.
///
/// ```
/// use mcp_core::schema::assert_provider_safe;
/// use serde_json::json;
///
/// assert_provider_safe(&json!({"type": "object", "properties": {}, "additionalProperties": false}));
/// ```
#[track_caller]
pub fn assert_provider_safe(schema: &Value) {
    let breaches = check_provider_safe(schema);
    assert!(
        breaches.is_empty(),
        "not every host accepts this schema:\n  {}\n{schema:#}",
        joined(&breaches, "\n  ")
    );
}

struct Walk {
    breaches: Vec<String>,
    references: Vec<String>,
    /// The schema that is looked at.
    at: Place,
}

impl Walk {
    fn breach(&mut self, problem: &str) {
        let place = match self.at.pointer() {
            "" => "the root",
            pointer => pointer,
        };
        self.breaches.push(format!("{place} {problem}"));
    }

    fn root(&mut self, schema: &Value) {
        let Value::Object(keywords) = schema else {
            return self.breach("is no object");
        };
        if text(keywords, "type") != Some("object") {
            self.breach("must say `type: object`");
        }
        if nested(keywords, "properties").is_none() {
            self.breach("must have `properties`");
        }
        if !keywords.contains_key("additionalProperties") {
            self.breach("must say `additionalProperties`");
        }
        if keywords.contains_key("title") {
            self.breach("must have no title");
        }
        let mut keywords = keywords.clone();
        let definitions = match take(&mut keywords, "$defs") {
            None => Map::new(),
            Some(Value::Object(definitions)) if !definitions.is_empty() => definitions,
            Some(_) => {
                self.breach("must have no `$defs` but a filled object");
                Map::new()
            }
        };
        self.keywords(&keywords);
        for (name, schema) in &definitions {
            self.part(&["$defs", name], schema);
        }
        let references = std::mem::take(&mut self.references);
        let mut references = borrowed(&references);
        sort(&mut references);
        references.dedup();
        for reference in references {
            let name = reference.strip_prefix("#/$defs/");
            if !name.is_some_and(|name| definitions.contains_key(name)) {
                self.breach(&format!("does not define `{reference}`"));
            }
        }
        let root = Value::Object(keywords);
        for (name, schema) in &definitions {
            let outside = self.at.enter(&["$defs", name]);
            if !mentions(schema, &definitions, name) {
                self.breach("is not recursive: inline it");
            }
            if !mentions(&root, &definitions, name) {
                self.breach("is never used");
            }
            self.at.leave(outside);
        }
    }

    fn part(&mut self, steps: &[&str], schema: &Value) {
        let outside = self.at.enter(steps);
        match schema {
            Value::Object(keywords) => self.keywords(keywords),
            Value::Bool(_) => self.breach("is a boolean schema"),
            _ => self.breach("is no schema"),
        }
        self.at.leave(outside);
    }

    fn keywords(&mut self, keywords: &Map<String, Value>) {
        let kinds = ["type", "anyOf", "$ref"].map(|keyword| keywords.contains_key(keyword));
        let count = kinds.iter().filter(|has| **has).count();
        if count != 1 {
            self.breach("must have exactly one of `type`, `anyOf` and `$ref`");
        }
        if self.at.pointer().is_empty() && !kinds[0] {
            self.breach("must have no combinator and no reference");
        }
        let known = match keywords.get("type") {
            None => &[],
            Some(Value::String(name)) => {
                self.typed(name, keywords);
                applicable(name)
            }
            Some(_) => {
                self.breach("must name one type");
                &[]
            }
        };
        for keyword in keywords.keys() {
            let keyword = keyword.as_str();
            let general =
                ["type", "anyOf", "$ref"].contains(&keyword) || ANNOTATIONS.contains(&keyword);
            if !general && !known.contains(&keyword) {
                self.breach(&format!("has the keyword `{keyword}`"));
            }
        }
        if keywords.get("default").is_some_and(Value::is_null) {
            self.breach("has the default null");
        }
        match keywords.get("$ref") {
            None => {}
            Some(Value::String(reference)) => self.references.push(reference.clone()),
            Some(_) => self.breach("has a `$ref` that is no string"),
        }
        match keywords.get("anyOf") {
            None => {}
            Some(Value::Array(schemas)) if !schemas.is_empty() => {
                for (i, schema) in schemas.iter().enumerate() {
                    self.part(&["anyOf", &i.to_string()], schema);
                }
            }
            Some(_) => self.breach("has an empty `anyOf`"),
        }
    }

    fn typed(&mut self, name: &str, keywords: &Map<String, Value>) {
        match name {
            "object" => self.object(keywords),
            "array" => match keywords.get("items") {
                Some(items) if is_any(items) => {}
                Some(items) => self.part(&["items"], items),
                None => self.breach("is an array without `items`"),
            },
            "string" => {
                let is_plain = list(keywords, "enum").is_some_and(|values| {
                    !values.is_empty() && values.iter().all(Value::is_string)
                });
                if keywords.contains_key("enum") && !is_plain {
                    self.breach("has an `enum` of something other than strings");
                }
                let is_known =
                    text(keywords, "format").is_some_and(|format| FORMATS.contains(&format));
                if keywords.contains_key("format") && !is_known {
                    self.breach("has a format that is not registered");
                }
            }
            "integer" => {
                for keyword in ["minimum", "maximum", "multipleOf"] {
                    if keywords
                        .get(keyword)
                        .is_some_and(|bound| !bound.is_i64() && !bound.is_u64())
                    {
                        self.breach(&format!("has a `{keyword}` that is no integer"));
                    }
                }
            }
            "number" | "boolean" | "null" => {}
            other => self.breach(&format!("has the unknown type `{other}`")),
        }
    }

    fn object(&mut self, keywords: &Map<String, Value>) {
        let properties = nested(keywords, "properties");
        match properties {
            Some(properties) => {
                for (name, schema) in properties {
                    self.part(&["properties", name], schema);
                }
            }
            None if keywords.contains_key("properties") => {
                self.breach("has `properties` that are no object");
            }
            None => {}
        }
        match keywords.get("additionalProperties") {
            None => self.breach("must say `additionalProperties`"),
            Some(Value::Bool(_)) => {}
            Some(schema) => self.part(&["additionalProperties"], schema),
        }
        let declared = |name: &Value| {
            let name = name.as_str().zip(properties);
            name.is_some_and(|(name, properties)| properties.contains_key(name))
        };
        let all_are = list(keywords, "required").is_some_and(|names| names.iter().all(declared));
        if keywords.contains_key("required") && !all_are {
            self.breach("requires what it does not declare");
        }
    }
}

/// Whether this is any JSON, as the items of an array of it end the nesting of types.
fn is_any(items: &Value) -> bool {
    items
        .as_object()
        .is_some_and(|keywords| keywords.len() == 1 && keywords.contains_key("description"))
}

/// Whether a schema refers to a definition, through others or not.
fn mentions(schema: &Value, definitions: &Map<String, Value>, name: &str) -> bool {
    let mut seen = Vec::new();
    let mut ahead = vec![schema];
    while let Some(value) = ahead.pop() {
        match value {
            Value::Object(keywords) => {
                let reference = text(keywords, "$ref");
                if let Some(target) = reference.and_then(|r| r.strip_prefix("#/$defs/")) {
                    if target == name {
                        return true;
                    }
                    if !seen.contains(&target) {
                        seen.push(target);
                        ahead.extend(definitions.get(target));
                    }
                }
                ahead.extend(keywords.values());
            }
            Value::Array(items) => ahead.extend(items),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{assert_provider_safe, check_provider_safe};

    fn breaches_of(property: Value) -> Vec<String> {
        check_provider_safe(
            &json!({"type": "object", "properties": {"a": property}, "additionalProperties": false}),
        )
    }

    #[test]
    fn schemas_that_made_hosts_drop_their_tools_are_told() {
        let cases = [
            (json!(true), "/properties/a is a boolean schema"),
            (
                json!({}),
                "/properties/a must have exactly one of `type`, `anyOf` and `$ref`",
            ),
            (
                json!({"description": "d"}),
                "/properties/a must have exactly one of `type`, `anyOf` and `$ref`",
            ),
            (
                json!({"type": ["string", "null"]}),
                "/properties/a must name one type",
            ),
            (
                json!({"type": "string", "nullable": true}),
                "/properties/a has the keyword `nullable`",
            ),
            (
                json!({"type": "string", "default": null}),
                "/properties/a has the default null",
            ),
            (
                json!({"type": "integer", "format": "uint64"}),
                "/properties/a has the keyword `format`",
            ),
            (
                json!({"type": "number", "format": "float"}),
                "/properties/a has the keyword `format`",
            ),
            (
                json!({"type": "string", "format": "int32"}),
                "/properties/a has a format that is not registered",
            ),
            (
                json!({"type": "string", "const": "x"}),
                "/properties/a has the keyword `const`",
            ),
            (
                json!({"type": "string", "enum": [1]}),
                "/properties/a has an `enum` of something other than strings",
            ),
            (
                json!({"type": "integer", "enum": [1]}),
                "/properties/a has the keyword `enum`",
            ),
            (
                json!({"type": "array"}),
                "/properties/a is an array without `items`",
            ),
            (
                json!({"type": "array", "items": true}),
                "/properties/a/items is a boolean schema",
            ),
            (
                json!({"type": "object", "additionalProperties": true, "required": ["x"]}),
                "/properties/a requires what it does not declare",
            ),
            (
                json!({"type": "object", "properties": {}}),
                "/properties/a must say `additionalProperties`",
            ),
            (
                json!({"anyOf": [true]}),
                "/properties/a/anyOf/0 is a boolean schema",
            ),
            (
                json!({"$ref": "#/$defs/Missing"}),
                "the root does not define `#/$defs/Missing`",
            ),
            (
                json!({"type": "integer", "minimum": 0.5}),
                "/properties/a has a `minimum` that is no integer",
            ),
        ];
        for (property, expected) in cases {
            assert_eq!(breaches_of(property.clone()), [expected], "{property}");
        }
        for combinator in ["oneOf", "allOf"] {
            let breaches = breaches_of(json!({combinator: [{"type": "string"}]}));
            assert!(
                breaches.contains(&format!("/properties/a has the keyword `{combinator}`")),
                "{breaches:?}"
            );
        }
    }

    #[test]
    fn the_items_of_an_array_alone_may_be_any_json() {
        let any = json!({"description": "d"});
        assert_provider_safe(
            &json!({"type": "object", "properties": {"a": {"type": "array", "items": any}}, "additionalProperties": false}),
        );
        let kinds = "must have exactly one of `type`, `anyOf` and `$ref`";
        assert_eq!(
            check_provider_safe(
                &json!({"type": "object", "properties": {"items": any}, "additionalProperties": false})
            ),
            [format!("/properties/items {kinds}")]
        );
        let defined = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/items"}},
            "additionalProperties": false, "$defs": {"items": any}});
        assert!(check_provider_safe(&defined).contains(&format!("/$defs/items {kinds}")));
    }

    #[test]
    fn roots_are_strict() {
        let cases = [
            (json!(true), "the root is no object"),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                "the root must say `type: object`",
            ),
            (
                json!({"type": "object", "additionalProperties": false}),
                "the root must have `properties`",
            ),
            (
                json!({"type": "object", "properties": [], "additionalProperties": false}),
                "the root must have `properties`",
            ),
            (
                json!({"type": "object", "properties": {}}),
                "the root must say `additionalProperties`",
            ),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": false, "title": "T"}),
                "the root must have no title",
            ),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": false, "$schema": "x"}),
                "the root has the keyword `$schema`",
            ),
            (
                json!({"anyOf": [{"type": "string"}]}),
                "the root must have no combinator and no reference",
            ),
        ];
        for (schema, expected) in cases {
            let breaches = check_provider_safe(&schema);
            assert!(
                breaches.contains(&expected.to_owned()),
                "{schema} {breaches:?}"
            );
        }
    }

    #[test]
    fn definitions_are_recursive_and_used() {
        let with = |definitions: Value| json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "additionalProperties": false, "$defs": definitions});
        let recursive = json!({"type": "array", "items": {"$ref": "#/$defs/A"}});
        assert_provider_safe(&with(json!({"A": recursive})));
        assert_eq!(
            check_provider_safe(&with(json!({"A": {"type": "string"}}))),
            ["/$defs/A is not recursive: inline it"]
        );
        let unused =
            with(json!({"A": recursive, "B": {"type": "array", "items": {"$ref": "#/$defs/B"}}}));
        assert_eq!(check_provider_safe(&unused), ["/$defs/B is never used"]);
        assert!(
            check_provider_safe(&with(json!({"A": true})))
                .contains(&"/$defs/A is a boolean schema".to_owned())
        );
    }

    #[test]
    #[should_panic(expected = "not every host accepts this schema")]
    fn the_assertion_panics_with_the_breaches() {
        assert_provider_safe(&json!({"type": "object"}));
    }
}
