//! A tool as the server holds it: everything that can be computed once is.

use std::{any::Any, fmt, sync::Arc};

use mcp_core::{
    protocol::{Icon, IconTheme, JsonObject, Tool as Definition, ToolAnnotations},
    rpc::write_json,
    schema::{
        Dialect, DialectOptions, Received, Validator, Violation, coerce, needs_wrapping,
        to_dialect, wrap_result,
    },
};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use super::{Tool, result::wrap};
use crate::{
    faults::{Faults, ToolFaults},
    layers::{CallLayer, TimeLimit},
    parameters::Shared,
    spec::{ArgumentSpec, ArgumentsSpec, Extra, OnceSpec, ToolSpec},
};

/// A tool with its schemas, state and layers.
pub(crate) struct BoundTool {
    pub(crate) spec: &'static ToolSpec,
    pub(crate) handler: Arc<dyn Tool>,
    pub(crate) states: Box<[Box<dyn Any + Send + Sync>]>,
    pub(crate) layers: Box<[Arc<dyn CallLayer>]>,
    input: Option<InputSchema>,
    output: Option<OutputSchema>,
    /// The tool's entry in `tools/list`.
    json: String,
}

impl fmt::Debug for BoundTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundTool")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

/// What arguments are compared with.
struct InputSchema {
    validator: Validator,
    /// Whether the schema says more than the parameters' types enforce.
    has_constraints: bool,
    /// Other names of arguments, each with the one in the schema where that is known.
    aliases: Vec<(&'static str, Option<&'static str>)>,
    /// The names of a struct's members, where others are to be refused.
    closed: Option<Vec<String>>,
}

struct OutputSchema {
    validator: Validator,
    wrapped: bool,
}

impl BoundTool {
    /// Binds a tool; what is wrong with it goes to `faults`.
    pub(crate) fn bind(
        handler: Arc<dyn Tool>,
        shared: &Shared,
        layers: impl Iterator<Item = Arc<dyn CallLayer>>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let spec = handler.spec();
        let mut faults = faults.of_tool(spec);
        check_markers(spec, &mut faults);
        if spec.once == OnceSpec::Exchange && spec.markers.is_empty() {
            faults.add(
                None,
                if spec.output.by_hand {
                    "`once` cannot tell when a tool that asks by hand has its answers; write `once = expr`, or call `ctx.claim(key)` just before the effect"
                } else {
                    "`once` needs a question or a key; put Elicit or Resolve on a parameter, or write `once = expr`"
                },
            );
        }
        let mut states = Vec::with_capacity(spec.states.len());
        for state in spec.states {
            match (state.bind)(shared) {
                Some(bound) => states.push(bound),
                None => faults.add(
                    Some(state.parameter),
                    format!(
                        "no state of type `{}` is registered; add `.state(..)` to the builder",
                        (state.type_name)()
                    ),
                ),
            }
        }
        let input = input_schema(spec, &mut faults);
        let output = output_schema(spec, &mut faults);
        let (input, output) = (input?, output?);
        if states.len() < spec.states.len() {
            return None;
        }
        let timeout = spec
            .timeout
            .map(|limit| Arc::new(TimeLimit::new(limit)) as _);
        let json = definition(
            spec,
            &input.listed,
            &input.order,
            output.as_ref().map(|output| &output.listed),
        );
        Some(Self {
            spec,
            states: states.into(),
            layers: layers.chain(timeout).collect(),
            input: input.compared,
            output: output.map(|output| output.compared),
            json,
            handler,
        })
    }

