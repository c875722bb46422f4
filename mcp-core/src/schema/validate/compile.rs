//! A schema into nodes, with a fault for every keyword that could not be checked.

use serde_json::{Map, Number, Value};

use super::node::{
    Additional, Alternatives, ArrayNode, Node, NumberNode, ObjectNode, Property, StringNode, Types,
};
use super::{MAX_DEPTH, PatternMatcher, SchemaFaults, Validator};
use crate::schema::dialect::SchemaFault;
use crate::schema::object::{nested, owned, sorted_names, texts};
use crate::schema::{numbers, place::Place};

/// Keywords that say nothing about which values fit, or that others check (`format`).
const SILENT: [&str; 15] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

type Patterns<'a> = &'a dyn Fn(&str) -> Result<PatternMatcher, String>;

pub(super) fn compile(schema: &Value, patterns: Patterns<'_>) -> Result<Validator, SchemaFaults> {
    let none = Map::new();
    let definitions = schema
        .as_object()
        .and_then(|keywords| nested(keywords, "$defs"))
        .unwrap_or(&none);
    let mut compiler = Compiler {
        patterns,
        names: sorted_names(definitions),
        faults: Vec::new(),
        has_constraints: false,
        at: Place::root(),
        depth: 0,
    };
    let root = compiler.node(schema);
    let mut nodes = Vec::new();
    for name in compiler.names.clone() {
        nodes.push(compiler.part(&["$defs", name], &definitions[name]));
    }
    if compiler.faults.is_empty() {
        Ok(Validator {
            root,
            definitions: nodes,
            has_constraints: compiler.has_constraints,
        })
    } else {
        Err(SchemaFaults(compiler.faults))
    }
}

struct Compiler<'a> {
    patterns: Patterns<'a>,
    /// The definitions, in order of their names.
    names: Vec<&'a str>,
    faults: Vec<SchemaFault>,
    has_constraints: bool,
    at: Place,
    depth: usize,
}

