//! URI templates: from the values of the variables to a URI.
//!
//! All operators of RFC 6570 for variables that are strings, with the prefix modifier.

use std::fmt::Write as _;

/// A URI template that cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the URI template {template:?} is malformed: {reason}")]
pub struct TemplateError {
    /// The template.
    pub template: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The URI that a resource template (RFC 6570) gives with these values.
///
/// Values are percent-encoded: `{id}` lets only unreserved characters through, so that a value can add
/// neither a segment nor a query; `{+path}` and `{#part}` let reserved ones through as well. A variable
/// without a value adds nothing, and in `{?a,b}` its name is left out too. Values for variables that the
/// template does not have are ignored.
///
/// ```
/// use mcp_client::expand;
///
/// assert_eq!(expand("note://{id}", [("id", "a/b é")])?, "note://a%2Fb%20%C3%A9");
/// assert_eq!(expand("file:///{+path}", [("path", "src/main.rs")])?, "file:///src/main.rs");
/// assert_eq!(
///     expand("log://all{?from,limit}", [("limit", "5"), ("from", "a&b")])?,
///     "log://all?from=a%26b&limit=5"
/// );
/// # Ok::<(), mcp_client::TemplateError>(())
/// ```
///
/// # Errors
///
/// The template is malformed.
pub fn expand(
    template: &str,
    variables: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> Result<String, TemplateError> {
    let variables: Vec<_> = variables.into_iter().collect();
    let value_of = |name: &str| {
        let mut variables = variables.iter();
        variables
            .find(|(known, _)| known.as_ref() == name)
            .map(|(_, value)| value.as_ref())
    };
    expand_with(template, &value_of).map_err(|reason| TemplateError {
        template: template.to_owned(),
        reason,
    })
}

fn expand_with<'v>(
    template: &str,
    value_of: &dyn Fn(&str) -> Option<&'v str>,
) -> Result<String, String> {
    let mut uri = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find(['{', '}']) {
        let (literal, expression) = rest.split_at(open);
        encode(literal, true, &mut uri);
        let Some((inside, after)) = expression
            .strip_prefix('{')
            .and_then(|expression| expression.split_once('}'))
        else {
            return Err("a brace has no partner".to_owned());
        };
        expression_to(inside, value_of, &mut uri)?;
        rest = after;
    }
    encode(rest, true, &mut uri);
    Ok(uri)
}

/// How an operator expands (RFC 6570, appendix A).
struct Operator {
    first: &'static str,
    separator: &'static str,
    /// Names are written, with this after one whose value is empty.
    named: Option<&'static str>,
    reserved: bool,
}

impl Operator {
    fn split(expression: &str) -> Result<(Self, &str), String> {
        let operator = |first, separator, named, reserved| Self {
            first,
            separator,
            named,
            reserved,
        };
        let found = match expression.chars().next() {
            Some('+') => operator("", ",", None, true),
            Some('#') => operator("#", ",", None, true),
            Some('.') => operator(".", ".", None, false),
            Some('/') => operator("/", "/", None, false),
            Some(';') => operator(";", ";", Some(""), false),
            Some('?') => operator("?", "&", Some("="), false),
            Some('&') => operator("&", "&", Some("="), false),
            Some(reserved @ ('=' | ',' | '!' | '@' | '|')) => {
                return Err(format!("the operator {reserved} has no meaning yet"));
            }
            _ => return Ok((operator("", ",", None, false), expression)),
        };
        Ok((found, &expression[1..]))
    }
}

fn expression_to<'v>(
    expression: &str,
    value_of: &dyn Fn(&str) -> Option<&'v str>,
    uri: &mut String,
) -> Result<(), String> {
    let (operator, variables) = Operator::split(expression)?;
    let mut before = operator.first;
    for variable in variables.split(',') {
        let (name, length) = modifier(variable)?;
        let Some(value) = value_of(name) else {
            continue;
        };
        uri.push_str(before);
        before = operator.separator;
        let end = length.and_then(|length| value.char_indices().nth(length));
        let value = end.map_or(value, |(end, _)| &value[..end]);
        if let Some(after_empty) = operator.named {
            uri.push_str(name);
            uri.push_str(if value.is_empty() { after_empty } else { "=" });
        }
        encode(value, operator.reserved, uri);
    }
    Ok(())
}

/// A variable's name, and how many characters of its value are wanted.
fn modifier(variable: &str) -> Result<(&str, Option<usize>), String> {
    // A string is not a list: exploding it changes nothing.
    let variable = variable.strip_suffix('*').unwrap_or(variable);
    let (name, length) = match variable.split_once(':') {
        Some((name, digits)) => match digits.parse() {
            Ok(length @ 1..=9_999) => (name, Some(length)),
            _ => return Err(format!("{digits:?} is no length")),
        },
        None => (variable, None),
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '.' | '-');
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(format!("{name:?} is no variable name"));
    }
    Ok((name, length))
}

