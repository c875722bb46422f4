//! The rules for a tool function as a whole; those for its parameters are in `parameters`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{FnArg, ReceiverKind, ReturnType, Safety, Signature, Type};

use super::model::{Once, Receiver, Role, Tool};
use super::options::Options;
use super::parse::Function;
use super::{doc, mention, parameters, values};
use crate::errors::Errors;
use crate::syntax::{cfgs, last_segment, only_argument, peel, plain};

/// A free function.
pub(super) fn free(function: &Function, options: Options, errors: &mut Errors) -> Option<Tool> {
    if let Some(receiver) = function.signature.receiver() {
        let message = "a method is a tool only inside an `impl` block that is marked too: put `#[tool]` on the `impl`";
        errors.on(receiver.self_token, message);
        return None;
    }
    tool(function, options, Receiver::None, errors)
}

/// A method of an `impl` block.
pub(super) fn method(function: &Function, options: Options, errors: &mut Errors) -> Option<Tool> {
    let receiver = receiver(&function.signature, errors);
    tool(
        function,
        options,
        receiver.unwrap_or(Receiver::Reference),
        errors,
    )
}

fn tool(
    function: &Function,
    options: Options,
    receiver: Receiver,
    errors: &mut Errors,
) -> Option<Tool> {
    let signature = &function.signature;
    modifiers(signature, errors);
    let parameters = parameters::check(&signature.inputs, &options.once, errors);
    let output = output(&signature.output, errors);
    let asks = parameters
        .iter()
        .any(|parameter| matches!(parameter.role, Role::Marker(_)));
    if let (true, Some(outcome)) = (asks, output.as_ref().and_then(outcome)) {
        let message = "a tool asks either by its parameters or by hand: return the result itself, or remove the marker parameters";
        errors.on(outcome, message);
    }
    once_key(&options.once, &parameters, errors);
    let is_deprecated = |attribute: &syn::Attribute| attribute.path().is_ident("deprecated");
    Some(Tool {
        name: name(function, &options, errors)?,
        description: description(function, &options, errors),
        function: signature.ident.clone(),
        is_async: signature.asyncness.is_some(),
        receiver,
        cfgs: cfgs(&function.attributes),
        deprecated: function.attributes.iter().any(is_deprecated),
        title: options.title,
        icons: options.icons,
        hints: options.hints,
        once: options.once,
        timeout_ms: options.timeout_ms,
        ignores_extra: options.ignores_extra,
        input_schema: options.input_schema,
        output,
        parameters,
    })
}

fn receiver(signature: &Signature, errors: &mut Errors) -> Option<Receiver> {
    let Some(receiver) = signature.receiver() else {
        errors.on(
            &signature.ident,
            "a tool of an `impl` block takes `&self`: move a function without it out of the block",
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

fn modifiers(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.constness {
        errors.on(token, "a tool cannot be `const`: remove it");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.on(
            token,
            "a tool cannot be `unsafe`: any client may call it, so check what it needs inside",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.on(abi, "a tool cannot be `extern`: remove the ABI");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(variadic, "a tool cannot be variadic: take a `Vec`");
    }
    if let Some(parameter) = signature.generics.params.first() {
        let message = if let syn::GenericParam::Lifetime(_) = parameter {
            "a tool is called with what lives as long as the call: remove the lifetime, and write `&str` or an owned type"
        } else if signature.receiver().is_some() {
            "a tool cannot be generic: name a type, or make the `impl` block generic"
        } else {
            "a tool cannot be generic: name a type, or make it a method of a generic type, with `#[tool]` on the `impl` too"
        };
        errors.on(parameter, message);
    } else if let Some(clause) = &signature.generics.where_clause {
        errors.on(
            clause,
            "a tool has nothing to constrain: remove the `where` clause",
        );
    }
}

fn name(function: &Function, options: &Options, errors: &mut Errors) -> Option<String> {
    let (name, fault) = match &options.name {
        Some(given) => (
            given.value(),
            values::name_fault(&given.value()).map(|fault| syn::Error::new(given.span(), fault)),
        ),
        None => {
            let ident = &function.signature.ident;
            let fault = values::name_fault(&plain(ident));
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
fn description(function: &Function, options: &Options, errors: &mut Errors) -> Option<TokenStream> {
    if let Some(given) = &options.description {
        return Some(given.to_token_stream());
    }
    doc::text(&function.attributes, errors).map(|text| quote!(#text))
}

fn output(output: &ReturnType, errors: &mut Errors) -> Option<Type> {
    let ReturnType::Type(_, ty) = output else {
        return None;
    };
    if let Type::ImplTrait(_) = peel(ty) {
        errors.on(
            ty,
            "the result of a tool needs a type: name one, and write `async fn` for a future",
        );
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
fn once_key(once: &Once, parameters: &[super::model::Parameter], errors: &mut Errors) {
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