impl Compiler<'_> {
    #[cold]
    fn fault(&mut self, problem: &str) {
        self.faults
            .push(SchemaFault::new(self.at.pointer(), problem));
    }

    /// Compiles a schema within the current one.
    fn part(&mut self, steps: &[&str], schema: &Value) -> Node {
        let outside = self.at.enter(steps);
        self.depth += 1;
        let node = self.node(schema);
        self.depth -= 1;
        self.at.leave(outside);
        node
    }

    fn node(&mut self, schema: &Value) -> Node {
        if self.depth > MAX_DEPTH {
            self.fault(&format!(
                "is nested more than {MAX_DEPTH} deep: take a flatter one"
            ));
            return Node::default();
        }
        match schema {
            Value::Bool(allowed) => Node {
                never: !allowed,
                ..Node::default()
            },
            Value::Object(keywords) => self.keywords(keywords),
            _ => {
                self.fault("is neither an object nor a boolean");
                Node::default()
            }
        }
    }

    fn keywords(&mut self, keywords: &Map<String, Value>) -> Node {
        let mut node = Node::default();
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "type" => node.types = self.types(value),
                "properties"
                | "required"
                | "additionalProperties"
                | "minProperties"
                | "maxProperties" => {
                    if node.object.is_none() {
                        node.object = Some(Box::new(self.object(keywords)));
                    }
                }
                "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" => {
                    if node.array.is_none() {
                        node.array = Some(Box::new(self.array(keywords)));
                    }
                }
                "minLength" | "maxLength" | "pattern" => {
                    if node.string.is_none() {
                        node.string = Some(Box::new(self.string(keywords)));
                    }
                }
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                    if node.number.is_none() {
                        node.number = Some(Box::new(self.number(keywords)));
                    }
                }
                "enum" => match value {
                    Value::Array(values) => node.allowed = Some(values.clone()),
                    _ => self.fault("has an `enum` that is no list"),
                },
                "const" => node.allowed = Some(vec![value.clone()]),
                "anyOf" => node.any_of = self.alternatives(keyword, value),
                "oneOf" => node.one_of = self.alternatives(keyword, value),
                "allOf" => node.all_of = self.list(keyword, value),
                "$ref" => node.reference = self.reference(value),
                silent if SILENT.contains(&silent) || silent.starts_with("x-") => {}
                other => self.fault(&format!(
                    "has the keyword `{other}`, which cannot be checked here: remove it"
                )),
            }
        }
        node
    }

    fn types(&mut self, value: &Value) -> Option<Types> {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            name => std::slice::from_ref(name),
        };
        let mut types = Some(Types::none());
        for name in names {
            types = match (types, name.as_str()) {
                (Some(types), Some(name)) => types.with(name),
                _ => None,
            };
        }
        if types.is_none() || names.is_empty() {
            self.fault("has a `type` that JSON Schema does not know");
        }
        types
    }

    fn reference(&mut self, value: &Value) -> Option<usize> {
        let found = value
            .as_str()
            .and_then(|reference| reference.strip_prefix("#/$defs/"))
            .and_then(|name| self.names.binary_search(&name).ok());
        if found.is_none() {
            self.fault(&format!(
                "refers to {value}, which is no definition of its `$defs`"
            ));
        }
        found
    }

    fn list(&mut self, keyword: &str, value: &Value) -> Vec<Node> {
        let Value::Array(schemas) = value else {
            self.fault(&format!("has `{keyword}` that is no list"));
            return Vec::new();
        };
        let mut nodes = Vec::with_capacity(schemas.len());
        for (i, schema) in schemas.iter().enumerate() {
            nodes.push(self.part(&[keyword, &i.to_string()], schema));
        }
        nodes
    }

    fn alternatives(&mut self, keyword: &str, value: &Value) -> Option<Box<Alternatives>> {
        let nodes = self.list(keyword, value);
        if nodes.is_empty() {
            self.fault(&format!("has an empty `{keyword}`"));
        }
        Some(Box::new(Alternatives {
            tag: tag_of(&nodes),
            nodes,
        }))
    }

    fn object(&mut self, keywords: &Map<String, Value>) -> ObjectNode {
        let required = match keywords.get("required") {
            None => Vec::new(),
            Some(names) => match names.as_array().and_then(|names| texts(names)) {
                Some(names) => names,
                None => {
                    self.fault("has `required` that is no list of names");
                    Vec::new()
                }
            },
        };
        let mut node = ObjectNode {
            min_properties: self.count(keywords, "minProperties"),
            max_properties: self.count(keywords, "maxProperties"),
            ..ObjectNode::default()
        };
        self.has_constraints |= node.min_properties.is_some() || node.max_properties.is_some();
        match keywords.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                for name in sorted_names(properties) {
                    node.properties.push(Property {
                        name: name.to_owned(),
                        node: self.part(&["properties", name], &properties[name]),
                        required: required.contains(&name),
                    });
                }
            }
            Some(_) => self.fault("has `properties` that are no object"),
        }
        node.additional = match keywords.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Additional::Any,
            Some(Value::Bool(false)) => {
                self.has_constraints |= self.depth > 0;
                Additional::None
            }
            Some(schema) => Additional::Each(self.part(&["additionalProperties"], schema)),
        };
        node.required = owned(&required);
        node
    }

    fn array(&mut self, keywords: &Map<String, Value>) -> ArrayNode {
        let node = ArrayNode {
            prefix: match keywords.get("prefixItems") {
                Some(schemas) => self.list("prefixItems", schemas),
                None => Vec::new(),
            },
            items: keywords
                .get("items")
                .map(|schema| self.part(&["items"], schema)),
            min_items: self.count(keywords, "minItems"),
            max_items: self.count(keywords, "maxItems"),
            unique: keywords.get("uniqueItems") == Some(&Value::Bool(true)),
        };
        self.has_constraints |= node.min_items.is_some() || node.max_items.is_some() || node.unique;
        node
    }

    fn string(&mut self, keywords: &Map<String, Value>) -> StringNode {
        self.has_constraints = true;
        let pattern = match keywords.get("pattern") {
            None => None,
            Some(Value::String(pattern)) => match (self.patterns)(pattern) {
                Ok(matcher) => Some((pattern.clone(), matcher)),
                Err(problem) => {
                    self.fault(&problem);
                    None
                }
            },
            Some(_) => {
                self.fault("has a `pattern` that is no string");
                None
            }
        };
        StringNode {
            min_length: self.count(keywords, "minLength"),
            max_length: self.count(keywords, "maxLength"),
            pattern,
        }
    }

    fn number(&mut self, keywords: &Map<String, Value>) -> NumberNode {
        let node = NumberNode {
            minimum: self.bound(keywords, "minimum"),
            maximum: self.bound(keywords, "maximum"),
            above: self.bound(keywords, "exclusiveMinimum"),
            below: self.bound(keywords, "exclusiveMaximum"),
            multiple_of: self.bound(keywords, "multipleOf"),
        };
        if node
            .multiple_of
            .as_ref()
            .and_then(Number::as_f64)
            .is_some_and(|step| step <= 0.0)
        {
            self.fault("has a `multipleOf` that is not above 0");
        }
        let is_integer = keywords.get("type").is_some_and(|name| name == "integer");
        let bounds =
            [&node.minimum, &node.maximum].map(|bound| bound.as_ref().and_then(numbers::integer));
        let inclusive_only =
            node.above.is_none() && node.below.is_none() && node.multiple_of.is_none();
        if !(is_integer && inclusive_only && numbers::are_bounds_of_a_type(bounds[0], bounds[1])) {
            self.has_constraints = true;
        }
        node
    }

    fn bound(&mut self, keywords: &Map<String, Value>, keyword: &str) -> Option<Number> {
        match keywords.get(keyword)? {
            Value::Number(number) => Some(number.clone()),
            _ => {
                self.fault(&format!("has a `{keyword}` that is no number"));
                None
            }
        }
    }

    fn count(&mut self, keywords: &Map<String, Value>, keyword: &str) -> Option<usize> {
        let value = keywords.get(keyword)?;
        let count = value
            .as_number()
            .and_then(numbers::integer)
            .and_then(|count| usize::try_from(count).ok());
        if count.is_none() {
            self.fault(&format!("has a `{keyword}` that is no count"));
        }
        count
    }
}

/// The property whose one allowed string tells the alternatives apart; `null` may be one of them.
fn tag_of(nodes: &[Node]) -> Option<(String, Vec<Option<String>>)> {
    let first = nodes.iter().find(|node| !is_null(node))?.object.as_ref()?;
    for property in &first.properties {
        if let Some(values) = tag_values(nodes, &property.name) {
            return Some((property.name.clone(), values));
        }
    }
    None
}

/// The one string that each alternative allows for a property, if all have one and each its own.
fn tag_values(nodes: &[Node], name: &str) -> Option<Vec<Option<String>>> {
    let mut values = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut value = None;
        if !is_null(node) {
            let property = node.object.as_ref()?.property(name)?;
            match property.node.allowed.as_deref() {
                Some([Value::String(only)]) if property.required => value = Some(only.clone()),
                _ => return None,
            }
        }
        if values.contains(&value) {
            return None;
        }
        values.push(value);
    }
    Some(values)
}

fn is_null(node: &Node) -> bool {
    node.types.is_some_and(Types::is_null_only)
}
