//! `#[header("Region")]` on an argument of a tool: clients over HTTP send it as `Mcp-Param-Region` as well, so that what
//! is between them and the server can route by it. Specification: server/tools, x-mcp-header.

use syn::{Attribute, GenericArgument, LitStr, Meta, PathArguments, Type};

use super::Kind;
use super::model::{Parameter, Role};
use crate::errors::Errors;
use crate::syntax::{last_segment, only_argument, peel};

/// The keyword that says the same in a schema.
pub(super) const KEYWORD: &str = "x-mcp-header";

/// The name in one attribute on a parameter of type `ty`.
pub(super) fn parse(attribute: &Attribute, ty: &Type, errors: &mut Errors) -> Option<LitStr> {
    if let Some(fault) = type_fault(ty) {
        errors.on(ty, fault);
    }
    let usage = "write `#[header(\"Region\")]`";
    let Meta::List(list) = &attribute.meta else {
        errors.on(attribute, format!("`header` needs a name: {usage}"));
        return None;
    };
    if list.tokens.is_empty() {
        errors.on(attribute, format!("`header` needs a name: {usage}"));
        return None;
    }
    let Ok(name) = syn::parse2::<LitStr>(list.tokens.clone()) else {
        errors.on(
            &list.tokens,
            format!("`header` takes one name in quotes: {usage}"),
        );
        return None;
    };
    if let Some(fault) = name_fault(&name.value()) {
        errors.on(&name, fault);
        return None;
    }
    Some(name)
}

/// Why no argument of such a function becomes a header.
pub(super) fn refusal(kind: Kind) -> Option<String> {
    (kind != Kind::Tool).then(|| {
        format!(
            "only the arguments of tools become headers, not those of a {}: remove `header`",
            kind.name()
        )
    })
}

/// Two arguments cannot share a header, and the case of its letters does not count.
pub(super) fn unique(parameters: &[Parameter], errors: &mut Errors) {
    let mut seen: Vec<(String, &Parameter)> = Vec::new();
    for parameter in parameters {
        let Role::Argument(argument) = &parameter.role else {
            continue;
        };
        let Some(header) = &argument.header else {
            continue;
        };
        let name = header.value().to_ascii_lowercase();
        match seen.iter().find(|(known, _)| *known == name) {
            Some((_, first)) => errors.on(
                header,
                format!(
                    "`{}` is sent under this name already, and headers know no case: choose another",
                    first.ident
                ),
            ),
            None => seen.push((name, parameter)),
        }
    }
}

fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("the name of a header is not empty: write one such as \"Region\"".to_owned());
    }
    let is_token = |c: &char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(*c);
    let odd = name.chars().find(|c| !is_token(c))?;
    Some(format!(
        "the name of a header has letters, digits and `-`, not `{}`: write one such as \"Region\"",
        odd.escape_debug()
    ))
}

/// What is known of a type by how it is written; `build()` looks at its schema.
fn type_fault(ty: &Type) -> Option<String> {
    let what = match peel(ty) {
        Type::Tuple(_) | Type::Array(_) | Type::Slice(_) => "a list",
        ty => {
            let segment = last_segment(ty)?;
            match segment.ident.to_string().as_str() {
                "Option" => return only_argument(segment).and_then(type_fault),
                "Box" | "Arc" | "Rc" => {
                    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                        return None;
                    };
                    return arguments.args.iter().find_map(|argument| match argument {
                        GenericArgument::Type(ty) => type_fault(ty),
                        _ => None,
                    });
                }
                "f32" | "f64" => {
                    return Some(
                        "a number with a fraction is written in many ways, so it cannot be a header: take an integer or a `String`, or remove `header`"
                            .to_owned(),
                    );
                }
                "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => "a list",
                "HashMap" | "BTreeMap" | "Map" => "a map",
                "Value" => "any JSON",
                _ => return None,
            }
        }
    };
    Some(format!(
        "a header is one text, integer or `bool`, not {what}: take one of these, or remove `header`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn names_are_tokens() {
        for right in ["Region", "x-1_2.3", "!#$%&'*+-.^_`|~"] {
            assert_eq!(name_fault(right), None, "{right}");
        }
        for wrong in ["", "My Region", "a:b", "größe", "a\r\nb", "a/b", "\"a\""] {
            assert!(name_fault(wrong).is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn types_that_cannot_be_headers() {
        let right: [Type; 5] = [
            parse_quote!(&str),
            parse_quote!(String),
            parse_quote!(Option<u32>),
            parse_quote!(bool),
            parse_quote!(shop::Region),
        ];
        for ty in right {
            assert_eq!(type_fault(&ty), None);
        }
        let wrong: [Type; 7] = [
            parse_quote!(f64),
            parse_quote!(Option<f32>),
            parse_quote!(Box<f64>),
            parse_quote!(Vec<String>),
            parse_quote!(std::collections::HashMap<String, String>),
            parse_quote!((u8, u8)),
            parse_quote!([u8; 3]),
        ];
        for ty in wrong {
            assert!(type_fault(&ty).is_some());
        }
    }
}
