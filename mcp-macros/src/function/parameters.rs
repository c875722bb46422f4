//! The rules for the parameters of a function.

use std::collections::HashMap;

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Ident, Pat, PatType, Token, Type};

use super::check::typed;
use super::model::{Argument, Marker, Once, Parameter, Role, Words};
use super::parameter_kind::{self, ParameterKind};
use super::{Kind, completion, doc, header, order, question, schemars_attrs, serde_attrs};
use crate::errors::Errors;
use crate::syntax::{last_segment, plain};

/// The parameters of a function, those with faults left out.
pub(super) fn check(
    kind: Kind,
    inputs: &Punctuated<FnArg, Token![,]>,
    once: &Once,
    errors: &mut Errors,
) -> Vec<Parameter> {
    let inputs: Vec<&PatType> = inputs.iter().filter_map(typed).collect();
    let mut parameters: Vec<_> = inputs
        .iter()
        .filter_map(|input| parameter(kind, input, errors))
        .collect();
    one_struct(&parameters, errors);
    wire_names(&parameters, errors);
    header::unique(&parameters, errors);
    let markers: Vec<String> = inputs
        .iter()
        .filter(|input| is_marker(&input.ty))
        .map(|input| wire_name(input))
        .collect();
    order::check(&mut parameters, &markers, errors);
    order::note_mentions(&mut parameters, once);
    parameters
}

/// The names that are declared, also those of parameters with faults.
pub(super) fn declared(inputs: &Punctuated<FnArg, Token![,]>) -> Vec<String> {
    inputs.iter().filter_map(typed).map(wire_name).collect()
}

fn parameter(kind: Kind, input: &PatType, errors: &mut Errors) -> Option<Parameter> {
    let role = role(kind, input, errors);
    let Some(ident) = name_of(input) else {
        let message = match &*input.pat {
            Pat::Wild(_) => {
                "an argument needs a name, which clients see: write one in place of `_`"
            }
            _ => &format!(
                "a parameter of a {} is a plain name: take it apart in the body",
                kind.name()
            ),
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

/// The attributes of a parameter that are ours, by what they are for.
#[derive(std::default::Default)]
struct Attributes<'a> {
    /// `elicit` and `resolve`.
    questions: Vec<&'a Attribute>,
    /// `serde` and `schemars`.
    describing: Vec<&'a Attribute>,
    completes: Vec<&'a Attribute>,
    headers: Vec<&'a Attribute>,
}

impl<'a> Attributes<'a> {
    fn of(input: &'a PatType, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attribute in &input.attrs {
            match attribute.path().get_ident().map(ToString::to_string).as_deref() {
                Some("elicit" | "resolve") => found.questions.push(attribute),
                Some("serde" | "schemars") => found.describing.push(attribute),
                Some("complete") => found.completes.push(attribute),
                Some("header") => found.headers.push(attribute),
                Some("cfg" | "cfg_attr") => errors.on(
                    attribute,
                    "a parameter cannot depend on the configuration: write the whole function once for each `#[cfg(..)]`",
                ),
                _ => {}
            }
        }
        found
    }

    /// Only plain arguments may carry what is left.
    fn refuse(&self, kind: Kind, given: &str, errors: &mut Errors) {
        for attribute in &self.describing {
            let message = format!("this describes an argument, and `{given}` is none: remove it");
            errors.on(attribute, message);
        }
        let is_struct = given == "Args";
        for attribute in &self.completes {
            let message = completion::refusal(kind).unwrap_or_else(|| {
                let way_out = if is_struct {
                    "take the argument as a parameter of its own"
                } else {
                    "remove it"
                };
                format!("`complete` is for one argument, and `{given}` is none: {way_out}")
            });
            errors.on(attribute, message);
        }
        for attribute in &self.headers {
            let message = header::refusal(kind).unwrap_or_else(|| {
                let way_out = if is_struct {
                    "write `#[schemars(extend(\"x-mcp-header\" = \"..\"))]` on the field"
                } else {
                    "remove it"
                };
                format!("`header` is for one argument, and `{given}` is none: {way_out}")
            });
            errors.on(attribute, message);
        }
    }
}

fn role(kind: Kind, input: &PatType, errors: &mut Errors) -> Option<Role> {
    let attributes = Attributes::of(input, errors);
    let taken = parameter_kind::of(kind, &input.ty, errors)?;
    if let ParameterKind::Marker { name, value } = &taken {
        attributes.refuse(kind, name, errors);
        let (questions, wire) = (&attributes.questions, wire_name(input));
        return marker(input, questions, name, value.as_ref(), wire, errors).map(Role::Marker);
    }
    if let Some(attribute) = attributes.questions.first() {
        let given = attribute.path().to_token_stream();
        let message = format!(
            "`{given}` is for a parameter of type `Elicit<T>` or `Resolve<T>`: change the type or remove it"
        );
        errors.on(attribute, message);
        return None;
    }
    Some(match taken {
        ParameterKind::Plain { is_str } => {
            Role::Argument(Box::new(argument(kind, input, is_str, &attributes, errors)))
        }
        ParameterKind::Arguments => {
            attributes.refuse(kind, "Args", errors);
            Role::Arguments
        }
        ParameterKind::State => {
            attributes.refuse(kind, "State", errors);
            Role::State
        }
        ParameterKind::Context { referenced } => {
            attributes.refuse(kind, "Context", errors);
            Role::Context { referenced }
        }
        ParameterKind::Marker { .. } => return None,
    })
}

fn argument(
    kind: Kind,
    input: &PatType,
    is_str: bool,
    attributes: &Attributes<'_>,
    errors: &mut Errors,
) -> Argument {
    let mut argument = Argument {
        name: wire_name(input),
        aliases: Vec::new(),
        description: None,
        is_str,
        default: None,
        deserialize_with: None,
        described_as: None,
        keywords: Vec::new(),
        header: None,
        complete: None,
        is_path: false,
    };
    for attribute in &attributes.describing {
        if attribute.path().is_ident("serde") {
            serde_attrs::apply(attribute, &mut argument, errors);
        } else {
            schemars_attrs::apply(attribute, &mut argument, errors);
        }
    }
    if argument.description.is_none() {
        argument.description = doc::text(&input.attrs, errors).map(Words::Comment);
    }
    if let Some(attribute) = only(&attributes.completes, completion::refusal(kind), errors) {
        argument.complete = completion::parse(attribute, errors);
    }
    if let Some(attribute) = only(&attributes.headers, header::refusal(kind), errors) {
        argument.header = header::parse(attribute, &input.ty, errors);
    }
    argument
}

/// The one attribute of its name, unless the kind of function has none of them.
fn only<'a>(
    attributes: &[&'a Attribute],
    refusal: Option<String>,
    errors: &mut Errors,
) -> Option<&'a Attribute> {
    let first = attributes.first()?;
    if let Some(refusal) = refusal {
        errors.on(first, refusal);
        return None;
    }
    if let Some(second) = attributes.get(1) {
        let name = second.path().to_token_stream();
        errors.on(second, format!("`{name}` is given twice: keep one"));
    }
    Some(first)
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
