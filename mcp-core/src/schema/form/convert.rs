//! Derived JSON schemas into forms: the flat part of JSON Schema, and for anything else a fault with the way out.

use serde_json::{Map, Number, Value};

use super::faults::FormFault;
use super::field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
use super::model::{FormField, FormSchema, put_in_order};
use crate::schema::numbers;

/// References to references end here; a derived schema has two or three.
const MAX_REFERENCES: usize = 16;

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
        let root = source
            .resolve(schema)
            .map_err(|problem| vec![FormFault::form(problem)])?;
        root_problem(&root).map_or(Ok(()), |problem| Err(vec![FormFault::form(problem)]))?;

        let required: Vec<&str> = strings(root.get("required")).unwrap_or_default();
        let mut form = Self::new();
        let mut faults = Vec::new();
        for (name, schema) in root
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            match source.field(name, schema) {
                Ok((field, nullable)) => {
                    if required.contains(&name.as_str()) && !nullable {
                        form.required.push(name.clone());
                    }
                    form.fields.push(field);
                }
                Err(problem) => faults.push(FormFault::field(name, problem)),
            }
        }
        // A derived schema lists the required fields in order of declaration, its properties by name.
        put_in_order(&mut form.required, &required, |name| name);
        faults.extend(form.faults());
        if faults.is_empty() {
            Ok(form)
        } else {
            Err(faults)
        }
    }
}

