//! `#[tool]` on a free function, from tokens to tokens.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Visibility};

use super::model::Handle;
use super::options::Options;
use super::parse::{self, Function};
use super::{check, strip};
use crate::errors::Errors;
use crate::expand;
use crate::syntax::cfgs;

/// `#[tool]` on a free function.
pub(crate) fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = Options::parse(arguments, &mut errors);
    let function = errors.keep(syn::parse2::<Function>(item.clone()));
    let handle = handle(&options, function.as_ref(), &item);
    let tool = function
        .as_ref()
        .and_then(|function| check::free(function, options, &mut errors));
    let given = strip::function(item);
    let generated = match (tool, handle) {
        (Some(tool), Some(handle)) if errors.is_empty() => expand::function(&tool, &handle),
        (_, Some(handle)) => {
            let cfgs = function
                .map(|function| cfgs(&function.attributes))
                .unwrap_or_default();
            expand::stand_in(&handle, &cfgs)
        }
        (_, None) => TokenStream::new(),
    };
    quote!(#given #errors #generated)
}

fn handle(options: &Options, function: Option<&Function>, item: &TokenStream) -> Option<Handle> {
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
