//! A function as an expression: its spec, and its body, which decodes the arguments, walks the questions and runs the function.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Ident, Type};

use super::parts::local;
use super::{question, ready_made, spec};
use crate::function::Kind;
use crate::function::model::{Argument, Function, Marker, Once, Parameter, Receiver, Role};
use crate::function::{mentions, rename_self};
use crate::syntax::{first_span, ours};

/// Locals of the generated code are its own, and begin with two underscores: nothing of the user's is taken for them.
macro_rules! quote {
    ($($tokens:tt)*) => { quote_spanned!(Span::mixed_site()=> $($tokens)*) };
}

/// An expression that makes the `Function`.
pub(super) fn function(function: &Function) -> TokenStream {
    let made = ready_made::tool(function).unwrap_or_else(|| {
        let (spec, body) = (spec::plain_spec(function), body(function));
        quote!(__mcp::Function { spec: #spec, body: #body })
    });
    let local = quote!(__function);
    let assignments = spec::assignments(function, &local);
    if assignments.is_empty() {
        return made;
    }
    quote!({ let mut #local = #made; #assignments #local })
}

fn body(function: &Function) -> TokenStream {
    if let Some(body) = ready_made::body(function) {
        return body;
    }
    let span = ours(function.ident.span());
    let (shared, receiver) = match function.receiver {
        Receiver::None => (quote!(()), quote!(())),
        Receiver::Reference | Receiver::Shared => {
            (quote!(__mcp::Clone::clone(&self)), quote!(__receiver))
        }
    };
    let asks = function
        .parameters
        .iter()
        .any(|parameter| matches!(parameter.role, Role::Marker(_)));
    let key = match &function.once {
        Once::Key(key) if function.receiver == Receiver::None => Some(key.to_token_stream()),
        Once::Key(key) => Some(rename_self(key.to_token_stream(), "__this")),
        Once::No | Once::Exchange => None,
    };
    let (reply, called) = (reply(function), called(function));
    // A function that is neither asked nor claimed is off the async threads from the first argument on.
    if !asks && key.is_none() && !function.is_async {
        let decoded = decoded(function, false);
        return quote_spanned! {span=>
            __mcp::blocking(#shared, |#receiver, __call| { #decoded #reply(#called) })
        };
    }
    // Text that is borrowed from the call could not be moved to another thread.
    let decoded = decoded(function, !function.is_async);
    let claimed = if asks {
        let (names, settled) = (names(function), settle(function, key.as_ref()));
        quote!(#names #settled)
    } else if let Some(key) = key {
        let names = names(function);
        quote!(#names __call.claim(__mcp::once_key(&(#key))).await?;)
    } else {
        TokenStream::new()
    };
    let run = if function.is_async {
        quote!(#reply(#called))
    } else {
        quote!(__mcp::on_a_thread(move || #reply(#called)).await)
    };
    // With the span of the function's name: a future that is not `Send` is reported there.
    quote_spanned! {span=>
        __mcp::asynchronous(#shared, |#receiver, __call| {
            __mcp::Box::pin(async move { #decoded #claimed #run })
        })
    }
}

/// Makes a result of what the function returns.
fn reply(function: &Function) -> TokenStream {
    let span = ours(output_span(function));
    match function.keys.kind() {
        Kind::Tool => quote_spanned!(span=> __mcp::reply),
        Kind::Prompt => quote_spanned!(span=> __mcp::prompt_reply),
        Kind::Resource => quote_spanned!(span=> __mcp::resource_reply),
    }
}

/// Where a type that is no result is reported.
fn output_span(function: &Function) -> Span {
    function
        .output
        .as_ref()
        .map_or(function.ident.span(), first_span)
}

/// The markers in order, then the claim, then their values.
fn settle(function: &Function, key: Option<&TokenStream>) -> TokenStream {
    let markers: Vec<(usize, &Marker)> = function
        .parameters
        .iter()
        .enumerate()
        .filter_map(|(index, parameter)| match &parameter.role {
            Role::Marker(marker) => Some((index, marker)),
            _ => None,
        })
        .collect();
    let asked = markers.iter().enumerate().map(|(number, (index, marker))| {
        question::ask(
            &function.parameters,
            *index,
            number,
            marker,
            function.receiver,
        )
    });
    let key = match key {
        Some(key) => quote!(__mcp::Option::Some(__mcp::once_key(&(#key)))),
        None => quote!(__mcp::Option::None),
    };
    let taken = markers.iter().map(|(index, _)| {
        let (value, slot) = (local("value", *index), local("slot", *index));
        quote!(let #value = #slot.take()?;)
    });
    quote! {
        let mut __asking = __call.asking()?;
        #(#asked)*
        __asking.settle(#key).await?;
        #(#taken)*
    }
}

/// One local a parameter, except for markers. `owned`: nothing is borrowed from the call.
fn decoded(function: &Function, owned: bool) -> TokenStream {
    let mut arguments = 0;
    let mut states = 0;
    let mut statements = TokenStream::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let value = value(parameter, index);
        statements.extend(match &parameter.role {
            Role::Argument(argument) => {
                arguments += 1;
                let decoded = slot(parameter, argument, arguments - 1, owned);
                quote!(let #value = #decoded;)
            }
            Role::Arguments => {
                let ty = &parameter.ty;
                quote_spanned!(ours(first_span(ty))=> let #value = __call.arguments_struct::<#ty>()?;)
            }
            Role::State => {
                let (ty, at) = (&parameter.ty, Literal::usize_unsuffixed(states));
                states += 1;
                quote_spanned!(ours(first_span(ty))=> let #value = __call.state::<#ty>(#at);)
            }
            Role::Context { referenced } => {
                let ty: &Type = referenced.as_ref().unwrap_or(&parameter.ty);
                quote_spanned!(ours(first_span(ty))=> let #value = <#ty as __mcp::CallParam>::from_call(&__call);)
            }
            Role::Marker(_) => continue,
        });
    }
    let whole = function
        .parameters
        .iter()
        .any(|parameter| matches!(parameter.role, Role::Arguments));
    let start = match arguments {
        0 if whole => TokenStream::new(),
        0 => quote!(__call.no_arguments()?;),
        count => {
            let count = Literal::usize_unsuffixed(count);
            quote!(let __slots = __call.arguments::<#count>()?;)
        }
    };
    let name = &function.ident;
    let alias = if function.is_shadowed() {
        quote!(let __function = #name;)
    } else {
        TokenStream::new()
    };
    quote!(#alias #start #statements)
}

fn slot(parameter: &Parameter, argument: &Argument, at: usize, owned: bool) -> TokenStream {
    let span = ours(first_span(&parameter.ty));
    let at = Literal::usize_unsuffixed(at);
    let declared = &parameter.ty;
    let ty = match (argument.is_str, owned) {
        (true, false) if argument.deserialize_with.is_none() => {
            quote_spanned!(span=> __mcp::Cow<'_, str>)
        }
        (true, _) => quote_spanned!(span=> __mcp::String),
        (false, _) => quote!(#declared),
    };
    let default = argument
        .default
        .as_ref()
        .map(|default| spec::default_value(argument, default, &ty));
    match (&argument.deserialize_with, default) {
        (None, None) => quote_spanned!(span=> __slots.get::<#ty>(#at)?),
        (None, Some(default)) => quote_spanned!(span=> __slots.get_or::<#ty>(#at, || #default)?),
        (Some(path), None) => {
            quote_spanned!(span=> __slots.get_with::<#ty>(#at, |input| #path(input), |input| #path(input))?)
        }
        (Some(path), Some(default)) => {
            quote_spanned!(span=> __slots.get_with::<#ty>(#at, |input| #path(input), |_| __mcp::Result::Ok(#default))?)
        }
    }
}

/// The local that is handed to the function: under the parameter's own name where a question reads it.
fn value(parameter: &Parameter, index: usize) -> Ident {
    let is_marker = matches!(parameter.role, Role::Marker(_));
    if parameter.mentioned && !is_marker && !is_borrowed(&parameter.role) {
        parameter.ident.clone()
    } else {
        local("value", index)
    }
}

/// Declared as a reference, so that the local holds what it refers to.
fn is_borrowed(role: &Role) -> bool {
    match role {
        Role::Argument(argument) => argument.is_str,
        Role::Context { referenced } => referenced.is_some(),
        _ => false,
    }
}

/// What questions and key read besides the values: references, and `self` as `this`.
fn names(function: &Function) -> TokenStream {
    let mut names = TokenStream::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        if parameter.mentioned && is_borrowed(&parameter.role) {
            let (name, ty, value) = (&parameter.ident, &parameter.ty, local("value", index));
            // The mention may be of another thing of that name.
            names.extend(quote!(let #name: #ty = &#value; let _ = #name;));
        }
    }
    if function.reads_self() {
        names.extend(quote!(let __this: &Self = &__receiver;));
    }
    names
}

/// The call of the user's function.
fn called(function: &Function) -> TokenStream {
    let name = &function.ident;
    let span = ours(output_span(function));
    let arguments = function
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let value = value(parameter, index);
            if is_borrowed(&parameter.role) {
                quote!(&#value)
            } else {
                quote!(#value)
            }
        });
    let called = match function.receiver {
        Receiver::None if function.is_shadowed() => {
            quote_spanned!(span=> __function(#(#arguments),*))
        }
        Receiver::None => quote_spanned!(span=> #name(#(#arguments),*)),
        Receiver::Reference => quote_spanned!(span=> Self::#name(&__receiver #(, #arguments)*)),
        Receiver::Shared => {
            quote_spanned!(span=> Self::#name(__mcp::Clone::clone(&__receiver) #(, #arguments)*))
        }
    };
    if function.is_async {
        quote_spanned!(span=> #called.await)
    } else {
        called
    }
}

impl Function {
    /// A parameter has the function's name, and the questions need a local of that name.
    fn is_shadowed(&self) -> bool {
        self.receiver == Receiver::None
            && self
                .parameters
                .iter()
                .any(|parameter| parameter.mentioned && parameter.ident == self.ident)
    }

    fn reads_self(&self) -> bool {
        let in_key =
            matches!(&self.once, Once::Key(key) if mentions(key.to_token_stream(), "self"));
        let in_question = |parameter: &Parameter| matches!(&parameter.role, Role::Marker(marker) if mentions(marker.question.tokens(), "self"));
        self.receiver != Receiver::None && (in_key || self.parameters.iter().any(in_question))
    }
}
