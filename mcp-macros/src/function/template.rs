//! Reads a URI template as far as its faults and its variables go, so that both are known when it compiles.
//!
//! The forms that are understood are those of RFC 6570 that can be read backwards, from a URI to the
//! variables, in one way only: `{name}`, `{+path}`, `{?a,b}` and `{&a,b}`. The server reads the template again,
//! to match with.

/// A variable of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) form: Form,
}

/// How a variable is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `{name}`: one segment, or a part of one.
    Simple,
    /// `{+name}`: with slashes.
    Path,
    /// One of `{?a,b}` and `{&a,b}`: may be absent.
    Query,
}

/// What a template says, and what is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Template {
    pub(super) variables: Vec<Variable>,
    pub(super) faults: Vec<String>,
    /// What an expression may follow.
    before: Before,
    /// `{+path}` was seen, after which only a query may come.
    has_path: bool,
    /// A query has begun.
    has_query: bool,
    /// `{?..}` or `{&..}` was seen, after which only more of them may come.
    has_query_variables: bool,
    /// Something came too late, which is said once.
    is_late: bool,
}

/// What stands right before an expression.
#[derive(Debug, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Nothing,
    Slash,
    Literal,
    Variable,
}

impl Template {
    pub(super) fn parse(text: &str) -> Self {
        let mut template = Self::default();
        template.scheme(text);
        let mut rest = text;
        while !rest.is_empty() {
            let literal = &rest[..rest.find(['{', '}']).unwrap_or(rest.len())];
            template.literal(literal);
            rest = &rest[literal.len()..];
            let Some(after) = rest.strip_prefix('{') else {
                if let Some(after) = rest.strip_prefix('}') {
                    template.fault("`}` closes nothing: write `%7D` for a brace");
                    rest = after;
                }
                continue;
            };
            let end = after.find(['{', '}']).unwrap_or(after.len());
            if after[end..].starts_with('}') {
                template.expression(&after[..end]);
                rest = &after[end + 1..];
            } else {
                let open = &after[..end];
                template.fault(format!("`{{{open}` is not closed: write `{{{open}}}`"));
                // Then nobody knows what the rest of it was meant to be.
                break;
            }
        }
        template
    }

    fn fault(&mut self, fault: impl Into<String>) {
        self.faults.push(fault.into());
    }

    fn scheme(&mut self, text: &str) {
        let scheme = text.split(':').next().unwrap_or_default();
        let is_scheme = scheme.len() < text.len()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if !is_scheme {
            self.fault("a URI begins with its scheme: write one such as `note://`");
        }
    }

    fn literal(&mut self, text: &str) {
        let Some(last) = text.chars().last() else {
            return;
        };
        if self.has_query_variables {
            self.late(text, "the variables of the query");
        } else if self.has_path && !self.has_query && !text.starts_with('?') {
            self.late(text, "`{+..}`, which takes the rest of the path");
        }
        self.before = if last == '/' {
            Before::Slash
        } else {
            Before::Literal
        };
        self.has_query |= text.contains('?');
        let is_odd = |c: char| c.is_control() || c.is_whitespace() || "\"<>\\^`|".contains(c);
        if let Some(odd) = text.chars().find(|c| is_odd(*c)) {
            let mut bytes = [0; 4];
            let encoded: String = odd
                .encode_utf8(&mut bytes)
                .bytes()
                .map(|byte| format!("%{byte:02X}"))
                .collect();
            self.fault(format!(
                "`{}` cannot stand in a URI: write `{encoded}`",
                odd.escape_debug()
            ));
        }
        if text.contains('#') {
            self.fault("a fragment stays with the client: end the URI before `#`, or write `%23`");
        }
        if !is_encoded(text) {
            self.fault(format!(
                "`{text}` is not percent-encoded UTF-8: write `%25` for the sign itself"
            ));
        }
    }

    fn late(&mut self, what: &str, after: &str) {
        if !std::mem::replace(&mut self.is_late, true) {
            self.fault(format!("`{what}` stands after {after}: write it before"));
        }
    }

    fn expression(&mut self, content: &str) {
        let (form, names) = match content.chars().next() {
            Some('+') => (Form::Path, &content[1..]),
            Some(operator @ ('?' | '&')) => {
                self.query(operator, content);
                (Form::Query, &content[1..])
            }
            Some(operator) if "#./;=,!@|".contains(operator) => {
                self.operator(operator, content);
                return;
            }
            _ => (Form::Simple, content),
        };
        if form != Form::Query {
            self.in_path(form, content);
        }
        let mut names = names.split(',');
        let first = names.next().unwrap_or_default();
        self.variable(first, form, content);
        for name in names {
            if form == Form::Query {
                self.variable(name, form, content);
            } else {
                self.fault(format!(
                    "`{{{content}}}` has several variables: give each its own braces, and write what separates them"
                ));
                break;
            }
        }
    }

    fn in_path(&mut self, form: Form, content: &str) {
        let before = std::mem::replace(&mut self.before, Before::Variable);
        let has_path = self.has_path;
        self.has_path |= form == Form::Path;
        let written = format!("{{{content}}}");
        if self.has_query_variables {
            self.late(&written, "the variables of the query");
        } else if self.has_query {
            let name = content.trim_start_matches('+');
            self.fault(format!(
                "`{written}` is in the query: write `{{?{name}}}`, or `{{&{name}}}` after a fixed part, in place of the parameter"
            ));
        } else if has_path {
            self.late(&written, "`{+..}`, which takes the rest of the path");
        } else if before == Before::Variable {
            self.fault(format!(
                "nothing separates `{written}` from the variable before it: write a literal between them, such as `/`"
            ));
        } else if form == Form::Path && before != Before::Slash {
            self.fault(format!(
                "`{written}` takes the rest of the path from a `/` on: write one before it"
            ));
        }
    }

