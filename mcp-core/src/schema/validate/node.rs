//! What a schema is compiled to.

use serde_json::{Number, Value};

use super::PatternMatcher;

/// One schema; a part that is `None` or empty allows everything.
#[derive(Default)]
pub(in crate::schema) struct Node {
    pub(in crate::schema) types: Option<Types>,
    pub(in crate::schema) object: Option<Box<ObjectNode>>,
    pub(in crate::schema) array: Option<Box<ArrayNode>>,
    pub(in crate::schema) string: Option<Box<StringNode>>,
    pub(in crate::schema) number: Option<Box<NumberNode>>,
    pub(in crate::schema) allowed: Option<Vec<Value>>,
    pub(in crate::schema) any_of: Option<Box<Alternatives>>,
    pub(in crate::schema) one_of: Option<Box<Alternatives>>,
    pub(in crate::schema) all_of: Vec<Node>,
    /// Index of a definition.
    pub(in crate::schema) reference: Option<usize>,
    /// The schema `false`.
    pub(in crate::schema) never: bool,
}

#[derive(Default)]
pub(in crate::schema) struct ObjectNode {
    /// In order of their names.
    pub(in crate::schema) properties: Vec<Property>,
    pub(in crate::schema) required: Vec<String>,
    pub(in crate::schema) additional: Additional,
    pub(in crate::schema) min_properties: Option<usize>,
    pub(in crate::schema) max_properties: Option<usize>,
}

impl ObjectNode {
    pub(in crate::schema) fn property(&self, name: &str) -> Option<&Property> {
        let place = self
            .properties
            .binary_search_by(|property| property.name.as_str().cmp(name));
        self.properties.get(place.ok()?)
    }
}

pub(in crate::schema) struct Property {
    pub(in crate::schema) name: String,
    pub(in crate::schema) node: Node,
    pub(in crate::schema) required: bool,
}

#[derive(Default)]
pub(in crate::schema) enum Additional {
    #[default]
    Any,
    None,
    Each(Node),
}

#[derive(Default)]
pub(in crate::schema) struct ArrayNode {
    pub(in crate::schema) prefix: Vec<Node>,
    pub(in crate::schema) items: Option<Node>,
    pub(in crate::schema) min_items: Option<usize>,
    pub(in crate::schema) max_items: Option<usize>,
    pub(in crate::schema) unique: bool,
}

#[derive(Default)]
pub(in crate::schema) struct StringNode {
    pub(in crate::schema) min_length: Option<usize>,
    pub(in crate::schema) max_length: Option<usize>,
    pub(in crate::schema) pattern: Option<(String, PatternMatcher)>,
}

#[derive(Default)]
pub(in crate::schema) struct NumberNode {
    pub(in crate::schema) minimum: Option<Number>,
    pub(in crate::schema) maximum: Option<Number>,
    pub(in crate::schema) above: Option<Number>,
    pub(in crate::schema) below: Option<Number>,
    pub(in crate::schema) multiple_of: Option<Number>,
}

pub(in crate::schema) struct Alternatives {
    pub(in crate::schema) nodes: Vec<Node>,
    /// Where every alternative is an object that a property tells apart, or `null`: its name, and each one's value.
    pub(in crate::schema) tag: Option<(String, Vec<Option<String>>)>,
}

/// A set of JSON types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::schema) struct Types(u8);

impl Types {
    const NAMES: [&'static str; 7] = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ];

    const INTEGER: u8 = 1 << 2;
    const NUMBER: u8 = 1 << 3;

    pub(in crate::schema) fn none() -> Self {
        Self(0)
    }

    /// The set with one more type; `None` for a name that JSON Schema does not know.
    pub(in crate::schema) fn with(self, name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Some(Self(self.0 | 1 << place))
    }

    pub(in crate::schema) fn is_null_only(self) -> bool {
        self.0 == 1
    }

    pub(in crate::schema) fn is_integer_only(self) -> bool {
        self.0 & (Self::INTEGER | Self::NUMBER) == Self::INTEGER
    }

    pub(in crate::schema) fn admits(self, value: &Value) -> bool {
        let bit = match value {
            Value::Null => 1,
            Value::Bool(_) => 1 << 1,
            // Whether a number is an integer is a question of its own.
            Value::Number(_) => Self::INTEGER | Self::NUMBER,
            Value::String(_) => 1 << 4,
            Value::Array(_) => 1 << 5,
            Value::Object(_) => 1 << 6,
        };
        self.0 & bit != 0
    }

    /// The names, in a fixed order.
    pub(in crate::schema) fn names(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for (place, name) in Self::NAMES.iter().enumerate() {
            if self.0 & (1 << place) != 0 {
                names.push(*name);
            }
        }
        names
    }
}
