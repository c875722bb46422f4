//! One schema after the other into the dialect: scalars, lists, objects, and `null` around them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::resolve::{Definitions, merge};
use super::{DialectOptions, Keywords, Purpose, SchemaFault};
use crate::schema::numbers;

/// Inlining can double at each level: a schema of this many parts is of no use to a model any more.
const MAX_PARTS: usize = 20_000;
/// Deeper nesting of types than this is refused.
const MAX_DEPTH: usize = 64;

/// The formats of strings that JSON Schema registers; others are unknown to hosts.
pub(crate) const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// What schemars or a user may write that says nothing to a model.
const DROPPED: [&str; 13] = [
    "$schema",
    "$id",
    "$comment",
    "$anchor",
    "$defs",
    "definitions",
    "deprecated",
    "readOnly",
    "writeOnly",
    "nullable",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// What a schema may keep whatever its type.
const ANNOTATIONS: [&str; 3] = ["title", "description", "default"];

pub(super) struct Converter<'a> {
    pub(super) definitions: Definitions<'a>,
    pub(super) options: DialectOptions,
    pub(super) faults: Vec<SchemaFault>,
    /// The recursive definitions in use; `Null` while one is being converted.
    pub(super) kept: BTreeMap<String, Value>,
    pub(super) has_constraints: bool,
    parts: usize,
    depth: usize,
}

/// Whether a value may be left out instead of being `null`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    IsAbsence,
    IsValue,
}

impl<'a> Converter<'a> {
    pub(super) fn new(root: &'a Value, options: DialectOptions) -> Self {
        Self {
            definitions: Definitions::of(root),
            options,
            faults: Vec::new(),
            kept: BTreeMap::new(),
            has_constraints: false,
            parts: 0,
            depth: 0,
        }
    }

    pub(super) fn fault(&mut self, at: &str, problem: impl Into<String>) -> Value {
        self.faults.push(SchemaFault::new(at, problem));
        json!({})
    }

    pub(super) fn convert(&mut self, schema: &Value, at: &str, null: Null) -> Value {
        self.parts += 1;
        if self.parts == MAX_PARTS {
            self.fault(at, format!("has more than {MAX_PARTS} parts once its types are inlined: take a simpler type"));
        }
        if self.parts >= MAX_PARTS {
            return json!({});
        }
        if self.depth == MAX_DEPTH {
            return self.fault(
                at,
                format!("nests types more than {MAX_DEPTH} deep: take a flatter type"),
            );
        }
        self.depth += 1;
        let converted = match schema {
            Value::Bool(true) => any_json(Keywords::new()),
            Value::Object(keywords) => self.keywords(keywords.clone(), at, null),
            Value::Bool(false) => self.fault(at, "accepts no value at all: remove the field"),
            _ => self.fault(at, "is neither an object nor a boolean"),
        };
        self.depth -= 1;
        converted
    }

    fn keywords(&mut self, keywords: Keywords, at: &str, null: Null) -> Value {
        if let Some(reference) = self.recursive_reference(&keywords) {
            return reference;
        }
        let by_itself = keywords.contains_key("enum") || keywords.contains_key("const");
        let mut keywords = match self.resolve(keywords) {
            Ok(keywords) => keywords,
            Err(problem) => return self.fault(at, problem),
        };
        let nullable = take_null(&mut keywords);
        let null_stays =
            nullable && (null == Null::IsValue || self.options.purpose == Purpose::Result);
        // What was within an `Option` may itself be a reference, an enum, or optional.
        if let Some(inner) = only_alternative(&mut keywords) {
            let mut merged = keywords;
            return match merge(&mut merged, &inner) {
                Ok(()) => {
                    let converted = self.keywords(merged, at, null);
                    if null_stays {
                        with_null(converted)
                    } else {
                        converted
                    }
                }
                Err(keyword) => self.fault(
                    at,
                    format!("has `{keyword}` twice: flatten one enum at most"),
                ),
            };
        }
        if by_itself {
            // Written beside a field and not by its type, so decoding does not enforce it.
            self.has_constraints = true;
        }
        let converted = self.typed(keywords, at);
        if null_stays {
            with_null(converted)
        } else {
            converted
        }
    }

