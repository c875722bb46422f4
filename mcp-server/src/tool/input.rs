//! The input schema: made when the server is built, compared with the arguments of calls.

use std::sync::OnceLock;

use mcp_core::schema::{DialectOptions, Validator, coerce, to_dialect};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use super::schema::{add_definitions, dialect, join, set, validator, with_definitions};
use crate::{
    faults::FunctionFaults,
    parameters::StructMember,
    spec::{ArgumentSpec, ArgumentsSpec, Extra, FunctionSpec, ToolSpec},
};

/// An input schema in both of its forms.
pub(crate) struct Input {
    /// What the client sees.
    pub(crate) listed: Value,
    /// The order of the properties.
    pub(crate) order: Vec<&'static str>,
    /// What arguments are compared with; none for a schema outside the dialect.
    pub(crate) compared: Option<InputSchema>,
}

/// What arguments are compared with.
pub(crate) struct InputSchema {
    /// Compiled when the server is built, where it is needed; otherwise with the first misfit, for
    /// its words.
    validator: OnceLock<Validator>,
    /// Whether there is something to compare that the parameters do not see to: bounds, or names
    /// that a struct would pass over.
    is_needed: bool,
    /// Other names of arguments.
    aliases: Vec<Alias>,
}

/// A name that arguments may have and the schema does not list.
pub(crate) struct Alias {
    pub(crate) name: &'static str,
    /// The name in the schema; none for what the schema does not have at all.
    pub(crate) listed: Option<&'static str>,
}

impl Input {
    /// Makes a tool's schema; what is wrong with it goes to `faults`.
    pub(crate) fn of(
        spec: &FunctionSpec,
        kind: &ToolSpec,
        faults: &mut FunctionFaults<'_>,
    ) -> Option<Self> {
        if let Some(schema) = kind.input_schema {
            let listed = schema();
            if listed.get("type").and_then(Value::as_str) != Some("object") {
                faults.add(
                    None,
                    "an input schema must have the type `object` at its root",
                );
                return None;
            }
            return Some(Self {
                listed,
                order: Vec::new(),
                compared: None,
            });
        }
        let options = match spec.extra {
            Extra::Refuse => DialectOptions::arguments(),
            Extra::Ignore => DialectOptions::arguments().open(),
        };
        let dialect = dialect(arguments_schema(spec), options, faults, "")?;
        let (order, aliases) = names(spec, &dialect.schema["properties"]);
        let is_struct = matches!(spec.arguments, ArgumentsSpec::Struct { .. });
        let passes_over = is_struct && spec.extra == Extra::Refuse;
        let is_needed = dialect.has_constraints || passes_over || dialect.exact.is_some();
        // Debug builds compile them all, so that no test misses a schema that cannot be.
        let validator = if is_needed || cfg!(debug_assertions) {
            validator(&dialect, faults)?.into()
        } else {
            OnceLock::new()
        };
        Some(Self {
            listed: dialect.schema,
            order,
            compared: Some(InputSchema {
                validator,
                is_needed,
                aliases,
            }),
        })
    }
}

/// The names of the arguments in order, and those that the schema does not list.
fn names(spec: &FunctionSpec, properties: &Value) -> (Vec<&'static str>, Vec<Alias>) {
    match &spec.arguments {
        ArgumentsSpec::List(list) => (
            list.iter().map(|argument| argument.name).collect(),
            list.iter().flat_map(aliases_of_parameter).collect(),
        ),
        ArgumentsSpec::Struct { members, .. } => {
            let members = members();
            let aliases = aliases_of_struct(&members, properties);
            (
                members.into_iter().map(|member| member.name).collect(),
                aliases,
            )
        }
    }
}

fn aliases_of_parameter(argument: &ArgumentSpec) -> impl Iterator<Item = Alias> {
    argument.aliases.iter().map(|name| Alias {
        name,
        listed: Some(argument.name),
    })
}

/// The members that the schema does not list, each with the one of the same field that it lists.
fn aliases_of_struct(members: &[StructMember], properties: &Value) -> Vec<Alias> {
    let is_listed = |member: &&StructMember| properties.get(member.name).is_some();
    let alias = |member: &StructMember| Alias {
        name: member.name,
        listed: members
            .iter()
            .filter(is_listed)
            .find(|listed| member.field.is_some() && listed.field == member.field)
            .map(|listed| listed.name),
    };
    members
        .iter()
        .filter(|member| !is_listed(member))
        .map(alias)
        .collect()
}

