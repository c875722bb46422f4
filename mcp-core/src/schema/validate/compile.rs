//! A schema into nodes, with a fault for every keyword that could not be checked.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::node::{
    Additional, Alternatives, ArrayNode, Node, NumberNode, ObjectNode, Property, StringNode, Types,
};
use super::{MAX_DEPTH, PatternMatcher, SchemaFaults, Validator};
use crate::schema::dialect::SchemaFault;
use crate::schema::numbers;

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
    let mut compiler = Compiler {
        patterns,
        names: BTreeMap::new(),
        faults: Vec::new(),
        has_constraints: false,
        at: String::new(),
        depth: 0,
    };
    let definitions = schema.get("$defs").and_then(Value::as_object);
    for (i, name) in definitions
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .enumerate()
    {
        compiler.names.insert(format!("#/$defs/{name}"), i);
    }
    let root = compiler.node(schema);
    let definitions = definitions
        .into_iter()
        .flatten()
        .map(|(name, schema)| compiler.within(&["$defs", name], |compiler| compiler.node(schema)))
        .collect();
    if compiler.faults.is_empty() {
        Ok(Validator {
            root,
            definitions,
            has_constraints: compiler.has_constraints,
        })
    } else {
        Err(SchemaFaults(compiler.faults))
    }
}

struct Compiler<'a> {
    patterns: Patterns<'a>,
    /// References and the definitions that they mean.
    names: BTreeMap<String, usize>,
    faults: Vec<SchemaFault>,
    has_constraints: bool,
    at: String,
    depth: usize,
}

impl Compiler<'_> {
    fn fault(&mut self, problem: impl Into<String>) {
        self.faults.push(SchemaFault::new(self.at.clone(), problem));
    }

    fn within<T>(&mut self, segments: &[&str], work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.at.len();
        for segment in segments {
            self.at.push('/');
            self.at
                .push_str(&segment.replace('~', "~0").replace('/', "~1"));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        self.at.truncate(length);
        done
    }

    fn node(&mut self, schema: &Value) -> Node {
        if self.depth > MAX_DEPTH {
            self.fault(format!(
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
                other => self.fault(format!(
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
        let types = names
            .iter()
            .try_fold(Types::none(), |types, name| types.with(name.as_str()?));
        if types.is_none() || names.is_empty() {
            self.fault("has a `type` that JSON Schema does not know");
        }
        types
    }

    fn reference(&mut self, value: &Value) -> Option<usize> {
        let found = value
            .as_str()
            .and_then(|reference| self.names.get(reference).copied());
        if found.is_none() {
            self.fault(format!(
                "refers to {value}, which is no definition of its `$defs`"
            ));
        }
        found
    }

    fn list(&mut self, keyword: &str, value: &Value) -> Vec<Node> {
        let Value::Array(schemas) = value else {
            self.fault(format!("has `{keyword}` that is no list"));
            return Vec::new();
        };
        schemas
            .iter()
            .enumerate()
            .map(|(i, schema)| {
                self.within(&[keyword, &i.to_string()], |compiler| compiler.node(schema))
            })
            .collect()
    }

    fn alternatives(&mut self, keyword: &str, value: &Value) -> Option<Box<Alternatives>> {
        let nodes = self.list(keyword, value);
        if nodes.is_empty() {
            self.fault(format!("has an empty `{keyword}`"));
        }
        Some(Box::new(Alternatives {
            tag: tag_of(&nodes),
            nodes,
        }))
    }

    fn object(&mut self, keywords: &Map<String, Value>) -> ObjectNode {
        let required: Vec<String> = match keywords.get("required") {
            None => Vec::new(),
            Some(names) => match serde_json::from_value(names.clone()) {
                Ok(names) => names,
                Err(_) => {
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
                for (name, schema) in properties {
                    let property = Property {
                        node: self.within(&["properties", name], |compiler| compiler.node(schema)),
                        required: required.contains(name),
                    };
                    node.properties.insert(name.clone(), property);
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
            Some(schema) => Additional::Each(
                self.within(&["additionalProperties"], |compiler| compiler.node(schema)),
            ),
        };
        node.required = required;
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
                .map(|schema| self.within(&["items"], |compiler| compiler.node(schema))),
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
                    self.fault(problem);
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
                self.fault(format!("has a `{keyword}` that is no number"));
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
            self.fault(format!("has a `{keyword}` that is no count"));
        }
        count
    }
}

/// The property whose one allowed string tells the alternatives apart; `null` may be one of them.
fn tag_of(nodes: &[Node]) -> Option<(String, Vec<Option<String>>)> {
    let is_null = |node: &&Node| node.types.is_some_and(Types::is_null_only);
    let value = |node: &Node, name: &str| {
        if is_null(&node) {
            return Some(None);
        }
        let property = node.object.as_ref()?.properties.get(name)?;
        match property.node.allowed.as_deref() {
            Some([Value::String(value)]) if property.required => Some(Some(value.clone())),
            _ => None,
        }
    };
    let first = nodes.iter().find(|node| !is_null(node))?.object.as_ref()?;
    first.properties.keys().find_map(|name| {
        let values: Vec<Option<String>> = nodes
            .iter()
            .map(|node| value(node, name))
            .collect::<Option<_>>()?;
        let is_new = |at: usize| !values[..at].contains(&values[at]);
        (0..values.len())
            .all(is_new)
            .then(|| (name.clone(), values))
    })
}