    fn query(&mut self, operator: char, content: &str) {
        let names = &content[1..];
        if operator == '?' && self.has_query {
            self.fault(format!(
                "the query has begun before `{{{content}}}`: write `{{&{names}}}`"
            ));
        } else if operator == '&' && !self.has_query {
            self.fault(format!(
                "`{{{content}}}` goes on with a query, and there is none: write `{{?{names}}}`"
            ));
        }
        self.has_query = true;
        self.has_query_variables = true;
    }

    fn operator(&mut self, operator: char, content: &str) {
        let name = &content[operator.len_utf8()..];
        let instead = match operator {
            '/' | '.' | ';' => format!("{operator}{{{name}}}"),
            _ => format!("{{{name}}}"),
        };
        self.fault(format!(
            "`{{{content}}}` is a form of template that cannot be matched with URIs: write `{instead}`"
        ));
        self.before = Before::Literal;
    }

    fn variable(&mut self, name: &str, form: Form, content: &str) {
        if let Some(plain) = name.strip_suffix('*') {
            self.fault(format!(
                "`{name}` takes a list apart, which cannot be matched with URIs: write `{plain}`"
            ));
            return;
        }
        if let Some((plain, _)) = name.split_once(':') {
            self.fault(format!(
                "`{name}` is only the beginning of a value, which cannot be matched with URIs: write `{plain}`"
            ));
            return;
        }
        if name.is_empty() {
            self.fault(format!(
                "a variable of `{{{content}}}` has no name: write one, as in `{{id}}`"
            ));
            return;
        }
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            self.fault(format!(
                "`{name}` is no name of a variable: write one of `A-Z a-z 0-9 _` that begins with no digit"
            ));
            return;
        }
        if self.variables.iter().any(|known| known.name == name) {
            self.fault(format!(
                "the variable `{name}` is there twice: name one of them differently"
            ));
            return;
        }
        self.variables.push(Variable {
            name: name.to_owned(),
            form,
        });
    }
}

/// Whether each `%` begins an encoded byte, and the bytes are text.
fn is_encoded(text: &str) -> bool {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let Some(byte) = part
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        else {
            return false;
        };
        bytes.push(byte);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(text: &str) -> Vec<(String, Form)> {
        let template = Template::parse(text);
        assert_eq!(template.faults, [""; 0], "{text}");
        template
            .variables
            .into_iter()
            .map(|variable| (variable.name, variable.form))
            .collect()
    }

    fn named(name: &str, form: Form) -> (String, Form) {
        (name.to_owned(), form)
    }

    #[test]
    fn variables_in_order() {
        assert_eq!(variables("note://all"), []);
        assert_eq!(
            variables("note://{id}/part-{n}"),
            [named("id", Form::Simple), named("n", Form::Simple)]
        );
        assert_eq!(
            variables("file:///{+path}{?a,b}{&c}"),
            [
                named("path", Form::Path),
                named("a", Form::Query),
                named("b", Form::Query),
                named("c", Form::Query)
            ]
        );
        assert_eq!(variables("x://t?fixed=1{&a}"), [named("a", Form::Query)]);
        assert_eq!(variables("note://größe/%C3%A4"), []);
    }

    #[test]
    fn every_fault_is_one_sentence_with_a_way_out() {
        for wrong in [
            "",
            "note",
            "{scheme}://a",
            "1x://a",
            "x://{a",
            "x://a}",
            "x://{a{b}",
            "x://{}",
            "x://{+}",
            "x://{?}",
            "x://{?a,}",
            "x://{a,b}",
            "x://{a}{b}",
            "x://{a}{+b}",
            "x://{#a}",
            "x://{.a}",
            "x://{/a}",
            "x://{;a}",
            "x://{=a}",
            "x://{a*}",
            "x://{a:3}",
            "x://{a-b}",
            "x://{a.b}",
            "x://{1a}",
            "x://{größe}",
            "x://{a}/{a}",
            "x://{a}{?a}",
            "x://t{?a}{?b}",
            "x://t{&a}",
            "x://t?a=1{?b}",
            "x://t{?a}/b",
            "x://t{?a}{b}",
            "x://t?a={a}",
            "x://t{+a}",
            "x://{+a}/b",
            "x://{+a}/{b}",
            "x://{+a}{b}",
            "x://t#a",
            "x://%FF",
            "x://a b",
            "x://a\nb",
            "x://100%",
            "x://%zz",
        ] {
            let template = Template::parse(wrong);
            assert_eq!(template.faults.len(), 1, "{wrong}: {template:?}");
            let has_way_out = ["write", "name one", "give each"]
                .iter()
                .any(|way| template.faults[0].contains(way));
            assert!(has_way_out, "{template:?}");
        }
    }

    #[test]
    fn faults_do_not_hide_each_other() {
        let template = Template::parse("x://{#a}/{b*}/{c}/{c}");
        assert_eq!(template.faults.len(), 3, "{template:?}");
    }
}