fn root_problem(root: &Map<String, Value>) -> Option<&'static str> {
    if ["oneOf", "anyOf", "allOf"]
        .iter()
        .any(|keyword| root.contains_key(*keyword))
    {
        Some(
            "is an enum with data: forms are one flat object, so ask for the variant first and for its fields in a second question",
        )
    } else if root.get("type").and_then(Value::as_str) != Some("object") {
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
            let Some(Value::String(pointer)) = resolved.remove("$ref") else {
                return Ok(resolved);
            };
            let target = pointer
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer))
                .and_then(Value::as_object)
                .ok_or_else(|| {
                    format!("refers to `{pointer}`, which the schema does not define")
                })?;
            for (keyword, value) in target {
                resolved
                    .entry(keyword.clone())
                    .or_insert_with(|| value.clone());
            }
        }
        Err("refers to itself: forms are flat".to_owned())
    }

    fn field(&self, name: &str, schema: &Value) -> Result<(FormField, bool), String> {
        let (mut schema, nullable) = self.without_null(schema)?;
        let described = |schema: &Map<String, Value>, keyword| {
            schema
                .get(keyword)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let title = described(&schema, "title");
        let description = described(&schema, "description");
        if schema.get("default").is_some_and(Value::is_null) {
            schema.remove("default");
        }
        let (kind, option_texts) = self.kind(&schema)?;
        let description = join(description, option_texts);
        let field = FormField {
            name: name.to_owned(),
            title,
            description,
            kind,
        };
        Ok((field, nullable))
    }

    /// The schema of what an `Option` holds, and whether it was one.
    fn without_null(&self, schema: &Value) -> Result<(Map<String, Value>, bool), String> {
        let mut schema = self.resolve(schema)?;
        let mut nullable = false;
        if let Some(Value::Array(types)) = schema.get("type") {
            let others: Vec<Value> = types
                .iter()
                .filter(|name| *name != "null")
                .cloned()
                .collect();
            nullable = others.len() < types.len();
            let [only] = &others[..] else {
                return Err("takes values of several types: pick one".to_owned());
            };
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        if let Some(Value::Array(alternatives)) =
            schema.get("anyOf").or_else(|| schema.get("oneOf"))
        {
            let is_null = |schema: &&Value| schema.get("type").is_some_and(|name| name == "null");
            let rest: Vec<&Value> = alternatives
                .iter()
                .filter(|schema| !is_null(schema))
                .collect();
            if let [only] = rest[..]
                && alternatives.len() == 2
            {
                let (inner, _) = self.without_null(only)?;
                schema.remove("anyOf");
                schema.remove("oneOf");
                for (keyword, value) in inner {
                    schema.entry(keyword).or_insert(value);
                }
                nullable = true;
            }
        }
        Ok((schema, nullable))
    }

    /// The kind of a field, and a text about its options for the description.
    fn kind(&self, schema: &Map<String, Value>) -> Result<(FieldKind, Option<String>), String> {
        if let Some(choice) = self.choice(schema)? {
            let default = schema
                .get("default")
                .map(|value| text(value, "default"))
                .transpose()?;
            let kind = ChoiceField {
                options: choice.options,
                default,
            };
            return Ok((kind.into(), choice.texts));
        }
        let kind = match schema.get("type").and_then(Value::as_str) {
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
        Ok((kind, None))
    }

    fn multi_choice(
        &self,
        schema: &Map<String, Value>,
    ) -> Result<(FieldKind, Option<String>), String> {
        const WAY_OUT: &str = "is a list: forms have lists of choices only, so make its items an enum without data or ask for text";
        let items = schema.get("items").ok_or_else(|| WAY_OUT.to_owned())?;
        let choice = self.resolve(items).and_then(|items| self.choice(&items));
        let Ok(Some(choice)) = choice else {
            return Err(WAY_OUT.to_owned());
        };
        let default = match schema.get("default") {
            None => None,
            Some(value) => {
                Some(strings(Some(value)).ok_or("has a default that is no list of strings")?)
            }
        };
        let kind = MultiChoiceField {
            options: choice.options,
            min_items: schema.get("minItems").and_then(Value::as_u64),
            max_items: schema.get("maxItems").and_then(Value::as_u64),
            default: default.map(|values| values.into_iter().map(str::to_owned).collect()),
        };
        Ok((kind.into(), choice.texts))
    }

    /// What an enum without data offers; `None` for any other schema.
    fn choice(&self, schema: &Map<String, Value>) -> Result<Option<Choice>, String> {
        if let Some(values) = schema.get("enum") {
            let values = strings(Some(values)).ok_or(
                "is an enum of numbers: choices are strings, so drop the integer representation",
            )?;
            let values = values.into_iter().map(str::to_owned).collect();
            return Ok(Some(Choice::new(Options::Untitled(values))));
        }
        if let Some(value) = schema.get("const") {
            return Ok(Some(Choice::new(Options::Untitled(vec![text(
                value,
                "only value",
            )?]))));
        }
        let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf"));
        let Some(alternatives) = alternatives.and_then(Value::as_array) else {
            return Ok(None);
        };
        let mut options = Vec::new();
        let mut texts = Vec::new();
        for alternative in alternatives {
            let alternative = self.resolve(alternative)?;
            if alternative.get("type").is_some_and(|name| name != "string") {
                return Err("is an enum with data: forms are flat, so keep the variants plain and ask for their data in a second question".to_owned());
            }
            let values = match alternative.get("const") {
                Some(value) => vec![text(value, "variant")?],
                None => strings(alternative.get("enum"))
                    .ok_or("is not an enum of plain variants: forms have no other alternatives")?
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            };
            let title = alternative.get("title").and_then(Value::as_str);
            for value in values {
                if let Some(description) = alternative.get("description").and_then(Value::as_str) {
                    texts.push(format!("{value}: {}", description.trim()));
                }
                let title = title.map_or_else(|| value.clone(), str::to_owned);
                options.push(TitledOption { value, title });
            }
        }
        let options = if options.iter().all(|option| option.title == option.value) {
            Options::Untitled(options.into_iter().map(|option| option.value).collect())
        } else {
            Options::Titled(options)
        };
        Ok(Some(Choice {
            options,
            texts: (!texts.is_empty()).then(|| texts.join("\n")),
        }))
    }
}

struct Choice {
    options: Options,
    /// The descriptions of the variants: the specification has no place for them beside the options.
    texts: Option<String>,
}

impl Choice {
    fn new(options: Options) -> Self {
        Self {
            options,
            texts: None,
        }
    }
}

fn string_kind(schema: &Map<String, Value>) -> Result<StringField, String> {
    if schema.contains_key("pattern") {
        return Err("has a pattern, which forms cannot carry: describe it in the doc comment and check it in the tool".to_owned());
    }
    let format = match schema.get("format").and_then(Value::as_str) {
        None => None,
        Some(name) => Some(StringFormat::from_name(name).ok_or_else(|| {
            format!("has the format `{name}`, and forms know email, uri, date and date-time only: use one of these or plain text")
        })?),
    };
    Ok(StringField {
        min_length: schema.get("minLength").and_then(Value::as_u64),
        max_length: schema.get("maxLength").and_then(Value::as_u64),
        format,
        default: schema
            .get("default")
            .map(|value| text(value, "default"))
            .transpose()?,
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

fn text(value: &Value, what: &str) -> Result<String, String> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("has a {what} that is no string"))
}

fn strings(value: Option<&Value>) -> Option<Vec<&str>> {
    value?.as_array()?.iter().map(Value::as_str).collect()
}

fn join(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}
