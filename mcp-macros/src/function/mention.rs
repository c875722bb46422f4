//! Finds which parameters an expression mentions, by its tokens: that also sees into macros, whose arguments
//! nobody can parse.
//!
//! It may find too much (a closure's own `answer`), which makes a question wait without need; it does not find
//! less than the compiler would, apart from names that a macro makes up.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use syn::{Lit, LitStr};

use super::format::{Reference, Template};

/// Calls `found` with each name that `tokens` may read, and where.
pub(crate) fn scan(tokens: TokenStream, found: &mut impl FnMut(&str, Span)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) => {
                let before = index.checked_sub(1).and_then(|before| tokens.get(before));
                let second_before = index.checked_sub(2).and_then(|before| tokens.get(before));
                if !is_member(second_before, before) && !is_key(&tokens[index + 1..]) {
                    let name = ident.to_string();
                    found(name.strip_prefix("r#").unwrap_or(&name), ident.span());
                }
            }
            TokenTree::Group(group) => scan(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Lit::Str(text) = Lit::new(literal.clone()) {
                    in_text(&text, found);
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

/// Whether `name` is mentioned at all.
pub(crate) fn mentions(tokens: TokenStream, name: &str) -> bool {
    let mut mentioned = false;
    scan(tokens, &mut |found, _| mentioned |= found == name);
    mentioned
}

/// What to add to an error about a mention of `name` that may be a closure's own, as nobody can tell by the tokens.
pub(crate) fn rename_hint(tokens: TokenStream, name: &str) -> String {
    if has_closure(tokens) {
        format!("; if it is a closure's own `{name}`, rename that")
    } else {
        String::new()
    }
}

fn has_closure(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Group(group) => has_closure(group.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// `{name` and `name$` in a string: a format string captures them.
fn in_text(text: &LitStr, found: &mut impl FnMut(&str, Span)) {
    let template = Template::parse(&text.value());
    for reference in template.shown.iter().chain(&template.counts) {
        if let Reference::Name(name) = reference {
            found(name, text.span());
        }
    }
}

fn is_punct(token: Option<&TokenTree>, char: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

/// `x.name` and `path::name`, but not `..name`.
fn is_member(second_before: Option<&TokenTree>, before: Option<&TokenTree>) -> bool {
    let doubled = |char| is_punct(second_before, char) && is_punct(before, char);
    (is_punct(before, '.') && !doubled('.')) || doubled(':')
}

/// `name: value` in a struct, `name::path`, `name!(..)`, and `name(..)`: a resolver may have the name of its
/// parameter, and no parameter can be called.
fn is_key(after: &[TokenTree]) -> bool {
    let is_group = |token: Option<&TokenTree>, delimiter| matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter);
    let is_macro = is_punct(after.first(), '!')
        && [Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace]
            .into_iter()
            .any(|delimiter| is_group(after.get(1), delimiter));
    is_punct(after.first(), ':') || is_macro || is_group(after.first(), Delimiter::Parenthesis)
}

/// `self` in an expression of a method, which the generated code calls by another name; `self::path` stays.
pub(crate) fn rename_self(tokens: TokenStream, name: &str) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_path = |after: Option<&TokenTree>| matches!(after, Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
    let renamed = tokens.iter().enumerate().map(|(index, token)| match token {
        TokenTree::Ident(ident) if ident == "self" && !is_path(tokens.get(index + 1)) => {
            TokenTree::Ident(proc_macro2::Ident::new(
                name,
                crate::syntax::ours(ident.span()),
            ))
        }
        TokenTree::Group(group) => {
            let mut inner =
                proc_macro2::Group::new(group.delimiter(), rename_self(group.stream(), name));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other.clone(),
    });
    renamed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn names(tokens: TokenStream) -> Vec<String> {
        let mut names = Vec::new();
        scan(tokens, &mut |name, _| names.push(name.to_owned()));
        names
    }

    #[test]
    fn values_are_found_also_in_macros_and_strings() {
        assert_eq!(names(quote!(f(&a, [r#type]))), ["a", "type"]);
        assert_eq!(
            names(quote!(format!("{b} {c:?} {:w$}", d))),
            ["b", "c", "w", "d"]
        );
        assert_eq!(
            names(quote!("{b:>w$} {c:*^+#010.p$} {{no}} {:-1$}")),
            ["b", "c", "w", "p"]
        );
        assert_eq!(names(quote!(S { ..base })), ["S", "base"]);
        assert_eq!(names(quote!(0..end)), ["end"]);
    }

    #[test]
    fn fields_paths_and_keys_are_not() {
        assert_eq!(names(quote!(x.answer)), ["x"]);
        assert_eq!(names(quote!(answer::f(b))), ["b"]);
        assert_eq!(names(quote!(path::answer(answer!(c)))), ["c"]);
        assert_eq!(names(quote!(answer(d))), ["d"]);
        assert_eq!(names(quote!(S { answer: d })), ["S", "d"]);
    }

    #[test]
    fn self_is_renamed_but_not_in_paths() {
        let renamed = rename_self(quote!(self.f(self::g(), vec![self.h])), "this");
        assert_eq!(
            renamed.to_string(),
            quote!(this.f(self::g(), vec![this.h])).to_string()
        );
    }
}
