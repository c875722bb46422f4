//! [`TextBounds`]: the bounds of arguments that come as text, whatever their types: those of prompts, and the variables of
//! templates.
//!
//! Motivation: a client is told no schema for these, and their types read the text. What is left to compare are the bounds alone,
//! with the value that the text stands for.

use std::collections::HashMap;

use mcp_core::schema::Validator;
use serde_json::{Map, Number, Value};

use crate::{
    faults::FunctionFaults,
    spec::{ArgumentsSpec, FunctionSpec},
    tool::{arguments_schema, compile, join, unfit},
};

/// What a value may be, beside its type.
const BOUNDS: [&str; 8] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
];

/// The arguments that have bounds.
pub(crate) struct TextBounds {
    validator: Validator,
    /// By each name that the function reads.
    arguments: HashMap<String, Bounded>,
}

struct Bounded {
    /// The name that the client is told.
    listed: String,
    is_number: bool,
}

impl TextBounds {
    /// Takes them from the schema that the function's arguments would have; none where nothing has a bound.
    pub(crate) fn of(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) -> Option<Self> {
        let root = arguments_schema(spec);
        let mut bounds = Map::new();
        let mut arguments = HashMap::new();
        for (name, schema) in root["properties"].as_object().into_iter().flatten() {
            let schema = resolved(schema, &root);
            let of_one: Map<String, Value> = BOUNDS
                .iter()
                .filter_map(|&bound| Some((bound.to_owned(), schema.get(bound)?.clone())))
                .collect();
            if of_one.is_empty() {
                continue;
            }
            let bounded = || Bounded {
                listed: name.clone(),
                is_number: is_number(schema),
            };
            for alias in aliases(spec, name) {
                arguments.insert((*alias).to_owned(), bounded());
            }
            arguments.insert(name.clone(), bounded());
            bounds.insert(name.clone(), of_one.into());
        }
        if bounds.is_empty() {
            return None;
        }
        let schema = serde_json::json!({"type": "object", "properties": bounds});
        Some(Self {
            validator: compile(&schema, faults)?,
            arguments,
        })
    }

    /// Compares arguments with their bounds. What is no text, or not of its type, is for the parameters to refuse.
    ///
    /// # Errors
    ///
    /// What does not fit, for the client.
    pub(crate) fn check(&self, arguments: &str) -> Result<(), String> {
        let given: Map<String, Value> = serde_json::from_str(arguments).map_err(|e| unfit(&e))?;
        let mut values = Map::new();
        for (name, value) in given {
            if let (Some(bounded), Value::String(text)) = (self.arguments.get(&name), value)
                && let Some(value) = bounded.value(text)
            {
                values.insert(bounded.listed.clone(), value);
            }
        }
        let checked = self.validator.validate(&Value::Object(values));
        checked.map_err(|violations| unfit(&join(&violations)))
    }
}

impl Bounded {
    fn value(&self, text: String) -> Option<Value> {
        if !self.is_number {
            return Some(text.into());
        }
        let integer = text
            .parse()
            .map(i64::into)
            .or_else(|_| text.parse().map(u64::into));
        let number = integer
            .ok()
            .or_else(|| Number::from_f64(text.parse().ok()?));
        number.map(Value::Number)
    }
}

fn aliases<'s>(spec: &'s FunctionSpec, name: &str) -> &'s [&'static str] {
    let ArgumentsSpec::List(list) = &spec.arguments else {
        return &[];
    };
    let argument = list.iter().find(|argument| argument.name == name);
    argument.map_or(&[], |argument| argument.aliases)
}

/// The schema that a reference means, one step far.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let reference = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'));
    reference
        .and_then(|path| root.pointer(path))
        .unwrap_or(schema)
}

fn is_number(schema: &Value) -> bool {
    let is_one = |ty: &Value| ty == "integer" || ty == "number";
    match &schema["type"] {
        Value::Array(types) => types.iter().any(is_one),
        ty => is_one(ty),
    }
}
