//! Doc comments as descriptions.

use syn::{Attribute, Expr, LitStr, Meta};

use crate::errors::Errors;
use crate::syntax::string_literal;

/// The text of the doc comments, without the space after `///` and without surrounding blank lines.
pub(crate) fn text(attributes: &[Attribute], errors: &mut Errors) -> Option<String> {
    let mut lines = Vec::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        if !pair.path.is_ident("doc") {
            continue;
        }
        match string_literal(&pair.value) {
            Some(text) => lines.extend(unindented(&value(text))),
            None => errors.on(&pair.value, computed(&pair.value)),
        }
    }
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text of a literal. Comments have no escapes, and `syn` reads each character.
fn value(text: &LitStr) -> String {
    let token = text.token().to_string();
    let plain = token.strip_prefix('r').unwrap_or(&token);
    let plain = plain
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    match plain {
        Some(plain) if token.starts_with('r') || !plain.contains('\\') => plain.to_owned(),
        _ => text.value(),
    }
}

fn computed(value: &Expr) -> &'static str {
    match value {
        Expr::Macro(_) => {
            "a computed doc comment cannot be read here: write the text, or give `description = ..` in the attribute"
        }
        _ => "a doc comment is a string literal",
    }
}

/// A `///` line, or all lines of a `/** */` block.
fn unindented(text: &str) -> Vec<String> {
    let is_block = text.contains('\n');
    text.split('\n')
        .map(|line| {
            let line = if is_block {
                line.trim_start().strip_prefix('*').unwrap_or(line)
            } else {
                line
            };
            line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn of(attributes: &[Attribute]) -> Option<String> {
        let mut errors = Errors::default();
        let text = text(attributes, &mut errors);
        assert!(errors.is_empty());
        text
    }

    #[test]
    fn lines_keep_their_breaks_and_lose_one_space() {
        let lines: Vec<Attribute> = vec![
            parse_quote!(#[doc = " First line."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "   - indented"]),
            parse_quote!(#[doc(hidden)]),
        ];
        assert_eq!(of(&lines).as_deref(), Some("First line.\n\n  - indented"));
    }

    #[test]
    fn literals_are_read_as_rust_reads_them() {
        let literals: Vec<Attribute> = vec![
            parse_quote!(#[doc = " a \"b\" \\ \u{e9}"]),
            parse_quote!(#[doc = r" c\d"]),
            parse_quote!(#[doc = r#" "e"\f"#]),
        ];
        assert_eq!(
            of(&literals).as_deref(),
            Some("a \"b\" \\ \u{e9}\nc\\d\n\"e\"\\f")
        );
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let block: Attribute = parse_quote!(#[doc = "\n * One.\n * Two.\n "]);
        assert_eq!(of(&[block]).as_deref(), Some("One.\nTwo."));
    }

    #[test]
    fn an_empty_comment_is_none() {
        assert_eq!(of(&[parse_quote!(#[doc = "  "])]), None);
    }
}
