//! Derived JSON schemas into forms: the flat part of JSON Schema, and for anything else a fault with the way out.

use serde_json::{Map, Number, Value};

use super::faults::FormFault;
use super::field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
use super::model::{FormField, FormSchema};
use crate::schema::numbers;
use crate::schema::object::{add, list, nested, owned, set, take, text as text_of, texts};
use crate::text::joined;

/// References to references end here, and options of options; a derived schema has two or three.
const MAX_REFERENCES: usize = 16;

const ENDLESS: &str = "refers to itself: forms are flat";

impl FormSchema {
    /// Turns the JSON schema of a struct, as schemars derives it, into a form: references are inlined, `null`
    /// is left out (the field is optional then), formats of integers become bounds, enums without data become
    /// choices and lists of them multiple choices. Titles, descriptions, defaults and bounds are kept.
    ///
    /// # Errors
    ///
    /// One fault for each field that has no place in a flat form, and what [`faults`](Self::faults) finds.
    pub fn from_json_schema(schema: &Value) -> Result<Self, Vec<FormFault>> {
        let source = Source { root: schema };
        let root = match source.resolve(schema) {
            Ok(root) => root,
            Err(problem) => return Err(vec![FormFault::form(&problem)]),
        };
        if let Some(problem) = root_problem(&root) {
            return Err(vec![FormFault::form(problem)]);
        }
        let mut form = Self::new();
        let mut faults = Vec::new();
        let mut nullable = Vec::new();
        if let Some(properties) = nested(&root, "properties") {
            for (name, schema) in properties {
                match source.field(name, schema) {
                    Ok((field, may_be_null)) => {
                        if may_be_null {
                            nullable.push(name.as_str());
                        }
                        form.fields.push(field);
                    }
                    Err(problem) => faults.push(FormFault::field(name, &problem)),
                }
            }
        }
        // A derived schema lists the required fields in order of declaration, its properties by name.
        let required = list(&root, "required").and_then(texts);
        for name in required.unwrap_or_default() {
            if form.field(name).is_some() && !nullable.contains(&name) && !form.is_required(name) {
                form.required.push(name.to_owned());
            }
        }
        faults.append(&mut form.faults());
        if faults.is_empty() {
            Ok(form)
        } else {
            Err(faults)
        }
    }
}

fn root_problem(root: &Map<String, Value>) -> Option<&'static str> {
    let is_alternative = ["oneOf", "anyOf", "allOf"]
        .iter()
        .any(|keyword| root.contains_key(*keyword));
    if is_alternative {
        Some(
            "is an enum with data: forms are one flat object, so ask for the variant first and for its fields in a second question",
        )
    } else if text_of(root, "type") != Some("object") {
        Some("is no struct with named fields: wrap it in one")
    } else if root
        .get("additionalProperties")
        .is_some_and(|more| !more.is_boolean())
        || root.contains_key("patternProperties")
    {
        Some(
            "collects keys that it does not name, and a form has named fields only: name each field",
        )
    } else {
        None
    }
}

struct Source<'a> {
    root: &'a Value,
}

