//! Values against compiled nodes.

use std::cell::Cell;
use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::equality::{canonical_each, equal};
use super::node::{
    Additional, Alternatives, ArrayNode, Node, NumberNode, ObjectNode, StringNode, Types,
};
use super::violation::{Received, Violation, type_name};
use super::words::{expected, expected_of_any, listed, one_of, shown};
use super::{MAX_DEPTH, MAX_HOPS, MAX_STACKED, MAX_VIOLATIONS, Validator};
use crate::schema::{numbers, place::escape};
use crate::text::{borrowed, repeats};

/// Schemas that ask for others several times, and alternatives that are tried one after the other, multiply: a value may
/// take so many steps.
const MAX_STEPS: usize = 1_000_000;
/// A large value may take more: so many for each of the values in it.
const STEPS_EACH: usize = 32;

impl Validator {
    /// Checks a value.
    ///
    /// # Errors
    ///
    /// Everything that does not fit, in the order of the schema, [`MAX_VIOLATIONS`] at most.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<Violation>> {
        let steps = Steps::of(value);
        let mut check = Check::new(&self.definitions, &steps);
        check.node(&self.root, value, &Path::Root);
        if check.found.is_empty() {
            Ok(())
        } else {
            Err(check.found)
        }
    }

    /// Whether a value fits.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.fits(&self.root, value)
    }

    pub(in crate::schema) fn root(&self) -> &Node {
        &self.root
    }

    pub(in crate::schema) fn definition(&self, index: usize) -> Option<&Node> {
        self.definitions.get(index)
    }

    pub(in crate::schema) fn fits(&self, node: &Node, value: &Value) -> bool {
        let steps = Steps::of(value);
        let mut check = Check::new(&self.definitions, &steps);
        check.node(node, value, &Path::Root);
        check.found.is_empty()
    }
}

/// Where a value is, on the stack: nothing is allocated unless there is something to report.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => {
                let mut pointer = parent.pointer();
                pointer.push('/');
                escape(&shown(key), &mut pointer);
                pointer
            }
            Self::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// The steps of a check, those of all trials of alternatives among them.
struct Steps<'a> {
    whole: &'a Value,
    taken: Cell<usize>,
    most: Cell<usize>,
}

impl<'a> Steps<'a> {
    fn of(whole: &'a Value) -> Self {
        Self {
            whole,
            taken: Cell::new(0),
            most: Cell::new(MAX_STEPS),
        }
    }

    /// Takes one more; says whether there was one left.
    fn take(&self) -> bool {
        self.taken.set(self.taken.get() + 1);
        self.taken.get() <= self.most.get() || self.goes_on()
    }

    /// Counts how large the value is, once.
    #[cold]
    fn goes_on(&self) -> bool {
        if self.most.get() == MAX_STEPS {
            self.most.set(MAX_STEPS + STEPS_EACH * size(self.whole));
        }
        self.taken.get() <= self.most.get()
    }
}

/// How many values there are in a value, itself among them.
fn size(value: &Value) -> usize {
    let mut size = 0;
    let mut ahead = vec![value];
    while let Some(value) = ahead.pop() {
        size += 1;
        match value {
            Value::Array(items) => ahead.extend(items),
            Value::Object(members) => ahead.extend(members.values()),
            _ => {}
        }
    }
    size
}

struct Check<'a> {
    definitions: &'a [Node],
    found: Vec<Violation>,
    /// How deep the value is nested here.
    depth: usize,
    /// How many references and alternatives were followed without going deeper.
    hops: usize,
    /// How many schemas are on the stack.
    stacked: usize,
    /// Shared with all trials.
    steps: &'a Steps<'a>,
    /// Whether it only matters if there is a misfit at all.
    is_trial: bool,
}

impl<'a> Check<'a> {
    fn new(definitions: &'a [Node], steps: &'a Steps<'a>) -> Self {
        Self {
            definitions,
            found: Vec::new(),
            depth: 0,
            hops: 0,
            stacked: 0,
            steps,
            is_trial: false,
        }
    }

    /// Reports a misfit; what was expected is only put into words where it will be told.
    #[cold]
    fn report(&mut self, path: &Path<'_>, expected: &dyn Fn() -> String, received: Received) {
        if self.is_full() {
            return;
        }
        let (pointer, expected) = if self.is_trial {
            Default::default()
        } else {
            (path.pointer(), expected())
        };
        self.found.push(Violation {
            pointer,
            expected,
            received,
        });
    }

    /// Whether no misfit more would be told.
    fn is_full(&self) -> bool {
        self.found.len() >= if self.is_trial { 1 } else { MAX_VIOLATIONS }
    }

    /// Checks a value within the current one.
    fn nested(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        if self.depth == MAX_DEPTH {
            let expected = || format!("nested at most {MAX_DEPTH} deep");
            return self.report(path, &expected, Received::BadValue(type_name(value)));
        }
        self.depth += 1;
        let hops = std::mem::take(&mut self.hops);
        self.node(node, value, path);
        self.hops = hops;
        self.depth -= 1;
    }

