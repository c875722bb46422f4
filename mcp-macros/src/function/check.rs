//! The rules for a function as a whole; those for its parameters are in `parameters`.

use quote::ToTokens;
use syn::{FnArg, ReceiverKind, ReturnType, Safety, Signature, Type};

use super::model::{Function, Keys, Once, Parameter, Receiver, Role, Words};
use super::options::Options;
use super::parse::Item;
use super::{Kind, doc, mention, parameters, values, variables};
use crate::errors::Errors;
use crate::syntax::{cfgs, last_segment, only_argument, peel, plain};

/// A free function.
pub(super) fn free(item: &Item, options: Options, errors: &mut Errors) -> Option<Function> {
    if let Some(receiver) = item.signature.receiver() {
        let name = options.kind.name();
        let message = format!(
            "a method is a {name} only inside an `impl` block that is marked too: put `#[{name}]` on the `impl`"
        );
        errors.on(receiver.self_token, message);
        return None;
    }
    function(item, options, Receiver::None, errors)
}

/// A method of an `impl` block.
pub(super) fn method(item: &Item, options: Options, errors: &mut Errors) -> Option<Function> {
    let receiver = receiver(options.kind, &item.signature, errors);
    function(
        item,
        options,
        receiver.unwrap_or(Receiver::Reference),
        errors,
    )
}

fn function(
    item: &Item,
    mut options: Options,
    receiver: Receiver,
    errors: &mut Errors,
) -> Option<Function> {
    let (kind, signature) = (options.kind, &item.signature);
    modifiers(kind, signature, errors);
    let mut parameters = parameters::check(kind, &signature.inputs, &options.once, errors);
    let keys = options.keys();
    match &keys {
        Some(Keys::Resource(resource)) => {
            variables::check(resource, &mut parameters, &signature.inputs, errors);
            if let Some(key) = options.key("size")
                && resource.uri.value().contains('{')
            {
                let message =
                    "a template stands for many resources, each of its own size: remove `size`";
                errors.on(key, message);
            }
        }
        Some(Keys::Tool {
            input_schema: Some(_),
            ..
        }) => header_beside_schema(&parameters, errors),
        _ => {}
    }
    let output = output(kind, signature, errors);
    let asks = parameters
        .iter()
        .any(|parameter| matches!(parameter.role, Role::Marker(_)));
    if let (true, Some(outcome)) = (asks, output.as_ref().and_then(outcome)) {
        let message = format!(
            "a {} asks either by its parameters or by hand: return the result itself, or remove the marker parameters",
            kind.name()
        );
        errors.on(outcome, message);
    }
    once_key(&options.once, &parameters, errors);
    let is_deprecated = |attribute: &syn::Attribute| attribute.path().is_ident("deprecated");
    Some(Function {
        name: name(item, &options, errors)?,
        description: description(item, &options, errors),
        keys: keys?,
        ident: signature.ident.clone(),
        is_async: signature.asyncness.is_some(),
        receiver,
        cfgs: cfgs(&item.attributes),
        deprecated: item.attributes.iter().any(is_deprecated),
        title: options.title,
        icons: options.icons,
        once: options.once,
        timeout_ms: options.timeout_ms,
        ignores_extra: options.ignores_extra,
        output,
        parameters,
    })
}

/// The schema is served as it is given, so nothing of a parameter gets into it.
fn header_beside_schema(parameters: &[Parameter], errors: &mut Errors) {
    for parameter in parameters {
        if let Role::Argument(argument) = &parameter.role
            && let Some(header) = &argument.header
        {
            errors.on(
                header,
                format!(
                    "`input_schema` is served as it is: write `\"x-mcp-header\": {:?}` in it, at `{}`, and remove `header`",
                    header.value(),
                    argument.name
                ),
            );
        }
    }
}

fn receiver(kind: Kind, signature: &Signature, errors: &mut Errors) -> Option<Receiver> {
    let Some(receiver) = signature.receiver() else {
        errors.on(
            &signature.ident,
            format!(
                "a {} of an `impl` block takes `&self`: move a function without it out of the block",
                kind.name()
            ),
        );
        return None;
    };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => return Some(Receiver::Reference),
        ReceiverKind::Typed(_, ty) => {
            let pointee = last_segment(ty)
                .filter(|segment| segment.ident == "Arc")
                .and_then(only_argument);
            if pointee.is_some_and(
                |ty| matches!(peel(ty), Type::Path(path) if path.path.is_ident("Self")),
            ) {
                return Some(Receiver::Shared);
            }
        }
        _ => {}
    }
    errors.on(
        receiver,
        "calls run at the same time and share the value: take `&self` (or `self: Arc<Self>`)",
    );
    None
}

