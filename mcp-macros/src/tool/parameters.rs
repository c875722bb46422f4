//! The rules for the parameters of a tool.

use std::collections::HashMap;

use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Ident, Pat, PatType, Token, Type};

use super::check::typed;
use super::kind::{self, Kind};
use super::model::{Argument, Marker, Once, Parameter, Role};
use super::{doc, mention, question, schemars_attrs, serde_attrs};
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
    let names: Vec<_> = inputs
        .iter()
        .map(|input| name_of(input).map(|name| plain(&name)))
        .collect();
    let markers: Vec<_> = inputs.iter().map(|input| is_marker(&input.ty)).collect();
    order(&mut parameters, &names, &markers, errors);
    mentions(&mut parameters, once);
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
        return marker(input, &questions, name, value, wire, errors).map(Role::Marker);
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
        Kind::Plain { is_str } => Role::Argument(argument(input, is_str, &describing, errors)),
        Kind::Arguments(ty) => {
            refuse_descriptions(&describing, "Args", errors);
            Role::Arguments(ty)
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
    value: &Type,
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
    let asks_client = last_segment(value).map(|segment| segment.ident.to_string());
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
        .filter(|parameter| matches!(parameter.role, Role::Arguments(_)));
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

/// A question may mention what is resolved before it.
fn order(
    parameters: &mut [Parameter],
    names: &[Option<String>],
    markers: &[bool],
    errors: &mut Errors,
) {
    let is_marker = |name: &str| {
        names
            .iter()
            .zip(markers)
            .any(|(given, marker)| *marker && given.as_deref() == Some(name))
    };
    for index in 0..parameters.len() {
        let Role::Marker(marker) = &parameters[index].role else {
            continue;
        };
        let (own, question) = (marker.name.clone(), marker.question.tokens());
        let mut after = Vec::new();
        let mut late: Vec<(String, proc_macro2::Span)> = Vec::new();
        mention::scan(question, &mut |name, span| {
            if !is_marker(name) {
                return;
            }
            let earlier = parameters[..index]
                .iter()
                .position(|parameter| plain(&parameter.ident) == name);
            match earlier {
                Some(earlier) if !after.contains(&earlier) => after.push(earlier),
                Some(_) => {}
                // One that was left out for a fault of its own stands before or after: say nothing about it.
                None if name == own
                    || parameters[index..]
                        .iter()
                        .any(|parameter| plain(&parameter.ident) == name) =>
                {
                    if !late.iter().any(|(known, _)| known == name) {
                        late.push((name.to_owned(), span));
                    }
                }
                None => {}
            }
        });
        for (name, span) in late {
            if name == own {
                errors.at(span, format!("the question for `{name}` cannot mention its own answer: ask with the arguments and earlier answers"));
            } else {
                errors.at(
                    span,
                    format!("`{name}` is asked after `{own}`: declare it first"),
                );
            }
        }
        after.sort_unstable();
        if let Role::Marker(marker) = &mut parameters[index].role {
            marker.after = after;
        }
    }
}

/// Which parameters need a local of their name.
fn mentions(parameters: &mut [Parameter], once: &Once) {
    let mut read = Vec::new();
    let mut note = |name: &str, _| read.push(name.to_owned());
    for parameter in parameters.iter() {
        if let Role::Marker(Marker { question, .. }) = &parameter.role {
            mention::scan(question.tokens(), &mut note);
        }
    }
    if let Once::Key(key) = once {
        mention::scan(key.to_token_stream(), &mut note);
    }
    for parameter in parameters {
        parameter.mentioned = read.contains(&plain(&parameter.ident));
    }
}