impl Source<'_> {
    /// The schema with its reference, if it is one, replaced by what it refers to; keywords beside it win.
    fn resolve(&self, schema: &Value) -> Result<Map<String, Value>, String> {
        let Value::Object(schema) = schema else {
            return Err("can hold any JSON: give it a type that a form has (text, number, bool or an enum without data)".to_owned());
        };
        let mut resolved = schema.clone();
        for _ in 0..MAX_REFERENCES {
            let Some(Value::String(pointer)) = take(&mut resolved, "$ref") else {
                return Ok(resolved);
            };
            let target = pointer
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            let Some(Value::Object(target)) = target else {
                return Err(format!(
                    "refers to `{pointer}`, which the schema does not define"
                ));
            };
            add(&mut resolved, target);
        }
        Err(ENDLESS.to_owned())
    }

    fn field(&self, name: &str, schema: &Value) -> Result<(FormField, bool), String> {
        let (mut schema, nullable) = self.without_null(schema)?;
        if schema.get("default").is_some_and(Value::is_null) {
            take(&mut schema, "default");
        }
        let (kind, mut texts) = self.kind(&schema)?;
        if let Some(description) = text_of(&schema, "description") {
            texts.insert(0, description.to_owned());
        }
        let field = FormField {
            name: name.to_owned(),
            title: text_of(&schema, "title").map(str::to_owned),
            description: (!texts.is_empty()).then(|| joined(&texts, "\n")),
            kind,
        };
        Ok((field, nullable))
    }

    /// The schema of what an `Option` holds, and whether it was one.
    fn without_null(&self, schema: &Value) -> Result<(Map<String, Value>, bool), String> {
        let mut schema = self.resolve(schema)?;
        let mut nullable = false;
        for _ in 0..MAX_REFERENCES {
            if let Some(Value::Array(types)) = schema.get("type") {
                let mut others = types.clone();
                others.retain(|name| name != "null");
                nullable |= others.len() < types.len();
                match others.pop() {
                    Some(only) if others.is_empty() => set(&mut schema, "type", only),
                    _ => return Err("takes values of several types: pick one".to_owned()),
                }
            }
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            let Some(only) = beside_null(&schema) else {
                return Ok((schema, nullable));
            };
            let inner = self.resolve(only)?;
            take(&mut schema, "anyOf");
            take(&mut schema, "oneOf");
            add(&mut schema, &inner);
            nullable = true;
        }
        Err(ENDLESS.to_owned())
    }

    /// The kind of a field, and texts about its options for the description.
    fn kind(&self, schema: &Map<String, Value>) -> Result<(FieldKind, Vec<String>), String> {
        if let Some((options, texts)) = self.choice(schema)? {
            let default = default_text(schema)?;
            return Ok((ChoiceField { options, default }.into(), texts));
        }
        let kind = match text_of(schema, "type") {
            Some("string") => string_kind(schema)?.into(),
            Some("integer") => integer_kind(schema)?.into(),
            Some("number") => number_kind(schema)?.into(),
            Some("boolean") => FieldKind::Boolean(BooleanField {
                default: schema.get("default").and_then(Value::as_bool),
            }),
            Some("array") => return self.multi_choice(schema),
            Some("object") if schema.contains_key("properties") => {
                return Err("is a nested struct: forms are flat, so declare its fields here or ask for them in a second question".to_owned());
            }
            Some("object") => {
                return Err(
                    "is a map: forms are flat, so declare one field for each key".to_owned(),
                );
            }
            Some("null") => return Err("holds nothing: remove it".to_owned()),
            Some(other) => return Err(format!("has the type `{other}`, which forms do not have")),
            None => {
                return Err("has no single type: use text, a number, a bool, an enum without data or a list of such an enum".to_owned());
            }
        };
        Ok((kind, Vec::new()))
    }

    fn multi_choice(
        &self,
        schema: &Map<String, Value>,
    ) -> Result<(FieldKind, Vec<String>), String> {
        const WAY_OUT: &str = "is a list: forms have lists of choices only, so make its items an enum without data or ask for text";
        let items = schema.get("items").ok_or(WAY_OUT)?;
        let choice = self.resolve(items).and_then(|items| self.choice(&items));
        let Ok(Some((options, about))) = choice else {
            return Err(WAY_OUT.to_owned());
        };
        let default = match schema.get("default") {
            None => None,
            Some(_) => {
                let values = list(schema, "default").and_then(texts);
                Some(owned(
                    &values.ok_or("has a default that is no list of strings")?,
                ))
            }
        };
        let kind = MultiChoiceField {
            options,
            min_items: schema.get("minItems").and_then(Value::as_u64),
            max_items: schema.get("maxItems").and_then(Value::as_u64),
            default,
        };
        Ok((kind.into(), about))
    }

    /// What an enum without data offers, and the descriptions of its variants: the specification has no place for them
    /// beside the options. `None` for any other schema.
    fn choice(
        &self,
        schema: &Map<String, Value>,
    ) -> Result<Option<(Options, Vec<String>)>, String> {
        let mut about = Vec::new();
        if schema.contains_key("enum") {
            let values = list(schema, "enum").and_then(texts).ok_or(
                "is an enum of numbers: choices are strings, so drop the integer representation",
            )?;
            return Ok(Some((Options::Untitled(owned(&values)), about)));
        }
        if let Some(value) = schema.get("const") {
            let value = text(value, "only value")?.to_owned();
            return Ok(Some((Options::Untitled(vec![value]), about)));
        }
        let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf"));
        let Some(Value::Array(alternatives)) = alternatives else {
            return Ok(None);
        };
        let mut options = Vec::new();
        for alternative in alternatives {
            let alternative = self.resolve(alternative)?;
            if alternative.get("type").is_some_and(|name| name != "string") {
                return Err("is an enum with data: forms are flat, so keep the variants plain and ask for their data in a second question".to_owned());
            }
            let values = match alternative.get("const") {
                Some(value) => vec![text(value, "variant")?],
                None => list(&alternative, "enum")
                    .and_then(texts)
                    .ok_or("is not an enum of plain variants: forms have no other alternatives")?,
            };
            let title = text_of(&alternative, "title");
            for value in values {
                if let Some(description) = text_of(&alternative, "description") {
                    about.push(format!("{value}: {}", description.trim()));
                }
                options.push(TitledOption {
                    value: value.to_owned(),
                    title: title.unwrap_or(value).to_owned(),
                });
            }
        }
        Ok(Some((Options::of(options), about)))
    }
}