impl InputSchema {
    /// The other names of an argument.
    #[cfg(feature = "http")]
    pub(crate) fn aliases_of(&self, listed: &str) -> impl Iterator<Item = &'static str> {
        self.aliases
            .iter()
            .filter(move |alias| alias.listed == Some(listed))
            .map(|alias| alias.name)
    }

    /// Compares arguments with what the schema says beyond the parameters' types.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model.
    pub(crate) fn check(&self, arguments: &str) -> Result<(), String> {
        match self.validator.get() {
            Some(validator) if self.is_needed => self.read(validator, arguments).map(drop),
            _ => Ok(()),
        }
    }

    /// Gives arguments that the schema allows in the form that serde reads.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model; `fault` where the form is not what keeps serde from
    /// reading them. `entry` is the tool's in the list.
    pub(crate) fn mend(&self, arguments: &str, fault: &str, entry: &str) -> Result<String, String> {
        let validator = self.validator.get_or_init(|| listed_validator(entry));
        let (mut value, unlisted) = self.read(validator, arguments)?;
        if !coerce(validator, &mut value) {
            return Err(unfit(fault));
        }
        if let Some(members) = value.as_object_mut() {
            members.extend(unlisted);
        }
        Ok(value.to_string())
    }

    /// Reads arguments that the schema allows, under the names that it lists, and apart from them
    /// those that it does not have.
    fn read(
        &self,
        validator: &Validator,
        arguments: &str,
    ) -> Result<(Value, Map<String, Value>), String> {
        // What cannot be compared must not go on: the parameters may read less of it than is here.
        let mut value: Value = serde_json::from_str(arguments).map_err(|e| unfit(&e))?;
        let mut unlisted = Map::new();
        if let Some(members) = value.as_object_mut() {
            for alias in &self.aliases {
                let Some((name, value)) = members.remove_entry(alias.name) else {
                    continue;
                };
                match alias.listed {
                    None => drop(unlisted.insert(name, value)),
                    Some(listed) if members.contains_key(listed) => {
                        return Err(unfit(&format!(
                            "`{listed}` is given twice, once as `{name}`"
                        )));
                    }
                    Some(listed) => drop(members.insert(listed.to_owned(), value)),
                }
            }
        }
        match validator.validate(&value) {
            Ok(()) => Ok((value, unlisted)),
            Err(violations) => Err(unfit(&join(&violations))),
        }
    }
}

/// Compiles the schema of a tool's entry in the list: one without bounds and patterns.
fn listed_validator(entry: &str) -> Validator {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Entry {
        input_schema: Value,
    }
    serde_json::from_str(entry)
        .ok()
        .and_then(|entry: Entry| Validator::new(&entry.input_schema).ok())
        .expect("the dialect has nothing that does not compile")
}

/// What a model is told of arguments that do not fit.
pub(crate) fn unfit(why: &(impl std::fmt::Display + ?Sized)) -> String {
    format!("the arguments do not fit: {why}")
}

/// What the arguments of a function that is no tool would be compared with; none where nothing has a bound, or where the dialect
/// has no words for them.
pub(crate) fn bounded_arguments(
    spec: &FunctionSpec,
    faults: &mut FunctionFaults<'_>,
) -> Option<(Validator, Vec<Alias>)> {
    let dialect = to_dialect(arguments_schema(spec), DialectOptions::arguments().open()).ok()?;
    if !dialect.has_constraints {
        return None;
    }
    let (_, aliases) = names(spec, &dialect.schema["properties"]);
    Some((validator(&dialect, faults)?, aliases))
}

/// The schema of a function's arguments, as their types and attributes have it.
fn arguments_schema(spec: &FunctionSpec) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    match &spec.arguments {
        ArgumentsSpec::List(list) => schema_of_list(list, &mut generator),
        ArgumentsSpec::Struct { schema, .. } => {
            with_definitions(schema(&mut generator), &mut generator)
        }
    }
}

/// One object with a property for each plain parameter.
fn schema_of_list(arguments: &[ArgumentSpec], generator: &mut SchemaGenerator) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        let mut schema = (argument.schema)(generator).to_value();
        if let Some(description) = argument.description {
            set(&mut schema, "description", description.into());
        }
        if let Some(default) = argument.default.and_then(|default| default()) {
            set(&mut schema, "default", default);
        }
        for keyword in argument.keywords {
            set_keyword(&mut schema, keyword.name, (keyword.value)());
        }
        if let Some(header) = argument.header {
            set(&mut schema, "x-mcp-header", header.into());
            bound_for_headers(&mut schema);
        }
        if !(argument.optional)() {
            required.push(Value::from(argument.name));
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    let mut root = Map::new();
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), properties.into());
    root.insert("required".to_owned(), required.into());
    let mut root = root.into();
    add_definitions(&mut root, generator);
    root
}

/// Sets a keyword of a bound: `length` means characters for text and items for lists.
fn set_keyword(schema: &mut Value, name: &str, value: Value) {
    let list = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "array"),
        kind => kind == "array",
    });
    let name = match (name, list) {
        ("minLength", true) => "minItems",
        ("maxLength", true) => "maxItems",
        (name, _) => name,
    };
    set(schema, name, value);
}

/// An integer that is mirrored into a header must be one that every peer reads as the same number.
///
/// Specification: basic/transports/streamable-http, Schema Extension.
fn bound_for_headers(schema: &mut Value) {
    const LARGEST: i64 = (1 << 53) - 1;
    let is_integer = schema["type"] == "integer"
        || schema["type"]
            .as_array()
            .is_some_and(|types| types.iter().any(|name| name == "integer"));
    if !is_integer {
        return;
    }
    let bound = |name: &str| schema[name].as_f64();
    let (low, high) = (bound("minimum"), bound("maximum"));
    if low.is_none_or(|low| low < -(LARGEST as f64)) {
        set(schema, "minimum", (-LARGEST).into());
    }
    if high.is_none_or(|high| high > LARGEST as f64) {
        set(schema, "maximum", LARGEST.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tools_entry_in_the_list_is_enough_for_the_words_of_a_misfit() {
        let entry = r#"{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}"#;
        let validator = listed_validator(entry);
        assert!(validator.validate(&json!({"a": 5.0})).is_ok());
        let misfits = validator
            .validate(&json!({"b": 1}))
            .expect_err("`b` is unknown");
        let words = join(&misfits);
        assert!(words.contains("unknown argument `b`"), "{words}");
    }
}
