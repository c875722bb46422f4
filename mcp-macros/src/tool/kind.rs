//! Which kind of parameter a type is, by the last segment of its path.
//!
//! The name is only a shortcut: the expansion asks the kind's trait of the type, at the user's span, so that
//! another crate's `State` is a compile error and not an argument.

use quote::ToTokens;
use syn::Type;

use crate::errors::Errors;
use crate::syntax::{last_segment, only_argument, peel};

/// The kind of a parameter.
pub(super) enum Kind {
    /// Anything else: an argument of the tool.
    Plain {
        is_str: bool,
    },
    Arguments,
    State,
    Context {
        referenced: Option<Type>,
    },
    /// With the name written, `Elicit` or `Resolve`, and its argument.
    Marker {
        name: &'static str,
        value: Option<Type>,
    },
}

/// The kind, or `None` when the type is refused.
pub(super) fn of(ty: &Type, errors: &mut Errors) -> Option<Kind> {
    if let Type::Reference(reference) = peel(ty) {
        return referenced(ty, reference, errors);
    }
    if let Type::ImplTrait(_) = peel(ty) {
        errors.on(
            ty,
            "an argument needs a type that can be decoded: name one in place of `impl Trait`",
        );
        return None;
    }
    let Some(segment) = last_segment(ty) else {
        return plain(ty, errors);
    };
    let value = only_argument(segment).cloned();
    Some(match segment.ident.to_string().as_str() {
        "Context" => Kind::Context { referenced: None },
        "State" => Kind::State,
        "Args" => Kind::Arguments,
        "Elicit" => Kind::Marker {
            name: "Elicit",
            value,
        },
        "Resolve" => Kind::Marker {
            name: "Resolve",
            value,
        },
        _ => return plain(ty, errors),
    })
}

fn referenced(ty: &Type, reference: &syn::TypeReference, errors: &mut Errors) -> Option<Kind> {
    let inner = peel(&reference.elem);
    let name = last_segment(inner)
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default();
    if reference.mutability.is_some() {
        errors.on(ty, "a tool cannot take `&mut`: take it owned");
        return None;
    }
    match name.as_str() {
        "str"
            if reference
                .lifetime
                .as_ref()
                .is_some_and(|lifetime| lifetime.ident == "static") =>
        {
            errors.on(
                ty,
                "an argument lives as long as its call: take `&str` or `String`",
            );
        }
        "str" => return Some(Kind::Plain { is_str: true }),
        "Context" => {
            return Some(Kind::Context {
                referenced: Some(inner.clone()),
            });
        }
        "State" | "Args" | "Elicit" | "Resolve" => {
            errors.on(ty, format!("take `{name}` by value: remove the `&`"))
        }
        _ => errors.on(ty, owned(inner)),
    }
    None
}

fn plain(ty: &Type, errors: &mut Errors) -> Option<Kind> {
    if let Some(reference) = inner_reference(ty) {
        errors.on(
            &reference,
            "only `&str` itself can be borrowed from the arguments: take it owned",
        );
        return None;
    }
    Some(Kind::Plain { is_str: false })
}

fn owned(inner: &Type) -> String {
    let instead = match inner {
        Type::Slice(slice) => format!("Vec<{}>", text(&slice.elem)),
        _ => text(inner),
    };
    format!("only `&str` can be borrowed from the arguments: take it owned, as `{instead}`")
}

fn text(ty: &Type) -> String {
    ty.to_token_stream()
        .to_string()
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace(" :: ", "::")
        .replace(" ,", ",")
}

/// The first reference inside the generic arguments, elements and fields of a type.
fn inner_reference(ty: &Type) -> Option<Type> {
    match peel(ty) {
        found @ Type::Reference(_) => Some(found.clone()),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(inner_reference),
        Type::Array(array) => inner_reference(&array.elem),
        Type::Slice(slice) => inner_reference(&slice.elem),
        Type::Path(path) => {
            path.path
                .segments
                .iter()
                .find_map(|segment| match &segment.arguments {
                    syn::PathArguments::AngleBracketed(arguments) => {
                        arguments.args.iter().find_map(|argument| match argument {
                            syn::GenericArgument::Type(ty) => inner_reference(ty),
                            _ => None,
                        })
                    }
                    _ => None,
                })
        }
        _ => None,
    }
}