/// What an `Option` of something derives: its schema and that of `null`.
fn beside_null(schema: &Map<String, Value>) -> Option<&Value> {
    let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
    match alternatives.as_array()?.as_slice() {
        [null, only] | [only, null] if is_null(null) && !is_null(only) => Some(only),
        _ => None,
    }
}

fn string_kind(schema: &Map<String, Value>) -> Result<StringField, String> {
    if schema.contains_key("pattern") {
        return Err("has a pattern, which forms cannot carry: describe it in the doc comment and check it in the tool".to_owned());
    }
    let format = match text_of(schema, "format") {
        None => None,
        Some(name) => Some(StringFormat::from_name(name).ok_or_else(|| {
            format!("has the format `{name}`, and forms know email, uri, date and date-time only: use one of these or plain text")
        })?),
    };
    Ok(StringField {
        min_length: schema.get("minLength").and_then(Value::as_u64),
        max_length: schema.get("maxLength").and_then(Value::as_u64),
        format,
        default: default_text(schema)?,
    })
}

fn integer_kind(schema: &Map<String, Value>) -> Result<NumberField, String> {
    let (least, most) = numbers::integer_bounds(schema).map_err(str::to_owned)?;
    Ok(NumberField {
        integer: true,
        minimum: least.and_then(numbers::number),
        maximum: most.and_then(numbers::number),
        default: number(schema, "default")?,
    })
}

fn number_kind(schema: &Map<String, Value>) -> Result<NumberField, String> {
    if schema.contains_key("exclusiveMinimum") || schema.contains_key("exclusiveMaximum") {
        return Err(
            "excludes its bound, which forms cannot say of fractions: use an inclusive range"
                .to_owned(),
        );
    }
    Ok(NumberField {
        integer: false,
        minimum: number(schema, "minimum")?,
        maximum: number(schema, "maximum")?,
        default: number(schema, "default")?,
    })
}

fn number(schema: &Map<String, Value>, keyword: &str) -> Result<Option<Number>, String> {
    match schema.get(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.clone())),
        Some(_) => Err(format!("has a `{keyword}` that is no number")),
    }
}

fn default_text(schema: &Map<String, Value>) -> Result<Option<String>, String> {
    match schema.get("default") {
        None => Ok(None),
        Some(value) => Ok(Some(text(value, "default")?.to_owned())),
    }
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str, String> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(format!("has a {what} that is no string")),
    }
}