    /// Whether structured results stand under the name `result`.
    pub(crate) fn wraps_result(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.wrapped)
    }

    /// Compares arguments with what the schema says beyond the parameters' types.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model.
    pub(crate) fn check_arguments(&self, arguments: &str) -> Result<(), String> {
        let Some(input) = &self.input else {
            return Ok(());
        };
        if input.has_constraints || input.closed.is_some() {
            // What is no JSON of a sensible depth is the parameters' to refuse.
            if let Ok(mut value) = serde_json::from_str(arguments) {
                return input.check(&mut value);
            }
        }
        Ok(())
    }

    /// Goes over arguments that the parameters refused.
    ///
    /// # Errors
    ///
    /// What does not fit, for the model. Where the schema allows them, gives them in the form that
    /// serde reads.
    pub(crate) fn mend_arguments(&self, arguments: &str, fault: &str) -> Result<String, String> {
        let told = || format!("the arguments do not fit: {fault}");
        let Some(input) = &self.input else {
            return Err(told());
        };
        let mut value: Value = serde_json::from_str(arguments).map_err(|_| told())?;
        input.check(&mut value)?;
        if !coerce(&input.validator, &mut value) {
            return Err(told());
        }
        Ok(value.to_string())
    }

    /// Compares a structured result with the output schema.
    ///
    /// # Errors
    ///
    /// What does not fit, for the log.
    pub(crate) fn check_output(&self, json: &str) -> Result<(), String> {
        let Some(output) = &self.output else {
            return Ok(());
        };
        let json = if output.wrapped {
            wrap(json)
        } else {
            json.to_owned()
        };
        let value: Value = serde_json::from_str(&json).map_err(|e| e.to_string())?;
        output
            .validator
            .validate(&value)
            .map_err(|violations| join(&violations))
    }
}

impl InputSchema {
    /// Compares arguments with the schema; aliases become the names that the schema has.
    fn check(&self, arguments: &mut Value) -> Result<(), String> {
        let mut by_alias = false;
        if let Some(members) = arguments.as_object_mut() {
            for (alias, name) in &self.aliases {
                by_alias |= members.contains_key(*alias);
                if let Some(name) = name
                    && let Some(value) = members.remove(*alias)
                {
                    members.entry(*name).or_insert(value);
                }
            }
        }
        let Err(mut violations) = self.validator.validate(arguments) else {
            return Ok(());
        };
        if by_alias {
            // A struct's aliases are known, what they stand for is not.
            violations.retain(|violation| !self.may_be_alias(violation));
        }
        if violations.is_empty() {
            return Ok(());
        }
        Err(format!("the arguments do not fit: {}", join(&violations)))
    }

    fn may_be_alias(&self, violation: &Violation) -> bool {
        let name = violation.pointer.trim_start_matches('/');
        match violation.received {
            Received::Missing => !name.contains('/'),
            Received::UnknownKey => self.aliases.iter().any(|(alias, _)| *alias == name),
            _ => false,
        }
    }
}

