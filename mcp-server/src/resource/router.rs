//! [`Router`]: which function a URI belongs to, and the values of its template's variables.
//!
//! Templates share a tree of their segments. A URI goes down it segment by segment, literals before
//! patterns before `{+rest}`, so that its cost depends on the URI and not on how many templates
//! there are.

use std::collections::HashMap;

use super::template::{Pattern, Segment, Template, decode};

/// The longest URI that is looked for: taking one apart needs many times its length.
const LONGEST: usize = 64 * 1024;

/// Finds functions by URI. A server holds it as this, so that one without resources does not have its
/// code.
pub(crate) trait Route: Send + Sync {
    /// Adds a URI or a template.
    ///
    /// # Errors
    ///
    /// The function of a template that the same URIs may belong to.
    fn insert(&mut self, uri: &str, template: Template, function: usize) -> Result<(), usize>;

    /// Finds the function for a URI, among those that are there.
    fn find(&self, uri: &str, is_there: IsThere<'_>) -> Option<Found>;
}

/// Whether a function is there for whoever looks for it.
type IsThere<'a> = &'a dyn Fn(usize) -> bool;

/// The one way to find them.
#[derive(Debug, Default)]
pub(crate) struct Router {
    /// URIs without variables, as they were written.
    exact: HashMap<String, usize>,
    root: Node,
    templates: Vec<(Template, usize)>,
}

/// A place in the tree: what may come next.
#[derive(Debug, Default)]
struct Node {
    literals: HashMap<String, Node>,
    /// The most specific first.
    patterns: Vec<(Pattern, Node)>,
    /// The templates that end here, told apart by their queries.
    end: Vec<usize>,
    /// The templates whose `{+rest}` begins here.
    rest: Vec<usize>,
}

/// What a URI belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) function: usize,
    /// The values of the variables that stand in the URI.
    pub(crate) values: Vec<(String, String)>,
}

impl Route for Router {
    fn insert(&mut self, uri: &str, template: Template, function: usize) -> Result<(), usize> {
        if !Template::is_template(uri) {
            self.exact.insert(uri.to_owned(), function);
        }
        let index = self.templates.len();
        let mut node = &mut self.root;
        for segment in &template.segments {
            node = match segment {
                Segment::Literal(literal) => node.literals.entry(literal.clone()).or_default(),
                Segment::Pattern(pattern) => match node.pattern(pattern) {
                    Ok(next) => next,
                    Err(other) => return Err(self.templates[other].1),
                },
            };
        }
        let place = if template.rest.is_some() {
            &mut node.rest
        } else {
            &mut node.end
        };
        let meets = |&&other: &&usize| self.templates[other].0.query.may_meet(&template.query);
        if let Some(&other) = place.iter().find(meets) {
            return Err(self.templates[other].1);
        }
        place.push(index);
        self.templates.push((template, function));
        Ok(())
    }

    fn find(&self, uri: &str, is_there: IsThere<'_>) -> Option<Found> {
        if let Some(&function) = self.exact.get(uri)
            && is_there(function)
        {
            return Some(Found {
                function,
                values: Vec::new(),
            });
        }
        if self.templates.is_empty() || uri.len() > LONGEST || uri.contains('#') {
            return None;
        }
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let segments: Vec<&str> = path.split('/').collect();
        let mut decoded = Vec::with_capacity(segments.len());
        for (index, segment) in segments.iter().enumerate() {
            let mut segment = decode(segment)?.into_owned();
            if index == 0 {
                let scheme = segment.find(':')?;
                segment[..scheme].make_ascii_lowercase();
            }
            decoded.push(segment);
        }
        let mut values = Vec::new();
        self.root
            .walk(&decoded, &mut values, &|leaf, values, rest| {
                // One that is not there does not stand before others.
                is_there(self.templates[leaf].1)
                    .then(|| self.arrive(leaf, values, rest, query))
                    .flatten()
            })
    }
}

impl Router {
    /// Whether a URI that ends at a template fits its query too.
    fn arrive(
        &self,
        leaf: usize,
        values: &[&str],
        rest: Option<String>,
        query: &str,
    ) -> Option<Found> {
        let (template, function) = &self.templates[leaf];
        let given = template.query.matches(query)?;
        let names = template.variables();
        let in_path = values.iter().map(|value| (*value).to_owned()).chain(rest);
        let mut values: Vec<(String, String)> = names
            .zip(in_path)
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        values.extend(
            given
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );
        Some(Found {
            function: *function,
            values,
        })
    }
}

/// Called with the template at which a URI has arrived, the values on the way, and the rest.
type Arrive<'a> = &'a dyn Fn(usize, &[&str], Option<String>) -> Option<Found>;

impl Node {
    /// The place behind a pattern.
    ///
    /// # Errors
    ///
    /// A template behind a pattern that cannot be told from this one.
    fn pattern(&mut self, pattern: &Pattern) -> Result<&mut Node, usize> {
        let same = |known: &Pattern| known.literals == pattern.literals;
        let at = match self.patterns.iter().position(|(known, _)| same(known)) {
            Some(at) => at,
            None => {
                let meets = self.patterns.iter().find(|(known, _)| {
                    known.weight() == pattern.weight() && known.may_meet(pattern)
                });
                if let Some((_, node)) = meets {
                    return Err(node.first_template().unwrap_or_default());
                }
                let heavier = |(known, _): &(Pattern, Node)| known.weight() > pattern.weight();
                let at = self.patterns.partition_point(heavier);
                self.patterns.insert(at, (pattern.clone(), Node::default()));
                at
            }
        };
        Ok(&mut self.patterns[at].1)
    }

    /// Of the templates that go through here, the one that was there first.
    fn first_template(&self) -> Option<usize> {
        let below = self.literals.values();
        let below = below.chain(self.patterns.iter().map(|(_, node)| node));
        let here = self.end.iter().chain(&self.rest).copied();
        here.chain(below.filter_map(Node::first_template)).min()
    }

    fn walk<'u>(
        &self,
        segments: &'u [String],
        values: &mut Vec<&'u str>,
        arrive: Arrive<'_>,
    ) -> Option<Found> {
        let Some((segment, after)) = segments.split_first() else {
            let mut leaves = self.end.iter();
            return leaves.find_map(|&leaf| arrive(leaf, values, None));
        };
        if let Some(next) = self.literals.get(segment)
            && let Some(found) = next.walk(after, values, arrive)
        {
            return Some(found);
        }
        for (pattern, next) in &self.patterns {
            let Some(matched) = pattern.matches(segment) else {
                continue;
            };
            if !matched.iter().all(|value| is_one_segment(value)) {
                continue;
            }
            let before = values.len();
            values.extend(matched);
            if let Some(found) = next.walk(after, values, arrive) {
                return Some(found);
            }
            values.truncate(before);
        }
        if self.rest.is_empty() {
            return None;
        }
        let rest = segments.join("/");
        (!rest.is_empty() && !rest.contains('\0')).then_some(())?;
        let mut leaves = self.rest.iter();
        leaves.find_map(|&leaf| arrive(leaf, values, Some(rest.clone())))
    }
}

/// Whether a decoded value may stand for `{name}`: no separator, no dot segment, no NUL.
fn is_one_segment(value: &str) -> bool {
    !value.contains(['/', '\\', '\0']) && value != "." && value != ".."
}

#[cfg(test)]
mod tests;