    /// A reference that stays one, if nothing but annotations stands beside it.
    fn recursive_reference(&mut self, keywords: &Keywords) -> Option<Value> {
        let reference = keywords.get("$ref")?.as_str()?;
        let definition = self
            .definitions
            .get(reference)
            .filter(|definition| definition.recursive)?;
        let beside = |keyword: &String| {
            keyword != "$ref" && !ANNOTATIONS.contains(&keyword.as_str()) && !is_dropped(keyword)
        };
        if keywords.keys().any(beside) {
            return None;
        }
        let (name, schema) = (definition.name.clone(), definition.schema);
        if !self.kept.contains_key(&name) {
            self.kept.insert(name.clone(), Value::Null);
            let mut converted = self.convert_definition(schema, &name);
            if let Some(keywords) = converted.as_object_mut() {
                keywords.remove("title");
            }
            self.kept.insert(name.clone(), converted);
        }
        let mut kept = annotations(keywords);
        kept.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        Some(Value::Object(kept))
    }

    fn convert_definition(&mut self, schema: &Value, name: &str) -> Value {
        let depth = std::mem::take(&mut self.depth);
        let converted = self.convert(schema, &format!("/$defs/{name}"), Null::IsValue);
        self.depth = depth;
        converted
    }

    /// References and `allOf` replaced by what they stand for.
    pub(super) fn resolve(&mut self, mut keywords: Keywords) -> Result<Keywords, String> {
        for _ in 0..MAX_DEPTH {
            if let Some(reference) = keywords.remove("$ref") {
                let reference = reference.as_str().unwrap_or_default().to_owned();
                match self
                    .definitions
                    .get(&reference)
                    .map(|definition| definition.schema)
                {
                    Some(Value::Object(target)) => {
                        merge(&mut keywords, target).map_err(|keyword| {
                            format!("has `{keyword}` twice: flatten one enum at most")
                        })?
                    }
                    // Any JSON: nothing to add.
                    Some(Value::Bool(true)) => {}
                    _ => {
                        return Err(format!(
                            "refers to `{reference}`, which it does not define: add it to `$defs`"
                        ));
                    }
                }
            } else if let Some(Value::Array(parts)) = keywords.remove("allOf") {
                for part in &parts {
                    let part = part
                        .as_object()
                        .ok_or("has an `allOf` of something other than objects: remove it")?;
                    merge(&mut keywords, part).map_err(|keyword| {
                        format!("has `{keyword}` twice: flatten one enum at most")
                    })?;
                }
            } else {
                return Ok(keywords);
            }
        }
        Err("refers to itself without ever naming a type".to_owned())
    }

