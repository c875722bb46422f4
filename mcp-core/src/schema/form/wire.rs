//! Forms as JSON: exactly the shapes of the specification, with the fields in order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

use super::field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
use super::model::{FormField, FormSchema};

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
    options
        .iter()
        .map(|option| OptionSchema {
            r#const: option.value.clone(),
            title: option.title.clone(),
        })
        .collect()
}

fn untitled(options: Vec<OptionSchema>) -> Options {
    let options = options.into_iter().map(|option| TitledOption {
        value: option.r#const,
        title: option.title,
    });
    Options::Titled(options.collect())
}

impl FieldSchema {
    /// The one alternative to `null`, where there is such a thing, with what stands beside it.
    fn without_null(mut self) -> Self {
        self.any_of.retain(|schema| schema.r#type != "null");
        if !self.r#type.is_empty() || self.any_of.len() != 1 {
            return self;
        }
        let Some(schema) = self.any_of.pop() else {
            return self;
        };
        Self {
            title: self.title.or(schema.title),
            description: self.description.or(schema.description),
            default: self.default.or(schema.default),
            ..schema
        }
    }

    fn into_kind(self) -> Result<FieldKind, String> {
        let kind = match (self.r#type.as_str(), self.values, self.one_of) {
            ("string", None, None) => FieldKind::String(StringField {
                min_length: self.min_length,
                max_length: self.max_length,
                // A format that the specification does not list promises nothing that could be checked.
                format: self.format.as_deref().and_then(StringFormat::from_name),
                default: string_default(self.default)?,
            }),
            ("string", Some(values), None) => FieldKind::Choice(ChoiceField {
                options: match self.enum_names {
                    Some(names) => Options::Legacy { values, names },
                    None => Options::Untitled(values),
                },
                default: string_default(self.default)?,
            }),
            ("string", None, Some(options)) => FieldKind::Choice(ChoiceField {
                options: untitled(options),
                default: string_default(self.default)?,
            }),
            ("number" | "integer", None, None) => FieldKind::Number(NumberField {
                integer: self.r#type == "integer",
                minimum: self.minimum,
                maximum: self.maximum,
                default: match self.default {
                    None => None,
                    Some(DefaultValue::Number(value)) => Some(value),
                    Some(_) => return Err("has a default that is no number".to_owned()),
                },
            }),
            ("boolean", None, None) => FieldKind::Boolean(BooleanField {
                default: match self.default {
                    None => None,
                    Some(DefaultValue::Boolean(value)) => Some(value),
                    Some(_) => {
                        return Err("has a default that is neither true nor false".to_owned());
                    }
                },
            }),
            ("array", None, None) => FieldKind::MultiChoice(MultiChoiceField {
                options: match self.items {
                    Some(ItemsSchema {
                        any_of: Some(options),
                        values: None,
                        ..
                    }) => untitled(options),
                    Some(ItemsSchema {
                        values: Some(values),
                        any_of: None,
                        ..
                    }) => Options::Untitled(values),
                    _ => return Err("is a list whose `items` are no choices".to_owned()),
                },
                min_items: self.min_items,
                max_items: self.max_items,
                default: match self.default {
                    None => None,
                    Some(DefaultValue::Strings(values)) => Some(values),
                    Some(_) => return Err("has a default that is no list of strings".to_owned()),
                },
            }),
            ("string" | "number" | "integer" | "boolean" | "array", ..) => {
                return Err("mixes choices with another kind of field".to_owned());
            }
            ("", ..) => return Err("has no `type`".to_owned()),
            (other, ..) => return Err(format!("has the type `{other}`, which forms do not have")),
        };
        Ok(kind)
    }
}

fn string_default(default: Option<DefaultValue>) -> Result<Option<String>, String> {
    match default {
        None => Ok(None),
        Some(DefaultValue::String(value)) => Ok(Some(value)),
        Some(_) => Err("has a default that is no string".to_owned()),
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
        while let Some((name, schema)) = map.next_entry::<String, FieldSchema>()? {
            let mut schema = schema.without_null();
            if fields.iter().any(|field| field.name == name) {
                return Err(A::Error::custom(format_args!(
                    "form field `{name}` is declared twice"
                )));
            }
            let (title, description) = (schema.title.take(), schema.description.take());
            let kind = schema.into_kind().map_err(|problem| {
                A::Error::custom(format_args!("form field `{name}` {problem}"))
            })?;
            fields.push(FormField {
                name,
                title,
                description,
                kind,
            });
        }
        Ok(Fields(fields))
    }
}
