//! The root of a schema, which is stricter than the rest, and the wrapper of results that are no objects.

use serde_json::Value;

use super::alternatives::merged;
use super::containers::Closing;
use super::convert::{Converter, Null};
use super::keywords::{has_any, of_type};
use super::resolve::{Definitions, mentions_references};
use super::{Dialect, DialectOptions, Keywords, Purpose, SchemaFault};
use crate::schema::object::{keep, set, take};

/// Rewrites a schema that schemars derived (JSON Schema 2020-12, definitions under `$defs`) into the dialect.
///
/// # Errors
///
/// All parts that have no place in it.
pub fn to_dialect(root: Value, options: DialectOptions) -> Result<Dialect, Vec<SchemaFault>> {
    // Converting takes the schema apart, and a reference may mean any part of it, or all.
    let referred_to = mentions_references(&root).then(|| root.clone());
    let definitions = referred_to
        .as_ref()
        .map_or_else(Definitions::none, Definitions::of);
    let mut converter = Converter::new(definitions, options);
    let (schema, exact) = converter.root(root);
    converter.convert_kept();
    if !converter.faults.is_empty() {
        return Err(converter.faults);
    }
    let definitions = converter.kept;
    let schema = with_definitions(schema, &definitions);
    let exact = exact.map(|exact| with_definitions(exact, &definitions));
    Ok(Dialect {
        has_constraints: converter.has_constraints || exact.is_some(),
        schema,
        exact,
    })
}

impl Converter<'_> {
    /// The schema to serve, and the exact one where it differs.
    fn root(&mut self, root: Value) -> (Value, Option<Value>) {
        let closing = if self.options.open {
            Closing::OpenRoot
        } else {
            Closing::ClosedRoot
        };
        let keywords = match root {
            Value::Object(keywords) => self.resolve(keywords),
            _ => Ok(Keywords::new()),
        };
        let mut keywords = match keywords {
            Ok(keywords) => keywords,
            Err(problem) => return (self.fault(&problem), None),
        };
        take(&mut keywords, "title");
        let plain = keywords.get("type").is_some_and(|name| name == "object")
            && !has_any(&keywords, |keyword| {
                matches!(keyword, "oneOf" | "anyOf" | "enum" | "const")
            });
        if plain {
            keep(&mut keywords, &mut |keyword, _| {
                !matches!(
                    keyword,
                    "$schema"
                        | "$defs"
                        | "definitions"
                        | "examples"
                        | "default"
                        | "deprecated"
                        | "$comment"
                ) && !keyword.starts_with("x-")
            });
            return (self.object(keywords, closing), None);
        }
        let converted = self.convert(Value::Object(keywords), Null::IsAbsence);
        if !self.faults.is_empty() {
            return (converted, None);
        }
        self.root_alternatives(converted, closing)
    }

    /// Alternatives that a tag tells apart become one object; other roots are fine for a result only.
    fn root_alternatives(&mut self, converted: Value, closing: Closing) -> (Value, Option<Value>) {
        if let Some(mut objects) = objects_of(&converted) {
            if closing == Closing::OpenRoot {
                for object in &mut objects {
                    set(object, "additionalProperties", true);
                }
            }
            let mut kept = Keywords::new();
            if let Some(description) = converted.get("description") {
                set(&mut kept, "description", description.clone());
            }
            let schema = merged(&objects, kept);
            let mut exact = Keywords::new();
            let mut any_of = Vec::new();
            for object in objects {
                any_of.push(Value::Object(object));
            }
            set(&mut exact, "anyOf", any_of);
            return (Value::Object(schema), Some(Value::Object(exact)));
        }
        let is_object = converted.get("type").is_some_and(|name| name == "object");
        match self.options.purpose {
            Purpose::Arguments if !is_object => {
                let problem =
                    "is no object: arguments are named, so take a struct with named fields";
                (self.fault(problem), None)
            }
            Purpose::Arguments if closing == Closing::OpenRoot => {
                let mut opened = converted;
                if let Value::Object(keywords) = &mut opened {
                    set(keywords, "additionalProperties", true);
                }
                (opened, None)
            }
            _ => (converted, None),
        }
    }
}

/// The alternatives of a schema, if all are objects with properties.
fn objects_of(schema: &Value) -> Option<Vec<Keywords>> {
    let mut objects = Vec::new();
    for alternative in schema.get("anyOf")?.as_array()? {
        let object = alternative.as_object()?;
        object.get("properties")?;
        objects.push(object.clone());
    }
    Some(objects)
}

fn with_definitions(mut schema: Value, definitions: &Keywords) -> Value {
    if !definitions.is_empty()
        && let Some(keywords) = schema.as_object_mut()
    {
        set(keywords, "$defs", definitions.clone());
    }
    schema
}

/// Whether a result of this schema must be wrapped by [`wrap_result`] for hosts that expect an object.
#[must_use]
pub fn needs_wrapping(schema: &Value) -> bool {
    schema.get("type").is_none_or(|name| name != "object")
}

/// The schema of an object whose only member, `result`, has the given schema. Definitions move to the new root.
///
/// Released hosts refuse the whole list over one output schema that is no object.
#[must_use]
pub fn wrap_result(mut schema: Value) -> Value {
    let definitions = schema
        .as_object_mut()
        .and_then(|keywords| take(keywords, "$defs"));
    let mut properties = Keywords::new();
    set(&mut properties, "result", schema);
    let mut wrapped = of_type("object");
    set(&mut wrapped, "properties", properties);
    set(&mut wrapped, "required", vec![Value::from("result")]);
    set(&mut wrapped, "additionalProperties", false);
    if let Some(definitions) = definitions {
        set(&mut wrapped, "$defs", definitions);
    }
    Value::Object(wrapped)
}