    /// A schema without references and without `null`.
    fn typed(&mut self, mut keywords: Keywords, at: &str) -> Value {
        self.fold_examples(&mut keywords);
        keywords.retain(|keyword, _| !is_dropped(keyword));
        if keywords.get("default").is_some_and(Value::is_null) {
            keywords.remove("default");
        }
        if keywords
            .get("not")
            .is_some_and(|not| *not == json!({"const": 0}))
        {
            keywords.remove("not");
            describe(&mut keywords, "Not 0.");
        }
        if keywords.contains_key("oneOf") || keywords.contains_key("anyOf") {
            return self.alternatives(keywords, at);
        }
        if keywords.contains_key("enum") || keywords.contains_key("const") {
            return self.constants(keywords, at);
        }
        let name = match keywords.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) => return self.several_types(&keywords, names.clone(), at),
            None if keywords.contains_key("properties") => "object".to_owned(),
            None if keywords.contains_key("items") => "array".to_owned(),
            None if keywords
                .keys()
                .all(|keyword| ANNOTATIONS.contains(&keyword.as_str())) =>
            {
                return any_json(keywords);
            }
            _ => return self.fault(at, "has no `type`: name one"),
        };
        keywords.insert("type".to_owned(), name.clone().into());
        match name.as_str() {
            "object" => self.object(keywords, at, Closing::Nested),
            "array" => self.array(keywords, at),
            "string" => self.string(keywords, at),
            "integer" => self.integer(keywords, at),
            "number" => self.number(keywords, at),
            "boolean" | "null" => self.finish(keywords, at, &[]),
            other => self.fault(
                at,
                format!("has the type `{other}`, which JSON Schema does not know"),
            ),
        }
    }

    fn several_types(&mut self, keywords: &Keywords, names: Vec<Value>, at: &str) -> Value {
        let mut kept = annotations(keywords);
        let shared: Keywords = keywords
            .iter()
            .filter(|(keyword, _)| !ANNOTATIONS.contains(&keyword.as_str()))
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        let alternatives: Vec<Value> = names
            .into_iter()
            .map(|name| {
                let known = applicable(name.as_str().unwrap_or_default());
                let mut alternative = shared.clone();
                alternative.retain(|keyword, _| known.contains(&keyword.as_str()));
                alternative.insert("type".to_owned(), name);
                self.typed(alternative, at)
            })
            .collect();
        kept.insert("anyOf".to_owned(), alternatives.into());
        Value::Object(kept)
    }

    fn string(&mut self, mut keywords: Keywords, at: &str) -> Value {
        if keywords
            .get("format")
            .is_some_and(|format| !FORMATS.iter().any(|known| format == known))
        {
            keywords.remove("format");
        }
        self.constrained_by(&keywords, &["minLength", "maxLength", "pattern"]);
        self.finish(keywords, at, applicable("string"))
    }

    fn integer(&mut self, mut keywords: Keywords, at: &str) -> Value {
        let (least, most) = match numbers::integer_bounds(&keywords) {
            Ok(bounds) => bounds,
            Err(problem) => return self.fault(at, problem),
        };
        let format = keywords.get("format").and_then(Value::as_str);
        let own = format.and_then(numbers::format_bounds).unwrap_or_default();
        if (least, most) != own || keywords.contains_key("multipleOf") {
            self.has_constraints = true;
        }
        for keyword in [
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
        ] {
            keywords.remove(keyword);
        }
        for (keyword, bound) in [("minimum", least), ("maximum", most)] {
            if let Some(bound) = bound.and_then(numbers::number) {
                keywords.insert(keyword.to_owned(), bound.into());
            }
        }
        self.finish(keywords, at, applicable("integer"))
    }

    fn number(&mut self, mut keywords: Keywords, at: &str) -> Value {
        keywords.remove("format");
        self.constrained_by(
            &keywords,
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
            ],
        );
        self.finish(keywords, at, applicable("number"))
    }

    fn array(&mut self, mut keywords: Keywords, at: &str) -> Value {
        if let Some(Value::Array(members)) = keywords.remove("prefixItems") {
            self.tuple(&mut keywords, &members, at);
        } else {
            let items = match keywords.remove("items") {
                Some(items) => self.convert(&items, &format!("{at}/items"), Null::IsValue),
                None => any_json(Keywords::new()),
            };
            keywords.insert("items".to_owned(), items);
            self.constrained_by(&keywords, &["minItems", "maxItems", "uniqueItems"]);
        }
        self.finish(keywords, at, applicable("array"))
    }

    fn tuple(&mut self, keywords: &mut Keywords, members: &[Value], at: &str) {
        let mut converted = Vec::new();
        let mut kinds = Vec::new();
        for (i, member) in members.iter().enumerate() {
            let member = self.convert(member, &format!("{at}/prefixItems/{i}"), Null::IsValue);
            kinds.push(kind_of(&member));
            if !converted.contains(&member) {
                converted.push(member);
            }
        }
        let items = match converted.len() {
            1 => converted.remove(0),
            _ => {
                describe(keywords, &format!("In this order: {}.", kinds.join(", ")));
                json!({"anyOf": converted})
            }
        };
        keywords.insert("items".to_owned(), items);
    }

    pub(super) fn object(&mut self, mut keywords: Keywords, at: &str, closing: Closing) -> Value {
        let required: Vec<String> = names(keywords.get("required"));
        let mut properties = Keywords::new();
        // `type: object` and no more is how types with a schema of their own say "any object".
        if closing == Closing::Nested
            && !keywords.contains_key("properties")
            && !keywords.contains_key("patternProperties")
        {
            keywords
                .entry("additionalProperties")
                .or_insert(Value::Bool(true));
        }
        if let Some(Value::Object(given)) = keywords.remove("properties") {
            for (name, schema) in given {
                let null = if required.contains(&name) {
                    Null::IsValue
                } else {
                    Null::IsAbsence
                };
                let at = format!(
                    "{at}/properties/{}",
                    name.replace('~', "~0").replace('/', "~1")
                );
                properties.insert(name, self.convert(&schema, &at, null));
            }
        }
        let closed_by_type = keywords.remove("unevaluatedProperties") == Some(Value::Bool(false))
            || keywords.get("additionalProperties") == Some(&Value::Bool(false));
        let additional = self.additional(&mut keywords, at, closing);
        if additional == Value::Bool(false) && !closed_by_type && closing == Closing::Nested {
            self.has_constraints = true;
        }
        let required: Vec<String> = required
            .into_iter()
            .filter(|name| properties.contains_key(name))
            .collect();
        if required.is_empty() {
            keywords.remove("required");
        } else {
            keywords.insert("required".to_owned(), required.into());
        }
        // A map has no members of its own; everything else has them, if none.
        if !properties.is_empty() || additional == Value::Bool(false) || closing != Closing::Nested
        {
            keywords.insert("properties".to_owned(), properties.into());
        }
        keywords.insert("additionalProperties".to_owned(), additional);
        self.constrained_by(&keywords, &["minProperties", "maxProperties"]);
        self.finish(keywords, at, applicable("object"))
    }

    fn additional(&mut self, keywords: &mut Keywords, at: &str, closing: Closing) -> Value {
        let given = keywords.remove("additionalProperties");
        let patterns = match keywords.remove("patternProperties") {
            Some(Value::Object(patterns)) => patterns,
            _ => Keywords::new(),
        };
        // A map whose keys are numbers: decoding checks the keys.
        if let Some((pattern, schema)) = patterns.iter().next() {
            if patterns.len() > 1 {
                return self.fault(at, "has `patternProperties`, which hosts do not know: use a map with one type of value");
            }
            let kind = if pattern.contains("\\d") {
                "Keys are integers.".to_owned()
            } else {
                format!("Keys match {pattern}.")
            };
            describe(keywords, &kind);
            return self.additional_values(schema, at);
        }
        match given {
            Some(Value::Bool(true)) => Value::Bool(true),
            None | Some(Value::Bool(false)) => Value::Bool(closing == Closing::OpenRoot),
            Some(schema) => self.additional_values(&schema, at),
        }
    }

    fn additional_values(&mut self, schema: &Value, at: &str) -> Value {
        if let Value::Bool(any) = schema {
            return Value::Bool(*any);
        }
        self.convert(schema, &format!("{at}/additionalProperties"), Null::IsValue)
    }

    /// Refuses what is left beside the keywords that the dialect has for a type.
    pub(super) fn finish(&mut self, keywords: Keywords, at: &str, known: &[&str]) -> Value {
        for keyword in keywords.keys() {
            let keyword = keyword.as_str();
            if keyword != "type" && !ANNOTATIONS.contains(&keyword) && !known.contains(&keyword) {
                self.faults.push(SchemaFault::new(
                    at,
                    format!("has the keyword `{keyword}`, which not every host understands: remove it, or serve a schema of your own with `input_schema`"),
                ));
            }
        }
        Value::Object(keywords)
    }

    fn constrained_by(&mut self, keywords: &Keywords, constraints: &[&str]) {
        if constraints
            .iter()
            .any(|keyword| keywords.contains_key(*keyword))
        {
            self.has_constraints = true;
        }
    }

    fn fold_examples(&mut self, keywords: &mut Keywords) {
        let Some(Value::Array(examples)) = keywords.remove("examples") else {
            return;
        };
        let short: Vec<String> = examples
            .iter()
            .map(Value::to_string)
            .filter(|text| text.len() <= 200)
            .collect();
        if !short.is_empty() {
            describe(keywords, &format!("For example: {}.", short.join(", ")));
        }
    }
}