fn join<T: fmt::Display>(faults: &[T]) -> String {
    faults
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

fn check_markers(spec: &ToolSpec, faults: &mut ToolFaults<'_>) {
    for marker in spec.markers {
        if let Some(fault) = (marker.check)() {
            faults.add(Some(marker.parameter), fault);
        }
        if let Some(fault) = marker.form.and_then(|form| form().fault()) {
            faults.add(Some(marker.parameter), fault);
        }
    }
    if spec.output.by_hand && !spec.markers.is_empty() {
        faults.add(
            None,
            "a tool asks by parameters or by hand, not both; return a plain result, or drop the markers",
        );
    }
}

/// An input schema in both of its forms.
struct Input {
    /// What the client sees.
    listed: Value,
    /// The order of the properties.
    order: Vec<&'static str>,
    /// What arguments are compared with; none for a schema outside the dialect.
    compared: Option<InputSchema>,
}

fn input_schema(spec: &ToolSpec, faults: &mut ToolFaults<'_>) -> Option<Input> {
    if let Some(schema) = spec.input_schema {
        let listed = schema();
        if listed.get("type").and_then(Value::as_str) != Some("object") {
            faults.add(
                None,
                "an input schema must have the type `object` at its root",
            );
            return None;
        }
        return Some(Input {
            listed,
            order: Vec::new(),
            compared: None,
        });
    }
    let mut generator = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    let options = match spec.extra {
        Extra::Refuse => DialectOptions::arguments(),
        Extra::Ignore => DialectOptions::arguments().open(),
    };
    let root = match &spec.arguments {
        ArgumentsSpec::List(list) => arguments_schema(list, &mut generator),
        ArgumentsSpec::Struct { schema, .. } => {
            with_definitions(schema(&mut generator), &mut generator)
        }
    };
    let dialect = dialect(root, options, faults, "")?;
    let validator = validator(&dialect, faults)?;
    let (order, aliases, closed) = match &spec.arguments {
        ArgumentsSpec::List(list) => (
            list.iter().map(|argument| argument.name).collect(),
            list.iter()
                .flat_map(|argument| argument.aliases.iter().map(|a| (*a, Some(argument.name))))
                .collect(),
            None,
        ),
        ArgumentsSpec::Struct { members, .. } => {
            let listed = dialect.schema["properties"].as_object();
            let is_listed = |name: &str| listed.is_some_and(|names| names.contains_key(name));
            let aliases: Vec<(&'static str, Option<&'static str>)> = members()
                .iter()
                .filter(|name| !is_listed(name))
                .map(|name| (*name, None))
                .collect();
            let names = listed.into_iter().flat_map(Map::keys).cloned();
            let closed = (spec.extra == Extra::Refuse).then(|| names.collect());
            (members().to_vec(), aliases, closed)
        }
    };
    Some(Input {
        listed: dialect.schema,
        order,
        compared: Some(InputSchema {
            validator,
            has_constraints: dialect.has_constraints,
            aliases,
            closed,
        }),
    })
}

/// Rewrites a schema into the dialect that every host reads.
fn dialect(
    root: Value,
    options: DialectOptions,
    faults: &mut ToolFaults<'_>,
    place: &str,
) -> Option<Dialect> {
    to_dialect(root, options)
        .map_err(|found| {
            for fault in found {
                faults.add(None, format!("{place}{fault}"));
            }
        })
        .ok()
}

fn validator(dialect: &Dialect, faults: &mut ToolFaults<'_>) -> Option<Validator> {
    let pattern = |pattern: &str| {
        let regex =
            regex_lite::Regex::new(pattern).map_err(|e| format!("has a bad pattern: {e}"))?;
        Ok(Box::new(move |text: &str| regex.is_match(text)) as _)
    };
    Validator::with_patterns(dialect.checked(), pattern)
        .map_err(|found| {
            for fault in found.0 {
                faults.add(None, fault.to_string());
            }
        })
        .ok()
}

/// One object with a property for each plain parameter.
fn arguments_schema(arguments: &[ArgumentSpec], generator: &mut SchemaGenerator) -> Value {
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
        if !(argument.optional)() {
            required.push(Value::from(argument.name));
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    let mut root = Map::new();
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), properties.into());
    root.insert("required".to_owned(), required.into());
    root.insert("$defs".to_owned(), definitions(generator));
    root.into()
}

fn definitions(generator: &mut SchemaGenerator) -> Value {
    generator.take_definitions(true).into()
}

fn with_definitions(schema: Schema, generator: &mut SchemaGenerator) -> Value {
    let mut schema = schema.to_value();
    set(&mut schema, "$defs", definitions(generator));
    schema
}

