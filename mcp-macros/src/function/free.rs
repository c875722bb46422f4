//! The attributes on a free function, from tokens to tokens.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Ident, Visibility};

use super::model::Handle;
use super::options::Options;
use super::parse::{self, Item};
use super::{Kind, check, strip};
use crate::errors::Errors;
use crate::expand;
use crate::syntax::cfgs;

/// `#[tool]`, `#[prompt]` or `#[resource]` on a free function.
pub(crate) fn free(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(kind, arguments, Span::call_site(), &mut errors);
    let read = errors.keep(Item::parse(kind, item.clone()));
    let handle = handle(&options, read.as_ref(), &item);
    let other = read
        .as_ref()
        .and_then(|item| kind.other_mark(&item.attributes));
    if let Some(other) = other {
        errors.on(other, kind.conflict(other));
    }
    let function = read
        .as_ref()
        .and_then(|item| check::free(item, options, &mut errors));
    let given = strip::function(kind, item);
    let generated = match (function, handle) {
        (Some(function), Some(handle)) if errors.is_empty() => expand::function(&function, &handle),
        (_, Some(handle)) => {
            let cfgs = read.map(|item| cfgs(&item.attributes)).unwrap_or_default();
            expand::stand_in(kind, &handle, &cfgs)
        }
        (_, None) => TokenStream::new(),
    };
    quote!(#given #errors #generated)
}

fn handle(options: &Options, function: Option<&Item>, item: &TokenStream) -> Option<Handle> {
    // A method has no struct: one inside an `impl` block would be an error of its own.
    if function.is_some_and(|function| function.signature.receiver().is_some()) {
        return None;
    }
    let name: Ident = match (&options.handle, function) {
        (Some(handle), _) => handle.clone(),
        (None, Some(function)) => function.signature.ident.clone(),
        (None, None) => parse::name_of(item)?,
    };
    let visibility = function.map_or(Visibility::Inherited, |function| {
        function.visibility.clone()
    });
    Some(Handle {
        visibility,
        ident: name,
        krate: options.krate.clone(),
    })
}
