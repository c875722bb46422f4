//! The rules for the parameters of a tool.

use std::collections::HashMap;

use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Ident, Pat, PatType, Token, Type};

use super::check::typed;
use super::kind::{self, Kind};
use super::model::{Argument, Marker, Once, Parameter, Role};
use super::{doc, order, question, schemars_attrs, serde_attrs};
use crate::errors::Errors;
use crate::syntax::{last_segment, plain};

/// The parameters of a function, those with faults left out.
pub(super) fn check(
    inputs: &Punctuated<FnArg, Token![,]>,
    once: &Once,
    errors: &mut Errors,
) -> Vec<Parameter> {
    let inputs: Vec<&PatType> = inputs.iter().filter_map(typed).collect();
    let mut parameters: Vec<_> = inputs
        .iter()
        .filter_map(|input| parameter(input, errors))
        .collect();
    one_struct(&parameters, errors);
    wire_names(&parameters, errors);
    let markers: Vec<String> = inputs
        .iter()
        .filter(|input| is_marker(&input.ty))
        .map(|input| wire_name(input))
        .collect();
    order::check(&mut parameters, &markers, errors);
    order::note_mentions(&mut parameters, once);
    parameters
}

fn parameter(input: &PatType, errors: &mut Errors) -> Option<Parameter> {
    let role = role(input, errors);
    let Some(ident) = name_of(input) else {
        let message = match &*input.pat {
            Pat::Wild(_) => {
                "an argument needs a name, which clients see: write one in place of `_`"
            }
            _ => "a parameter of a tool is a plain name: take it apart in the body",
        };
        errors.on(&input.pat, message);
        return None;
    };
    Some(Parameter {
        ident,
        ty: (*input.ty).clone(),
        role: role?,
        mentioned: false,
    })
}

fn name_of(input: &PatType) -> Option<Ident> {
    match &*input.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        _ => None,
    }
}

/// The parameter's name on the wire, unless an attribute says otherwise.
fn wire_name(input: &PatType) -> String {
    name_of(input).map(|name| plain(&name)).unwrap_or_default()
}

fn is_marker(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Elicit" || segment.ident == "Resolve")
}

fn role(input: &PatType, errors: &mut Errors) -> Option<Role> {
    let (mut questions, mut describing) = (Vec::new(), Vec::new());
    for attribute in &input.attrs {
        match attribute.path().get_ident().map(ToString::to_string).as_deref() {
            Some("elicit" | "resolve") => questions.push(attribute),
            Some("serde" | "schemars") => describing.push(attribute),
            Some("cfg" | "cfg_attr") => errors.on(
                attribute,
                "a parameter cannot depend on the configuration: write the whole function once for each `#[cfg(..)]`",
            ),
            _ => {}
        }
    }
    let kind = kind::of(&input.ty, errors)?;
    if let Kind::Marker { name, value } = &kind {
        let wire = name_of(input).map(|name| plain(&name)).unwrap_or_default();
        refuse_descriptions(&describing, name, errors);
        return marker(input, &questions, name, value.as_ref(), wire, errors).map(Role::Marker);
    }
    if let Some(attribute) = questions.first() {
        let given = attribute.path().to_token_stream();
        let message = format!(
            "`{given}` is for a parameter of type `Elicit<T>` or `Resolve<T>`: change the type or remove it"
        );
        errors.on(attribute, message);
        return None;
    }
    Some(match kind {
        Kind::Plain { is_str } => {
            Role::Argument(Box::new(argument(input, is_str, &describing, errors)))
        }
        Kind::Arguments => {
            refuse_descriptions(&describing, "Args", errors);
            Role::Arguments
        }
        Kind::State => {
            refuse_descriptions(&describing, "State", errors);
            Role::State
        }
        Kind::Context { referenced } => {
            refuse_descriptions(&describing, "Context", errors);
            Role::Context { referenced }
        }
        Kind::Marker { .. } => return None,
    })
}

fn refuse_descriptions(attributes: &[&Attribute], kind: &str, errors: &mut Errors) {
    for attribute in attributes {
        errors.on(
            attribute,
            format!("this describes an argument, and `{kind}` is none: remove it"),
        );
    }
}

fn argument(
    input: &PatType,
    is_str: bool,
    describing: &[&Attribute],
    errors: &mut Errors,
) -> Argument {
    let mut argument = Argument {
        name: name_of(input).map(|name| plain(&name)).unwrap_or_default(),
        aliases: Vec::new(),
        description: None,
        is_str,
        default: None,
        deserialize_with: None,
        described_as: None,
        keywords: Vec::new(),
    };
    for attribute in describing {
        if attribute.path().is_ident("serde") {
            serde_attrs::apply(attribute, &mut argument, errors);
        } else {
            schemars_attrs::apply(attribute, &mut argument, errors);
        }
    }
    if argument.description.is_none() {
        argument.description = doc::text(&input.attrs, errors).map(|text| quote!(#text));
    }
    argument
}

fn marker(
    input: &PatType,
    questions: &[&Attribute],
    name: &str,
    value: Option<&Type>,
    wire: String,
    errors: &mut Errors,
) -> Option<Marker> {
    let Some(attribute) = questions.first() else {
        let message = format!(
            "`{name}` needs its question: put `#[elicit(\"message\")]` or `#[resolve(function(..))]` before the parameter"
        );
        errors.on(&input.ty, message);
        return None;
    };
    if let Some(second) = questions.get(1) {
        errors.on(
            second,
            "a parameter has one question: keep one of the attributes",
        );
        return None;
    }
    let unconditional = attribute.path().is_ident("elicit");
    let question = question::parse(attribute, errors);
    let asks_client = value
        .and_then(last_segment)
        .map(|segment| segment.ident.to_string());
    if let Some(kind @ ("Sampled" | "Roots")) = asks_client.as_deref() {
        let function = if kind == "Roots" {
            "roots()"
        } else {
            "sample(..)"
        };
        if name == "Elicit" {
            errors.on(value, format!("nobody declines `{kind}`: take `Resolve<{kind}>`, with `#[resolve(Ask::{function})]`"));
            return None;
        }
        if unconditional {
            errors.on(
                attribute,
                format!("`{kind}` is no form: write `#[resolve(Ask::{function})]`"),
            );
            return None;
        }
    }
    Some(Marker {
        name: wire,
        unconditional,
        question: question?,
        after: Vec::new(),
    })
}

/// `Args<T>` is all arguments, so it stands alone.
fn one_struct(parameters: &[Parameter], errors: &mut Errors) {
    let mut structs = parameters
        .iter()
        .filter(|parameter| matches!(parameter.role, Role::Arguments));
    if structs.next().is_none() {
        return;
    }
    if let Some(second) = structs.next() {
        errors.on(&second.ty, "`Args` is already all arguments: keep one");
    }
    for parameter in parameters {
        if matches!(parameter.role, Role::Argument(_)) {
            let message = format!(
                "`Args` is already all arguments: make `{}` a field of it",
                parameter.ident
            );
            errors.on(&parameter.ident, message);
        }
    }
}

fn wire_names(parameters: &[Parameter], errors: &mut Errors) {
    let mut seen = HashMap::new();
    for parameter in parameters {
        let Role::Argument(argument) = &parameter.role else {
            continue;
        };
        for name in [&argument.name].into_iter().chain(&argument.aliases) {
            if let Some(first) = seen.insert(name.clone(), &parameter.ident) {
                let message = format!(
                    "two arguments are called \"{name}\" on the wire, the other is `{first}`: rename one"
                );
                errors.on(&parameter.ident, message);
            }
        }
    }
}