    /// Checks the current value against one more schema.
    fn node(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        if self.hops > MAX_HOPS || self.stacked == MAX_STACKED || !self.steps.take() {
            let expected = || "simpler: following all alternatives takes too long".to_owned();
            return self.report(path, &expected, Received::BadValue(type_name(value)));
        }
        self.hops += 1;
        self.stacked += 1;
        self.checks(node, value, path);
        self.stacked -= 1;
        self.hops -= 1;
    }

    fn checks(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        if node.never {
            return self.report(
                path,
                &|| "absent".to_owned(),
                Received::BadValue(type_name(value)),
            );
        }
        if let Some(types) = node.types
            && !self.types(types, node, value, path)
        {
            return;
        }
        if let Some(allowed) = &node.allowed
            && !allowed.iter().any(|known| equal(known, value))
        {
            let received = match allowed
                .iter()
                .any(|known| type_name(known) == type_name(value))
            {
                true => Received::BadValue(type_name(value)),
                false => Received::WrongType(type_name(value)),
            };
            return self.report(path, &|| one_of(allowed), received);
        }
        match value {
            Value::Object(members) => {
                if let Some(object) = &node.object {
                    self.object(object, members, path);
                }
            }
            Value::Array(items) => {
                if let Some(array) = &node.array {
                    self.array(array, items, path);
                }
            }
            Value::String(text) => {
                if let Some(string) = &node.string {
                    self.string(string, text, path);
                }
            }
            Value::Number(number) => {
                if let Some(bounds) = &node.number {
                    self.number(bounds, number, path);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
        if let Some(index) = node.reference
            && let Some(target) = self.definitions.get(index)
        {
            self.node(target, value, path);
        }
        for part in &node.all_of {
            self.node(part, value, path);
        }
        if let Some(alternatives) = &node.any_of {
            self.alternatives(alternatives, value, path);
        }
        if let Some(alternatives) = &node.one_of {
            self.one_alternative(alternatives, value, path);
        }
    }

    /// Whether the type fits; if not, that is all there is to say.
    fn types(&mut self, types: Types, node: &Node, value: &Value, path: &Path<'_>) -> bool {
        if !types.admits(value) {
            let definitions = self.definitions;
            self.report(
                path,
                &|| expected(node, definitions),
                Received::WrongType(type_name(value)),
            );
            return false;
        }
        if let Value::Number(number) = value
            && types.is_integer_only()
            && numbers::integer(number).is_none()
        {
            let whole = number.as_f64().is_some_and(|value| value.fract() == 0.0);
            let expected = if whole {
                "an integer of at most 64 bits, written without fraction and exponent"
            } else {
                "an integer, without a fraction"
            };
            self.report(path, &|| expected.to_owned(), Received::BadValue("number"));
            return false;
        }
        true
    }

    fn object(&mut self, node: &ObjectNode, members: &Map<String, Value>, path: &Path<'_>) {
        let definitions = self.definitions;
        for name in &node.required {
            if !members.contains_key(name) {
                let expected = || match node.property(name) {
                    Some(property) => expected(&property.node, definitions),
                    None => "present".to_owned(),
                };
                self.report(&Path::Key(path, name), &expected, Received::Missing);
            }
        }
        for (name, value) in members {
            if self.is_full() {
                return;
            }
            let path = Path::Key(path, name);
            match (node.property(name), &node.additional) {
                // Left out, in the spelling of a client that names every argument.
                (Some(property), _) if !property.required && value.is_null() => {}
                (Some(property), _) => self.nested(&property.node, value, &path),
                (None, Additional::Any) => {}
                (None, Additional::Each(node)) => self.nested(node, value, &path),
                (None, Additional::None) => {
                    let known = || {
                        let mut names = Vec::with_capacity(node.properties.len());
                        for property in &node.properties {
                            names.push(format!("`{}`", property.name));
                        }
                        listed(names)
                    };
                    self.report(&path, &known, Received::UnknownKey);
                }
            }
        }
        let counts = (node.min_properties, node.max_properties);
        self.counted(
            members.len(),
            counts,
            "an object of",
            "member",
            "object",
            path,
        );
    }

    fn array(&mut self, node: &ArrayNode, items: &[Value], path: &Path<'_>) {
        for (i, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            if let Some(schema) = node.prefix.get(i).or(node.items.as_ref()) {
                self.nested(schema, item, &Path::Index(path, i));
            }
        }
        self.counted(
            items.len(),
            (node.min_items, node.max_items),
            "an array of",
            "item",
            "array",
            path,
        );
        if node.unique && !repeats(&borrowed(&canonical_each(items))).is_empty() {
            self.report(
                path,
                &|| "an array without repeated items".to_owned(),
                Received::BadValue("array"),
            );
        }
    }

    fn string(&mut self, node: &StringNode, text: &str, path: &Path<'_>) {
        let counts = (node.min_length, node.max_length);
        if counts != (None, None) {
            self.counted(
                text.chars().count(),
                counts,
                "a string of",
                "character",
                "string",
                path,
            );
        }
        if let Some((pattern, matches)) = &node.pattern
            && !matches(text)
        {
            self.report(
                path,
                &|| format!("a string that matches {pattern}"),
                Received::BadValue("string"),
            );
        }
    }

    fn counted(
        &mut self,
        count: usize,
        (least, most): (Option<usize>, Option<usize>),
        what: &str,
        noun: &str,
        name: &'static str,
        path: &Path<'_>,
    ) {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if let Some(least) = least.filter(|least| count < *least) {
            let expected = || format!("{what} at least {least} {noun}{}", plural(least));
            self.report(path, &expected, Received::BadValue(name));
        }
        if let Some(most) = most.filter(|most| count > *most) {
            let expected = || format!("{what} at most {most} {noun}{}", plural(most));
            self.report(path, &expected, Received::BadValue(name));
        }
    }

    fn number(&mut self, node: &NumberNode, number: &Number, path: &Path<'_>) {
        let order = |bound: &Number| numbers::compare(number, bound);
        let broken = [
            (&node.minimum, "at least", &[Ordering::Less][..]),
            (&node.maximum, "at most", &[Ordering::Greater]),
            (
                &node.above,
                "greater than",
                &[Ordering::Less, Ordering::Equal],
            ),
            (
                &node.below,
                "less than",
                &[Ordering::Greater, Ordering::Equal],
            ),
        ];
        for (bound, words, orders) in broken {
            if let Some(bound) = bound
                && order(bound).is_some_and(|order| orders.contains(&order))
            {
                self.report(
                    path,
                    &|| format!("{words} {bound}"),
                    Received::BadValue("number"),
                );
            }
        }
        if let Some(step) = &node.multiple_of
            && !numbers::is_multiple(number, step)
        {
            self.report(
                path,
                &|| format!("a multiple of {step}"),
                Received::BadValue("number"),
            );
        }
    }

    fn fits(&self, node: &Node, value: &Value) -> bool {
        let mut check = Check {
            depth: self.depth,
            hops: self.hops,
            stacked: self.stacked,
            is_trial: true,
            ..Check::new(self.definitions, self.steps)
        };
        check.node(node, value, &Path::Root);
        check.found.is_empty()
    }

    fn alternatives(&mut self, alternatives: &Alternatives, value: &Value, path: &Path<'_>) {
        if let (Some((tag, values)), Value::Object(members)) = (&alternatives.tag, value) {
            return self.tagged(alternatives, tag, values, members, value, path);
        }
        // If one alternative alone takes values of this type, its own complaints are the useful ones; and nothing is
        // tried twice, which down a recursive schema would double at each level.
        let mut same_type = alternatives
            .nodes
            .iter()
            .filter(|node| self.admits(node, value, 0));
        let received = match (same_type.next(), same_type.next()) {
            (Some(node), None) => return self.node(node, value, path),
            (None, _) => Received::WrongType(type_name(value)),
            _ if alternatives.nodes.iter().any(|node| self.fits(node, value)) => return,
            _ => Received::BadValue(type_name(value)),
        };
        let definitions = self.definitions;
        self.report(
            path,
            &|| expected_of_any(&alternatives.nodes, definitions),
            received,
        );
    }

    /// Whether a node takes values of this type at all, as far as its types tell.
    fn admits(&self, node: &Node, value: &Value, hops: usize) -> bool {
        if hops > MAX_HOPS || !self.steps.take() {
            // What cannot be told here is what the check itself finds out.
            return true;
        }
        let target = node.reference.and_then(|index| self.definitions.get(index));
        node.types.is_none_or(|types| types.admits(value))
            && target.is_none_or(|target| self.admits(target, value, hops + 1))
            && node.any_of.as_ref().is_none_or(|alternatives| {
                let mut nodes = alternatives.nodes.iter();
                nodes.any(|node| self.admits(node, value, hops + 1))
            })
    }

    fn tagged(
        &mut self,
        alternatives: &Alternatives,
        tag: &str,
        values: &[Option<String>],
        members: &Map<String, Value>,
        value: &Value,
        path: &Path<'_>,
    ) {
        let allowed = || {
            let mut allowed = Vec::with_capacity(values.len());
            for value in values.iter().flatten() {
                allowed.push(Value::from(value.as_str()));
            }
            one_of(&allowed)
        };
        let path_of_tag = Path::Key(path, tag);
        match members.get(tag) {
            None => self.report(&path_of_tag, &allowed, Received::Missing),
            Some(Value::String(given)) => match values
                .iter()
                .position(|known| known.as_ref() == Some(given))
            {
                Some(place) => self.node(&alternatives.nodes[place], value, path),
                None => self.report(&path_of_tag, &allowed, Received::BadValue("string")),
            },
            Some(other) => self.report(
                &path_of_tag,
                &allowed,
                Received::WrongType(type_name(other)),
            ),
        }
    }

    fn one_alternative(&mut self, alternatives: &Alternatives, value: &Value, path: &Path<'_>) {
        match alternatives
            .nodes
            .iter()
            .filter(|node| self.fits(node, value))
            .count()
        {
            0 => self.alternatives(alternatives, value, path),
            1 => {}
            _ => self.report(
                path,
                &|| "of one kind only, and it fits several".to_owned(),
                Received::BadValue(type_name(value)),
            ),
        }
    }
}
