//! One schema after the other into the dialect: scalars, lists, objects, and `null` around them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::containers::Closing;
use super::keywords::{ANNOTATIONS, annotations, any_json, applicable, describe, is_dropped};
use super::null::{only_alternative, take_null, with_null};
use super::resolve::{Definitions, merge};
use super::{DialectOptions, Keywords, Purpose, SchemaFault};

/// Inlining can double at each level: a schema of this many parts is of no use to a model any more.
const MAX_PARTS: usize = 20_000;
/// Deeper nesting of types than this is refused.
const MAX_DEPTH: usize = 64;

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

    pub(super) fn constrained_by(&mut self, keywords: &Keywords, constraints: &[&str]) {
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