/// How an object treats members that it does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Nested,
    ClosedRoot,
    OpenRoot,
}

/// Keywords of the dialect beside `type` and the annotations.
pub(crate) fn applicable(name: &str) -> &'static [&'static str] {
    match name {
        "object" => &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ],
        "array" => &["items", "minItems", "maxItems", "uniqueItems"],
        "string" => &["minLength", "maxLength", "pattern", "format", "enum"],
        "integer" | "number" => &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
        _ => &[],
    }
}

/// Any JSON value, said in a way that hosts and models understand.
pub(super) fn any_json(mut keywords: Keywords) -> Value {
    keywords
        .entry("description")
        .or_insert_with(|| "Any JSON value.".into());
    keywords.insert(
        "anyOf".to_owned(),
        json!([
            {"type": "object", "additionalProperties": true},
            {"type": "array", "items": {"description": "Any JSON value."}},
            {"type": "string"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "null"},
        ]),
    );
    Value::Object(keywords)
}

pub(super) fn annotations(keywords: &Keywords) -> Keywords {
    let kept = keywords.iter().filter(|(keyword, value)| {
        ANNOTATIONS.contains(&keyword.as_str())
            && !(keyword.as_str() == "default" && value.is_null())
    });
    kept.map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect()
}

pub(super) fn describe(keywords: &mut Keywords, text: &str) {
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(before) => format!("{before}\n{text}"),
        None => text.to_owned(),
    };
    keywords.insert("description".to_owned(), description.into());
}

pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    let names = value.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is_dropped(keyword: &str) -> bool {
    DROPPED.contains(&keyword) || keyword.starts_with("x-")
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

/// Removes `null` from what a schema allows, where it allows anything else; tells whether it did.
fn take_null(keywords: &mut Keywords) -> bool {
    let mut taken = false;
    if let Some(Value::Array(names)) = keywords.get_mut("type") {
        let before = names.len();
        names.retain(|name| name != "null");
        taken = names.len() < before;
        if names.len() == 1 {
            let only = names.remove(0);
            keywords.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(values)) = keywords.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    for combinator in ["anyOf", "oneOf"] {
        // Removed for an `Option` only: beside several others, `null` is an alternative like them.
        if let Some(Value::Array(alternatives)) = keywords.get_mut(combinator)
            && alternatives.len() == 2
        {
            alternatives.retain(|schema| !is_null(schema));
            taken |= alternatives.len() == 1;
        }
    }
    taken
}

/// The one alternative that is left, taken out of the schema.
fn only_alternative(keywords: &mut Keywords) -> Option<Keywords> {
    for combinator in ["anyOf", "oneOf"] {
        let only = match keywords
            .get(combinator)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            Some([Value::Object(only)]) => only.clone(),
            Some([Value::Bool(true)]) => Keywords::new(),
            _ => continue,
        };
        keywords.remove(combinator);
        return Some(only);
    }
    None
}

/// `null` as one more alternative; annotations stay outside.
fn with_null(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else {
        return schema;
    };
    if let Some(Value::Array(alternatives)) = keywords.get_mut("anyOf") {
        if !alternatives.iter().any(is_null) {
            alternatives.push(json!({"type": "null"}));
        }
        return Value::Object(keywords);
    }
    let mut outer = annotations(&keywords);
    keywords.retain(|keyword, _| !outer.contains_key(keyword));
    outer.insert("anyOf".to_owned(), json!([keywords, {"type": "null"}]));
    Value::Object(outer)
}

fn kind_of(schema: &Value) -> String {
    let words = schema
        .get("description")
        .or_else(|| schema.get("type"))
        .and_then(Value::as_str);
    words.unwrap_or("value").trim_end_matches('.').to_owned()
}