/// Sets a keyword; `true` becomes a schema that has only that keyword.
fn set(schema: &mut Value, name: &str, value: Value) {
    if !schema.is_object() {
        *schema = Value::Object(Map::new());
    }
    schema[name] = value;
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

struct Output {
    listed: Value,
    compared: OutputSchema,
}

fn output_schema(spec: &ToolSpec, faults: &mut ToolFaults<'_>) -> Option<Option<Output>> {
    let Some(schema) = spec.output.schema else {
        return Some(None);
    };
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let root = with_definitions(schema(&mut generator), &mut generator);
    let mut dialect = dialect(root, DialectOptions::result(), faults, "its result: ")?;
    let wrapped = needs_wrapping(&dialect.schema);
    if wrapped {
        dialect.exact = dialect.exact.map(wrap_result);
        dialect.schema = wrap_result(dialect.schema);
    }
    Some(Some(Output {
        compared: OutputSchema {
            validator: validator(&dialect, faults)?,
            wrapped,
        },
        listed: dialect.schema,
    }))
}

/// The tool's entry in `tools/list`.
///
/// Specification: server/tools, Tool.
fn definition(spec: &ToolSpec, input: &Value, order: &[&str], output: Option<&Value>) -> String {
    let hints = &spec.annotations;
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: hints.read_only,
        destructive_hint: hints.destructive,
        idempotent_hint: hints.idempotent,
        open_world_hint: hints.open_world,
    };
    let icons: Vec<Icon> = spec
        .icons
        .iter()
        .map(|icon| Icon {
            src: icon.src.to_owned(),
            mime_type: icon.mime_type.map(str::to_owned),
            sizes: (!icon.sizes.is_empty())
                .then(|| icon.sizes.iter().map(|size| (*size).to_owned()).collect()),
            theme: icon.theme.and_then(|theme| match theme {
                "light" => Some(IconTheme::Light),
                "dark" => Some(IconTheme::Dark),
                _ => None,
            }),
        })
        .collect();
    let tool = Definition {
        title: spec.title.map(str::to_owned),
        description: spec.description.map(str::to_owned),
        annotations: (annotations != ToolAnnotations::default()).then_some(annotations),
        icons: (!icons.is_empty()).then_some(icons),
        ..Definition::new(spec.name, JsonObject::new())
    };
    let mut json = serde_json::to_value(&tool).unwrap_or_default();
    let mut members = json.as_object_mut().map(std::mem::take).unwrap_or_default();
    members.remove("inputSchema");
    let mut out = Vec::new();
    out.push(b'{');
    for (name, value) in &members {
        write_json(&mut out, name);
        out.push(b':');
        write_json(&mut out, value);
        out.push(b',');
    }
    out.extend_from_slice(br#""inputSchema":"#);
    write_in_order(&mut out, input, order);
    if let Some(output) = output {
        out.extend_from_slice(br#","outputSchema":"#);
        write_json(&mut out, output);
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}

/// Writes a schema with its properties in the order of the parameters, in which a person would fill
/// them in.
fn write_in_order(out: &mut Vec<u8>, schema: &Value, order: &[&str]) {
    let (Some(members), Some(properties)) = (
        schema.as_object(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return write_json(out, schema);
    };
    let place = |name: &str| order.iter().position(|known| *known == name);
    let mut sorted: Vec<(&String, &Value)> = properties.iter().collect();
    sorted.sort_by_key(|(name, _)| place(name).unwrap_or(order.len()));
    out.extend_from_slice(br#"{"type":"object","properties":{"#);
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_json(out, name);
        out.push(b':');
        write_json(out, value);
    }
    out.push(b'}');
    for (name, value) in members {
        if name != "type" && name != "properties" {
            out.push(b',');
            write_json(out, name);
            out.push(b':');
            write_json(out, value);
        }
    }
    out.push(b'}');
}

/// One page of `tools/list`: its entries, and where the next page begins.
#[derive(Debug)]
pub(crate) struct Page {
    /// The entries, separated by commas.
    pub(crate) json: String,
    pub(crate) next_cursor: Option<String>,
}

/// Divides the tools into pages.
///
/// A cursor names the first tool of its page, so that it means the same after a restart and on every
/// replica.
///
/// Specification: server/utilities/pagination.
pub(crate) fn pages(tools: &[BoundTool], size: usize) -> Vec<Page> {
    if tools.is_empty() {
        return vec![Page {
            json: String::new(),
            next_cursor: None,
        }];
    }
    let chunks: Vec<&[BoundTool]> = tools.chunks(size.max(1)).collect();
    chunks
        .iter()
        .enumerate()
        .map(|(index, chunk)| Page {
            json: chunk
                .iter()
                .map(|tool| tool.json.as_str())
                .collect::<Vec<_>>()
                .join(","),
            next_cursor: chunks
                .get(index + 1)
                .and_then(|next| next.first())
                .map(|first| cursor(first.spec.name)),
        })
        .collect()
}

/// The cursor of the page that begins with a tool.
pub(crate) fn cursor(name: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(name)
}
