//! URI templates: what a resource's attribute says, taken apart once.
//!
//! Of RFC 6570 these are understood, because a URI can be matched against them in one pass and in
//! one way only:
//!
//! | expression | what it matches |
//! |---|---|
//! | `{name}` | at least one character, up to the next literal or `/` |
//! | `{+name}` | the rest of the path, slashes included; the last part of the path |
//! | `{?a,b}`, `{&a}` | query parameters, each of them optional, in any order; the end of the template |
//!
//! A literal matches both of its spellings, percent-encoded or not. Values are decoded once. The value
//! of `{name}` never holds a path separator, a dot segment or a NUL.
//!
//! Specification: server/resources, Resource Templates.

use std::{borrow::Cow, fmt};

/// A template, ready to be compared with URIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    /// What stands between slashes.
    pub(super) segments: Vec<Segment>,
    /// The variable of `{+name}`, behind the last slash.
    pub(super) rest: Option<String>,
    pub(super) query: Query,
}

/// What stands between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    Literal(String),
    Pattern(Pattern),
}

/// Literals and variables in turn: one literal more than there are variables, the outer ones may be
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) literals: Vec<String>,
    pub(super) variables: Vec<String>,
}

/// What the query must and may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) fixed: Vec<(String, String)>,
    pub(super) variables: Vec<String>,
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateFault(String);

impl fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault<T>(text: impl Into<String>) -> Result<T, TemplateFault> {
    Err(TemplateFault(text.into()))
}

/// A piece of the text.
enum Piece<'a> {
    Literal(&'a str),
    Expression(&'a str),
}

impl Template {
    /// Whether a resource's URI is a template: whether there is an expression in it.
    pub(crate) fn is_template(uri: &str) -> bool {
        uri.contains(['{', '}'])
    }

    /// Takes a template apart.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateFault> {
        let (scheme, _) = text.split_once(':').unwrap_or_default();
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if !is_scheme {
            return fault("a URI begins with a scheme, such as `note://`");
        }
        if text.contains('#') {
            return fault("a template has no fragment; leave `#` out");
        }
        let mut reader = Reader::default();
        for piece in pieces(text)? {
            match piece {
                Piece::Literal(literal) => reader.literal(literal)?,
                Piece::Expression(expression) => reader.expression(expression)?,
            }
        }
        reader.finish(scheme)
    }

    /// The names of the variables, in their order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let in_path = self.segments.iter().flat_map(|segment| match segment {
            Segment::Literal(_) => &[][..],
            Segment::Pattern(pattern) => &pattern.variables,
        });
        in_path
            .chain(&self.rest)
            .chain(&self.query.variables)
            .map(String::as_str)
    }

    /// The variables that a URI may leave out.
    pub(crate) fn optional_variables(&self) -> &[String] {
        &self.query.variables
    }
}

/// Literals and expressions in turn.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, TemplateFault> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (literal, from) = rest.split_at(at);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        let Some((expression, after)) = from.strip_prefix('{').and_then(|f| f.split_once('}'))
        else {
            return fault("the braces of the template do not match");
        };
        if expression.contains('{') {
            return fault("the braces of the template do not match");
        }
        pieces.push(Piece::Expression(expression));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    Ok(pieces)
}

/// Puts a template together, from left to right.
#[derive(Default)]
struct Reader {
    segments: Vec<Segment>,
    /// The segment that is being read.
    literals: Vec<String>,
    variables: Vec<String>,
    /// The literal at its end.
    tail: String,
    rest: Option<String>,
    /// The literal part of the query, once there is a query.
    query: Option<String>,
    optional: Vec<String>,
}