/// Percent-encodes what may not stand. Where reserved characters may, what is already encoded stays.
fn encode(text: &str, reserved: bool, uri: &mut String) {
    for (place, byte) in text.bytes().enumerate() {
        let stays = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => true,
            b'%' => reserved && is_encoded(&text.as_bytes()[place + 1..]),
            byte => reserved && b":/?#[]@!$&'()*+,;=".contains(&byte),
        };
        if stays {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

fn is_encoded(after: &[u8]) -> bool {
    matches!(after, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The variables of the RFC's examples.
    const RFC: [(&str, &str); 9] = [
        ("var", "value"),
        ("hello", "Hello World!"),
        ("path", "/foo/bar"),
        ("empty", ""),
        ("x", "1024"),
        ("y", "768"),
        ("half", "50%"),
        ("base", "http://example.com/home/"),
        ("v", "6"),
    ];

    #[test]
    fn the_examples_of_the_rfc_come_out() {
        for (template, expected) in [
            ("{var}", "value"),
            ("{hello}", "Hello%20World%21"),
            ("{half}", "50%25"),
            ("O{empty}X", "OX"),
            ("O{undef}X", "OX"),
            ("{x,y}", "1024,768"),
            ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("?{x,empty}", "?1024,"),
            ("?{x,undef}", "?1024"),
            ("{var:3}", "val"),
            ("{var:30}", "value"),
            ("{+var}", "value"),
            ("{+hello}", "Hello%20World!"),
            ("{+half}", "50%25"),
            ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"),
            ("{+path}/here", "/foo/bar/here"),
            ("up{+path}{var}/here", "up/foo/barvalue/here"),
            ("{+path:6}/here", "/foo/b/here"),
            ("{#path,x}/here", "#/foo/bar,1024/here"),
            ("X{#undef}", "X"),
            ("X{.x,y}", "X.1024.768"),
            ("{/var,x}/here", "/value/1024/here"),
            ("{/var,empty}", "/value/"),
            ("{;x,y,empty}", ";x=1024;y=768;empty"),
            ("{;v,empty,undef}", ";v=6;empty"),
            ("{?x,y}", "?x=1024&y=768"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="),
            ("{?x,y,undef}", "?x=1024&y=768"),
            ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ] {
            assert_eq!(expand(template, RFC).unwrap(), expected, "{template}");
        }
    }

    #[test]
    fn a_value_stays_inside_its_place() {
        for (value, encoded) in [
            ("a/b", "a%2Fb"),
            ("../x", "..%2Fx"),
            ("a?b#c&d", "a%3Fb%23c%26d"),
            ("%2F", "%252F"),
            ("\u{e9}\0", "%C3%A9%00"),
            ("{id}", "%7Bid%7D"),
        ] {
            let uri = expand("x://f/{id}/e", [("id", value)]).unwrap();
            assert_eq!(uri, format!("x://f/{encoded}/e"));
        }
        // What is encoded already is not encoded again where reserved characters may stand.
        let uri = expand("x://f/{+path}", [("path", "a%2Fb/50%")]).unwrap();
        assert_eq!(uri, "x://f/a%2Fb/50%25");
    }

    #[test]
    fn a_query_leaves_out_what_has_no_value() {
        let none: [(&str, &str); 0] = [];
        assert_eq!(expand("x://t{?cursor,limit}", none).unwrap(), "x://t");
        let both = [("limit", "5"), ("cursor", "a&b"), ("other", "z")];
        assert_eq!(
            expand("x://t{?cursor,limit}", both).unwrap(),
            "x://t?cursor=a%26b&limit=5"
        );
        assert_eq!(
            expand("x://p/{id}{?v}", [("id", "7"), ("v", "2")]).unwrap(),
            "x://p/7?v=2"
        );
    }

    #[test]
    fn literals_that_no_uri_may_hold_are_encoded() {
        assert_eq!(expand("x://\u{e9} {v}", RFC).unwrap(), "x://%C3%A9%206");
    }

    #[test]
    fn a_malformed_template_is_an_error() {
        for template in [
            "x://{id", "x://id}", "{}", "{a,}", "{a b}", "{=a}", "{a:0}", "{a:x}", "{{a}}", "{+}",
        ] {
            let error = expand(template, RFC).unwrap_err();
            assert_eq!(error.template, template);
        }
    }
}
