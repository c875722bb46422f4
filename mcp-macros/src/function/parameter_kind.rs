//! Which kind of parameter a type is, by the last segment of its path.
//!
//! The name is only a shortcut: the expansion asks the kind's trait of the type, at the user's span, so that
//! another crate's `State` is a compile error and not an argument.

use quote::ToTokens;
use syn::Type;

use super::Kind;
use crate::errors::Errors;
use crate::syntax::{last_segment, only_argument, peel};

/// The kind of a parameter.
pub(super) enum ParameterKind {
    /// Anything else: an argument of the function.
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
pub(super) fn of(kind: Kind, ty: &Type, errors: &mut Errors) -> Option<ParameterKind> {
    if let Type::Reference(reference) = peel(ty) {
        return referenced(kind, ty, reference, errors);
    }
    if let Type::ImplTrait(_) = peel(ty) {
        errors.on(
            ty,
            "an argument needs a type that can be decoded: name one in place of `impl Trait`",
        );
        return None;
    }
    let Some(segment) = last_segment(ty) else {
        return plain(kind, ty, errors);
    };
    let value = only_argument(segment).cloned();
    Some(match segment.ident.to_string().as_str() {
        "Context" => ParameterKind::Context { referenced: None },
        "State" => ParameterKind::State,
        "Args" => ParameterKind::Arguments,
        "Elicit" => ParameterKind::Marker {
            name: "Elicit",
            value,
        },
        "Resolve" => ParameterKind::Marker {
            name: "Resolve",
            value,
        },
        _ => return plain(kind, ty, errors),
    })
}

fn referenced(
    kind: Kind,
    ty: &Type,
    reference: &syn::TypeReference,
    errors: &mut Errors,
) -> Option<ParameterKind> {
    let inner = peel(&reference.elem);
    let name = last_segment(inner)
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default();
    if reference.mutability.is_some() {
        let message = format!("a {} cannot take `&mut`: take it owned", kind.name());
        errors.on(ty, message);
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
        "str" => return Some(ParameterKind::Plain { is_str: true }),
        "Context" => {
            return Some(ParameterKind::Context {
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

fn plain(kind: Kind, ty: &Type, errors: &mut Errors) -> Option<ParameterKind> {
    if let Some(reference) = inner_reference(ty) {
        errors.on(
            &reference,
            "only `&str` itself can be borrowed from the arguments: take it owned",
        );
        return None;
    }
    if let Some(found) = structured(ty).filter(|_| kind != Kind::Tool) {
        let what = match kind {
            Kind::Resource => "a variable of a URI",
            Kind::Prompt | Kind::Tool => "an argument of a prompt",
        };
        errors.on(
            ty,
            format!("{what} is text, which {found} cannot be read from: take a `String` and take it apart in the body"),
        );
        return None;
    }
    Some(ParameterKind::Plain { is_str: false })
}

/// What is known, by how it is written, to need more than one text.
fn structured(ty: &Type) -> Option<&'static str> {
    match peel(ty) {
        Type::Tuple(_) => Some("a tuple"),
        Type::Array(_) | Type::Slice(_) => Some("a list"),
        ty => {
            let segment = last_segment(ty)?;
            match segment.ident.to_string().as_str() {
                "Option" => only_argument(segment).and_then(structured),
                "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Some("a list"),
                "HashMap" | "BTreeMap" => Some("a map"),
                _ => None,
            }
        }
    }
}

fn owned(inner: &Type) -> String {
    let (owned, or_state) = match inner {
        Type::Slice(slice) => (format!("Vec<{}>", text(&slice.elem)), String::new()),
        _ => {
            let ty = text(inner);
            let state = format!(", or as `State<{ty}>` where it is the server's and no argument");
            (ty, state)
        }
    };
    format!("only `&str` can be borrowed from the arguments: take it owned, as `{owned}`{or_state}")
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
