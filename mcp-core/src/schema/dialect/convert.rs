//! One schema after the other into the dialect: scalars, lists, objects, and `null` around them.

use serde_json::Value;

use super::containers::Closing;
use super::keywords::{
    annotations, any_json, applicable, describe, has_any, is_annotation, is_dropped,
};
use super::null::{only_alternative, take_null, take_null_type, with_null};
use super::resolve::{Definitions, merge};
use super::{DialectOptions, Keywords, Purpose, SchemaFault};
use crate::schema::object::{keep, set, take};
use crate::schema::place::Place;
use crate::text::joined;

/// Inlining can double at each level: a schema of this many parts is of no use to a model any more.
const MAX_PARTS: usize = 20_000;
/// Deeper nesting of types than this is refused, and so are longer chains of references and options.
const MAX_DEPTH: usize = 64;

const ENDLESS: &str = "refers to itself without ever naming a type";

pub(super) struct Converter<'a> {
    pub(super) definitions: Definitions<'a>,
    pub(super) options: DialectOptions,
    pub(super) faults: Vec<SchemaFault>,
    /// The recursive definitions in use; `Null` until one is converted.
    pub(super) kept: Keywords,
    /// Those of them that are not converted yet.
    waiting: Vec<(String, &'a Value)>,
    pub(super) has_constraints: bool,
    /// The schema that is being converted.
    pub(super) at: Place,
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
    pub(super) fn new(definitions: Definitions<'a>, options: DialectOptions) -> Self {
        Self {
            definitions,
            options,
            faults: Vec::new(),
            kept: Keywords::new(),
            waiting: Vec::new(),
            has_constraints: false,
            at: Place::root(),
            parts: 0,
            depth: 0,
        }
    }

    #[cold]
    pub(super) fn fault(&mut self, problem: &str) -> Value {
        self.faults
            .push(SchemaFault::new(self.at.pointer(), problem));
        Value::Object(Keywords::new())
    }

    /// Converts a schema within the one that is being converted.
    pub(super) fn convert_part(&mut self, steps: &[&str], schema: Value, null: Null) -> Value {
        let outside = self.at.enter(steps);
        let converted = self.convert(schema, null);
        self.at.leave(outside);
        converted
    }

    pub(super) fn convert(&mut self, schema: Value, null: Null) -> Value {
        self.parts += 1;
        if self.parts == MAX_PARTS {
            self.fault(&format!(
                "has more than {MAX_PARTS} parts once its types are inlined: take a simpler type"
            ));
        }
        if self.parts >= MAX_PARTS {
            return Value::Object(Keywords::new());
        }
        if self.depth == MAX_DEPTH {
            return self.fault(&format!(
                "nests types more than {MAX_DEPTH} deep: take a flatter type"
            ));
        }
        self.depth += 1;
        let converted = match schema {
            Value::Bool(true) => any_json(Keywords::new()),
            Value::Object(keywords) => self.keywords(keywords, null),
            Value::Bool(false) => self.fault("accepts no value at all: remove the field"),
            _ => self.fault("is neither an object nor a boolean"),
        };
        self.depth -= 1;
        converted
    }

    fn keywords(&mut self, mut keywords: Keywords, null: Null) -> Value {
        // Most schemas are a type and what belongs to it: nothing to put together.
        if has_any(&keywords, |keyword| {
            matches!(
                keyword,
                "$ref" | "allOf" | "anyOf" | "oneOf" | "enum" | "const"
            )
        }) {
            return self.composed(keywords, null);
        }
        let null_stays = take_null_type(&mut keywords) && self.keeps_null(null);
        let converted = self.typed(keywords);
        null_again(converted, null_stays)
    }

    fn keeps_null(&self, null: Null) -> bool {
        null == Null::IsValue || self.options.purpose == Purpose::Result
    }

    fn composed(&mut self, mut keywords: Keywords, null: Null) -> Value {
        let mut null_stays = false;
        for _ in 0..MAX_DEPTH {
            if let Some(reference) = self.recursive_reference(&keywords) {
                return null_again(reference, null_stays);
            }
            let by_itself = has_any(&keywords, |keyword| matches!(keyword, "enum" | "const"));
            keywords = match self.resolve(keywords) {
                Ok(keywords) => keywords,
                Err(problem) => return self.fault(&problem),
            };
            null_stays |= take_null(&mut keywords) && self.keeps_null(null);
            // What was within an `Option` may itself be a reference, an enum, or optional.
            if let Some(inner) = only_alternative(&mut keywords) {
                if let Err(problem) = merge(&mut keywords, &inner) {
                    return self.fault(&problem);
                }
                continue;
            }
            if by_itself {
                // Written beside a field and not by its type, so decoding does not enforce it.
                self.has_constraints = true;
            }
            let converted = self.typed(keywords);
            return null_again(converted, null_stays);
        }
        self.fault(ENDLESS)
    }

    /// A reference that stays one, if nothing but annotations stands beside it.
    fn recursive_reference(&mut self, keywords: &Keywords) -> Option<Value> {
        let reference = keywords.get("$ref")?.as_str()?;
        let definition = self
            .definitions
            .get(reference)
            .filter(|definition| definition.recursive)?;
        for keyword in keywords.keys() {
            if keyword != "$ref" && !is_annotation(keyword) && !is_dropped(keyword) {
                return None;
            }
        }
        let (name, schema) = (definition.name.clone(), definition.schema);
        if !self.kept.contains_key(&name) {
            set(&mut self.kept, &name, Value::Null);
            self.waiting.push((name.clone(), schema));
        }
        let mut kept = annotations(keywords);
        set(&mut kept, "$ref", format!("#/$defs/{name}"));
        Some(Value::Object(kept))
    }

    /// Converts the recursive definitions in use, one after the other: a chain of them may be longer than the stack is deep.
    pub(super) fn convert_kept(&mut self) {
        while let Some((name, schema)) = self.waiting.pop() {
            let steps = ["$defs", &name];
            let mut converted = self.convert_part(&steps, schema.clone(), Null::IsValue);
            if let Some(keywords) = converted.as_object_mut() {
                take(keywords, "title");
            }
            set(&mut self.kept, &name, converted);
        }
    }

    /// References and `allOf` replaced by what they stand for.
    pub(super) fn resolve(&mut self, mut keywords: Keywords) -> Result<Keywords, String> {
        for _ in 0..MAX_DEPTH {
            if let Some(reference) = take(&mut keywords, "$ref") {
                let reference = reference.as_str().unwrap_or_default();
                match self
                    .definitions
                    .get(reference)
                    .map(|definition| definition.schema)
                {
                    Some(Value::Object(target)) => merge(&mut keywords, target)?,
                    // Any JSON: nothing to add.
                    Some(Value::Bool(true)) => {}
                    _ => {
                        return Err(format!(
                            "refers to `{reference}`, which it does not define: add it to `$defs`"
                        ));
                    }
                }
            } else if let Some(Value::Array(parts)) = take(&mut keywords, "allOf") {
                for part in &parts {
                    let part = part
                        .as_object()
                        .ok_or("has an `allOf` of something other than objects: remove it")?;
                    merge(&mut keywords, part)?;
                }
            } else {
                return Ok(keywords);
            }
        }
        Err(ENDLESS.to_owned())
    }

    /// A schema without references and without `null`.
    fn typed(&mut self, mut keywords: Keywords) -> Value {
        fold_examples(&mut keywords);
        keep(&mut keywords, &mut |keyword, value| {
            !is_dropped(keyword) && (keyword != "default" || !value.is_null())
        });
        if let Some(Value::Object(not)) = keywords.get("not")
            && not.len() == 1
            && not.get("const").and_then(Value::as_u64) == Some(0)
        {
            take(&mut keywords, "not");
            describe(&mut keywords, "Not 0.");
        }
        if has_any(&keywords, |keyword| matches!(keyword, "oneOf" | "anyOf")) {
            return self.alternatives(keywords);
        }
        if has_any(&keywords, |keyword| matches!(keyword, "enum" | "const")) {
            return self.constants(keywords);
        }
        if !keywords.contains_key("type") {
            let name = if keywords.contains_key("properties") {
                "object"
            } else if keywords.contains_key("items") {
                "array"
            } else if keywords.keys().all(|keyword| is_annotation(keyword)) {
                return any_json(keywords);
            } else {
                return self.fault("has no `type`: name one");
            };
            set(&mut keywords, "type", name);
        }
        match keywords.get("type") {
            Some(Value::String(name)) => match name.as_str() {
                "object" => self.object(keywords, Closing::Nested),
                "array" => self.array(keywords),
                "string" => self.string(keywords),
                "integer" => self.integer(keywords),
                "number" => self.number(keywords),
                "boolean" | "null" => self.finish(keywords, &[]),
                other => self.fault(&format!(
                    "has the type `{other}`, which JSON Schema does not know"
                )),
            },
            Some(Value::Array(names)) => self.several_types(&keywords, names),
            _ => self.fault("has no `type`: name one"),
        }
    }

    fn several_types(&mut self, keywords: &Keywords, names: &[Value]) -> Value {
        let mut kept = annotations(keywords);
        let mut alternatives = Vec::new();
        for name in names {
            let known = applicable(name.as_str().unwrap_or_default());
            let mut alternative = Keywords::new();
            set(&mut alternative, "type", name.clone());
            for (keyword, value) in keywords {
                if known.contains(&keyword.as_str()) {
                    set(&mut alternative, keyword, value.clone());
                }
            }
            alternatives.push(self.typed(alternative));
        }
        set(&mut kept, "anyOf", alternatives);
        Value::Object(kept)
    }

    /// Refuses what is left beside the keywords that the dialect has for a type.
    pub(super) fn finish(&mut self, keywords: Keywords, known: &[&str]) -> Value {
        for keyword in keywords.keys() {
            let keyword = keyword.as_str();
            if keyword != "type" && !is_annotation(keyword) && !known.contains(&keyword) {
                self.fault(&format!("has the keyword `{keyword}`, which not every host understands: remove it, or serve a schema of your own with `input_schema`"));
            }
        }
        Value::Object(keywords)
    }

    pub(super) fn constrained_by(&mut self, keywords: &Keywords, constraints: &[&str]) {
        for keyword in keywords.keys() {
            self.has_constraints |= constraints.contains(&keyword.as_str());
        }
    }
}

fn fold_examples(keywords: &mut Keywords) {
    let Some(Value::Array(examples)) = take(keywords, "examples") else {
        return;
    };
    let mut short = Vec::new();
    for example in &examples {
        let text = example.to_string();
        if text.len() <= 200 {
            short.push(text);
        }
    }
    if !short.is_empty() {
        let short = joined(&short, ", ");
        describe(keywords, &format!("For example: {short}."));
    }
}

/// A converted schema, with the `null` that was taken out of it before.
fn null_again(converted: Value, null_stays: bool) -> Value {
    if null_stays {
        with_null(converted)
    } else {
        converted
    }
}