impl Reader {
    fn literal(&mut self, literal: &str) -> Result<(), TemplateFault> {
        if !self.optional.is_empty() {
            return fault("nothing may follow `{?..}` or `{&..}`");
        }
        if let Some(query) = &mut self.query {
            query.push_str(literal);
            return Ok(());
        }
        let (path, query) = match literal.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (literal, None),
        };
        if self.rest.is_some() && !path.is_empty() {
            return fault("`{+..}` takes the rest of the path; nothing but a query may follow it");
        }
        for (index, part) in path.split('/').enumerate() {
            if index > 0 {
                self.end_segment()?;
            }
            self.tail.push_str(part);
        }
        self.query = query.map(str::to_owned);
        Ok(())
    }

    fn expression(&mut self, expression: &str) -> Result<(), TemplateFault> {
        let operator = expression.chars().next().unwrap_or_default();
        match operator {
            '?' | '&' => {
                if (operator == '?') == self.query.is_some() {
                    return fault(
                        "`{?..}` begins a query and `{&..}` goes on with one that has begun",
                    );
                }
                self.query.get_or_insert_default();
                for name in expression[1..].split(',') {
                    self.optional.push(variable(name)?);
                }
                Ok(())
            }
            _ if self.query.is_some() => {
                fault("a variable in the query is written `{?name}` or `{&name}`")
            }
            '+' => {
                let at_start = self.tail.is_empty() && self.variables.is_empty();
                if !at_start || self.segments.is_empty() || self.rest.is_some() {
                    return fault("`{+..}` stands once, right behind a slash");
                }
                self.rest = Some(variable(&expression[1..])?);
                Ok(())
            }
            _ if self.rest.is_some() => {
                fault("`{+..}` takes the rest of the path; nothing but a query may follow it")
            }
            _ => {
                if self.tail.is_empty() && !self.variables.is_empty() {
                    return fault("two variables need a literal between them");
                }
                self.variables.push(variable(expression)?);
                let literal = std::mem::take(&mut self.tail);
                self.literals.push(decoded_literal(&literal)?);
                Ok(())
            }
        }
    }

    fn end_segment(&mut self) -> Result<(), TemplateFault> {
        let tail = decoded_literal(&std::mem::take(&mut self.tail))?;
        self.segments.push(if self.variables.is_empty() {
            Segment::Literal(tail)
        } else {
            self.literals.push(tail);
            Segment::Pattern(Pattern {
                literals: std::mem::take(&mut self.literals),
                variables: std::mem::take(&mut self.variables),
            })
        });
        Ok(())
    }

    fn finish(mut self, scheme: &str) -> Result<Template, TemplateFault> {
        if self.rest.is_none() {
            self.end_segment()?;
        }
        let first = match self.segments.first_mut() {
            Some(Segment::Literal(first)) => Some(first),
            Some(Segment::Pattern(pattern)) => pattern.literals.first_mut(),
            None => None,
        };
        // Schemes are the same in either case.
        if let Some(first) = first {
            first.replace_range(..scheme.len(), &scheme.to_ascii_lowercase());
        }
        let mut fixed = Vec::new();
        for pair in parameters(self.query.as_deref().unwrap_or_default()) {
            let Some(pair) = pair else {
                return fault("the query cannot be decoded");
            };
            fixed.push(pair);
        }
        let template = Template {
            segments: self.segments,
            rest: self.rest,
            query: Query {
                fixed,
                variables: self.optional,
            },
        };
        let mut names: Vec<&str> = template.variables().collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => fault(format!("`{}` stands in the template twice", pair[0])),
            None => Ok(template),
        }
    }
}

fn variable(name: &str) -> Result<String, TemplateFault> {
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name {
        Ok(name.to_owned())
    } else {
        fault(format!(
            "`{{{name}}}` is not understood; write `{{name}}`, `{{+name}}` at the end of the path, or `{{?a,b}}` at the end"
        ))
    }
}

fn decoded_literal(literal: &str) -> Result<String, TemplateFault> {
    match decode(literal) {
        Some(decoded) => Ok(decoded.into_owned()),
        None => fault(format!("`{literal}` is not percent-encoded UTF-8")),
    }
}

impl Pattern {
    /// The values of the variables, where a segment fits.
    pub(super) fn matches<'s>(&self, segment: &'s str) -> Option<Vec<&'s str>> {
        let mut rest = segment.strip_prefix(self.literals.first()?.as_str())?;
        let mut values = Vec::with_capacity(self.variables.len());
        let (last, between) = self.literals[1..].split_last()?;
        for literal in between {
            // A variable takes at least one character.
            let from = rest.chars().next()?.len_utf8();
            let at = from + rest[from..].find(literal.as_str())?;
            values.push(&rest[..at]);
            rest = &rest[at + literal.len()..];
        }
        values.push(rest.strip_suffix(last.as_str()).filter(|v| !v.is_empty())?);
        Some(values)
    }

    /// How many characters are given.
    pub(super) fn weight(&self) -> usize {
        self.literals.iter().map(String::len).sum()
    }

    /// Whether there may be a segment that fits both.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        fn ends(pattern: &Pattern) -> (&str, &str) {
            let (first, last) = (pattern.literals.first(), pattern.literals.last());
            (
                first.map_or("", String::as_str),
                last.map_or("", String::as_str),
            )
        }
        let ((a, x), (b, y)) = (ends(self), ends(other));
        (a.starts_with(b) || b.starts_with(a)) && (x.ends_with(y) || y.ends_with(x))
    }
}

impl Query {
    /// Whether there may be a query that fits both: each takes what the other one needs.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        let takes = |query: &Self, pair: &(String, String)| {
            query.fixed.contains(pair) || query.variables.contains(&pair.0)
        };
        self.fixed.iter().all(|pair| takes(other, pair))
            && other.fixed.iter().all(|pair| takes(self, pair))
    }

    /// The values of the variables, where a query fits: each parameter known and given once.
    pub(super) fn matches(&self, query: &str) -> Option<Vec<(&str, String)>> {
        let mut fixed: Vec<&(String, String)> = self.fixed.iter().collect();
        let mut values: Vec<(&str, String)> = Vec::new();
        for pair in parameters(query) {
            let (name, value) = pair?;
            if let Some(at) = fixed.iter().position(|(n, v)| *n == name && *v == value) {
                fixed.remove(at);
                continue;
            }
            let variable = self.variables.iter().find(|variable| **variable == name)?;
            if values.iter().any(|(known, _)| known == variable) || value.contains('\0') {
                return None;
            }
            values.push((variable, value));
        }
        fixed.is_empty().then_some(values)
    }
}

/// The parameters of a query; `None` for one that cannot be decoded.
fn parameters(query: &str) -> impl Iterator<Item = Option<(String, String)>> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?.into_owned(), decode(value)?.into_owned()))
        })
}

/// The one of a URI's spellings that stands for all of them.
pub(crate) fn spelled(uri: &str) -> Cow<'_, str> {
    decode(uri).unwrap_or(Cow::Borrowed(uri))
}

/// Decodes percent-encoding, once and strictly.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let [high, low, after @ ..] = rest else {
            return None;
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