fn modifiers(kind: Kind, signature: &Signature, errors: &mut Errors) {
    let name = kind.name();
    if let Some(token) = &signature.constness {
        errors.on(token, format!("a {name} cannot be `const`: remove it"));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        let message = format!(
            "a {name} cannot be `unsafe`: any client may call it, so check what it needs inside"
        );
        errors.on(token, message);
    }
    if let Some(abi) = &signature.abi {
        let message = format!("a {name} cannot be `extern`: remove the ABI");
        errors.on(abi, message);
    }
    if let Some(variadic) = &signature.variadic {
        let message = format!("a {name} cannot be variadic: take a `Vec`");
        errors.on(variadic, message);
    }
    if let Some(parameter) = signature.generics.params.first() {
        let message = if let syn::GenericParam::Lifetime(_) = parameter {
            format!(
                "a {name} is called with what lives as long as the call: remove the lifetime, and write `&str` or an owned type"
            )
        } else if signature.receiver().is_some() {
            format!("a {name} cannot be generic: name a type, or make the `impl` block generic")
        } else {
            format!(
                "a {name} cannot be generic: name a type, or make it a method of a generic type, with `#[{name}]` on the `impl` too"
            )
        };
        errors.on(parameter, message);
    } else if let Some(clause) = &signature.generics.where_clause {
        let message = format!("a {name} has nothing to constrain: remove the `where` clause");
        errors.on(clause, message);
    }
}

fn name(item: &Item, options: &Options, errors: &mut Errors) -> Option<String> {
    let (name, fault) = match &options.name {
        Some(given) => (
            given.value(),
            values::name_fault(options.kind, &given.value())
                .map(|fault| syn::Error::new(given.span(), fault)),
        ),
        None => {
            let ident = &item.signature.ident;
            let fault = values::name_fault(options.kind, &plain(ident));
            (
                plain(ident),
                fault.map(|fault| {
                    syn::Error::new(
                        ident.span(),
                        format!("{fault}: give it one with `name = \"..\"`"),
                    )
                }),
            )
        }
    };
    match fault {
        Some(fault) => {
            errors.push(fault);
            None
        }
        None => Some(name),
    }
}

/// The key wins: then nobody reads the doc comment, so it may be computed.
fn description(item: &Item, options: &Options, errors: &mut Errors) -> Option<Words> {
    match &options.description {
        Some(given) => Some(Words::Given(given.clone())),
        None => doc::text(&item.attributes, errors).map(Words::Comment),
    }
}

fn output(kind: Kind, signature: &Signature, errors: &mut Errors) -> Option<Type> {
    let ReturnType::Type(_, ty) = &signature.output else {
        let missing = match kind {
            Kind::Tool => return None,
            Kind::Prompt => "a prompt returns its messages: write a type, such as `-> String`",
            Kind::Resource => "a resource returns its contents: write a type, such as `-> String`",
        };
        errors.on(&signature.ident, missing);
        return None;
    };
    if let Type::ImplTrait(_) = peel(ty) {
        let message = format!(
            "the result of a {} needs a type: name one, and write `async fn` for a future",
            kind.name()
        );
        errors.on(ty, message);
        return None;
    }
    Some((**ty).clone())
}

/// The `Outcome<..>` of a return type, also inside a `Result`.
fn outcome(ty: &Type) -> Option<&syn::Ident> {
    let segment = last_segment(ty)?;
    if segment.ident == "Outcome" {
        return Some(&segment.ident);
    }
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) => outcome(ty),
        _ => None,
    }
}

/// The key must be the same in each round, so it cannot depend on an answer.
fn once_key(once: &Once, parameters: &[Parameter], errors: &mut Errors) {
    let Once::Key(key) = once else {
        return;
    };
    let is_marker = |name: &str| {
        parameters
            .iter()
            .any(|parameter| matches!(&parameter.role, Role::Marker(marker) if marker.name == name))
    };
    let mut found = None;
    mention::scan(key.to_token_stream(), &mut |name, span| {
        if is_marker(name) {
            found.get_or_insert((name.to_owned(), span));
        }
    });
    if let Some((name, span)) = found {
        errors.at(
            span,
            format!(
                "the key of `once` cannot depend on the answer `{name}`: make it from the arguments{}",
                mention::rename_hint(key.to_token_stream(), &name)
            ),
        );
    }
}

/// The parameters that are not the receiver.
pub(super) fn typed(input: &FnArg) -> Option<&syn::PatType> {
    match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    }
}
