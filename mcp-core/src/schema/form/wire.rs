//! Forms as JSON: exactly the shapes of the specification, with the fields in order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

use super::field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
use super::model::{FormField, FormSchema, names_of};
use crate::text::repeats;

impl Serialize for FormSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(&self.fields))?;
        if !self.required.is_empty() {
            map.serialize_entry("required", &self.required)?;
        }
        map.end()
    }
}

struct Properties<'a>(&'a [FormField]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|field| (&field.name, FieldSchema::from(field))),
        )
    }
}

/// All keywords that a field can have, as they stand on the wire.
#[derive(Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FieldSchema {
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<ItemsSchema>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enum_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<OptionSchema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<DefaultValue>,
    /// The field's schema or `null`, as pydantic writes what may be left out. No revision has it, servers on the Python
    /// SDK 1.x send it: it is read and never written.
    #[serde(skip_serializing)]
    any_of: Vec<FieldSchema>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemsSchema {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<OptionSchema>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct OptionSchema {
    r#const: String,
    title: String,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum DefaultValue {
    Boolean(bool),
    Number(Number),
    String(String),
    Strings(Vec<String>),
}

impl From<&FormField> for FieldSchema {
    fn from(field: &FormField) -> Self {
        let mut schema = Self {
            title: field.title.clone(),
            description: field.description.clone(),
            ..Self::default()
        };
        match &field.kind {
            FieldKind::String(kind) => {
                schema.r#type = "string".to_owned();
                schema.min_length = kind.min_length;
                schema.max_length = kind.max_length;
                schema.format = kind.format.map(|format| format.as_str().to_owned());
                schema.default = kind.default.clone().map(DefaultValue::String);
            }
            FieldKind::Number(kind) => {
                schema.r#type = if kind.integer { "integer" } else { "number" }.to_owned();
                schema.minimum = kind.minimum.clone();
                schema.maximum = kind.maximum.clone();
                schema.default = kind.default.clone().map(DefaultValue::Number);
            }
            FieldKind::Boolean(kind) => {
                schema.r#type = "boolean".to_owned();
                schema.default = kind.default.map(DefaultValue::Boolean);
            }
            FieldKind::Choice(kind) => {
                schema.r#type = "string".to_owned();
                match &kind.options {
                    Options::Untitled(values) => schema.values = Some(values.clone()),
                    Options::Titled(options) => schema.one_of = Some(titled(options)),
                    Options::Legacy { values, names } => {
                        schema.values = Some(values.clone());
                        schema.enum_names = Some(names.clone());
                    }
                }
                schema.default = kind.default.clone().map(DefaultValue::String);
            }
            FieldKind::MultiChoice(kind) => {
                schema.r#type = "array".to_owned();
                schema.min_items = kind.min_items;
                schema.max_items = kind.max_items;
                schema.items = Some(match &kind.options {
                    Options::Titled(options) => ItemsSchema {
                        r#type: None,
                        values: None,
                        any_of: Some(titled(options)),
                    },
                    // The specification has no legacy titles here: the values stand alone.
                    Options::Untitled(values) | Options::Legacy { values, .. } => ItemsSchema {
                        r#type: Some("string".to_owned()),
                        values: Some(values.clone()),
                        any_of: None,
                    },
                });
                schema.default = kind.default.clone().map(DefaultValue::Strings);
            }
        }
        schema
    }
}

fn titled(options: &[TitledOption]) -> Vec<OptionSchema> {
    let mut schemas = Vec::with_capacity(options.len());
    for option in options {
        schemas.push(OptionSchema {
            r#const: option.value.clone(),
            title: option.title.clone(),
        });
    }
    schemas
}

fn untitled(schemas: Vec<OptionSchema>) -> Options {
    let mut options = Vec::with_capacity(schemas.len());
    for schema in schemas {
        options.push(TitledOption {
            value: schema.r#const,
            title: schema.title,
        });
    }
    Options::Titled(options)
}

impl FieldSchema {
    /// Puts the one alternative to `null`, where there is such a thing, in place of what it stands in.
    fn drop_null(&mut self) {
        self.any_of.retain(|schema| schema.r#type != "null");
        if !self.r#type.is_empty() || self.any_of.len() != 1 {
            return;
        }
        let Some(mut schema) = self.any_of.pop() else {
            return;
        };
        if self.title.is_some() {
            schema.title = self.title.take();
        }
        if self.description.is_some() {
            schema.description = self.description.take();
        }
        if self.default.is_some() {
            schema.default = self.default.take();
        }
        *self = schema;
    }

    /// Takes the kind of field out of the schema.
    fn take_kind(&mut self) -> Result<FieldKind, String> {
        let choices = (self.values.take(), self.one_of.take());
        let kind = match (self.r#type.as_str(), choices) {
            ("string", (None, None)) => FieldKind::String(StringField {
                min_length: self.min_length,
                max_length: self.max_length,
                // A format that the specification does not list promises nothing that could be checked.
                format: self.format.as_deref().and_then(StringFormat::from_name),
                default: self.take_text()?,
            }),
            ("string", (Some(values), None)) => FieldKind::Choice(ChoiceField {
                options: match self.enum_names.take() {
                    Some(names) => Options::Legacy { values, names },
                    None => Options::Untitled(values),
                },
                default: self.take_text()?,
            }),
            ("string", (None, Some(options))) => FieldKind::Choice(ChoiceField {
                options: untitled(options),
                default: self.take_text()?,
            }),
            (name @ ("number" | "integer"), (None, None)) => FieldKind::Number(NumberField {
                integer: name == "integer",
                minimum: self.minimum.take(),
                maximum: self.maximum.take(),
                default: match self.default.take() {
                    None => None,
                    Some(DefaultValue::Number(value)) => Some(value),
                    Some(_) => return Err("has a default that is no number".to_owned()),
                },
            }),
            ("boolean", (None, None)) => FieldKind::Boolean(BooleanField {
                default: match self.default.take() {
                    None => None,
                    Some(DefaultValue::Boolean(value)) => Some(value),
                    Some(_) => {
                        return Err("has a default that is neither true nor false".to_owned());
                    }
                },
            }),
            ("array", (None, None)) => FieldKind::MultiChoice(MultiChoiceField {
                options: self.take_items()?,
                min_items: self.min_items,
                max_items: self.max_items,
                default: match self.default.take() {
                    None => None,
                    Some(DefaultValue::Strings(values)) => Some(values),
                    Some(_) => return Err("has a default that is no list of strings".to_owned()),
                },
            }),
            ("string" | "number" | "integer" | "boolean" | "array", _) => {
                return Err("mixes choices with another kind of field".to_owned());
            }
            ("", _) => return Err("has no `type`".to_owned()),
            (other, _) => return Err(format!("has the type `{other}`, which forms do not have")),
        };
        Ok(kind)
    }

    fn take_text(&mut self) -> Result<Option<String>, &'static str> {
        match self.default.take() {
            None => Ok(None),
            Some(DefaultValue::String(value)) => Ok(Some(value)),
            Some(_) => Err("has a default that is no string"),
        }
    }

    fn take_items(&mut self) -> Result<Options, &'static str> {
        match self.items.take() {
            Some(ItemsSchema {
                any_of: Some(options),
                values: None,
                ..
            }) => Ok(untitled(options)),
            Some(ItemsSchema {
                values: Some(values),
                any_of: None,
                ..
            }) => Ok(Options::Untitled(values)),
            _ => Err("is a list whose `items` are no choices"),
        }
    }
}

impl<'de> Deserialize<'de> for FormSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Root {
            r#type: String,
            properties: Fields,
            #[serde(default)]
            required: Vec<String>,
        }
        let root = Root::deserialize(deserializer)?;
        if root.r#type != "object" {
            return Err(D::Error::custom("a form's `type` must be `object`"));
        }
        Ok(Self {
            fields: root.properties.0,
            required: root.required,
        })
    }
}

/// The properties in the order in which they were written.
struct Fields(Vec<FormField>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of form fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields: Vec<FormField> = Vec::new();
        while let Some((name, mut schema)) = map.next_entry::<String, FieldSchema>()? {
            schema.drop_null();
            let (title, description) = (schema.title.take(), schema.description.take());
            let kind = schema.take_kind().map_err(|problem| {
                A::Error::custom(format_args!("form field `{name}` {problem}"))
            })?;
            fields.push(FormField {
                name,
                title,
                description,
                kind,
            });
        }
        let names = names_of(&fields);
        // Not looked for with each field: a peer may send as many as fit into a message.
        match repeats(&names).first() {
            Some(place) => Err(A::Error::custom(format_args!(
                "form field `{}` is declared twice",
                names[*place]
            ))),
            None => Ok(Fields(fields)),
        }
    }
}
