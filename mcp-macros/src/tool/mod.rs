//! `#[tool]` on functions and on `impl` blocks: from tokens to a checked model.

mod check;
mod doc;
mod format;
mod kind;
mod mention;
mod methods;
pub(crate) mod model;
mod options;
mod order;
mod parameters;
mod parse;
mod question;
mod schemars_attrs;
mod serde_attrs;
mod strip;
mod values;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Visibility};

pub(crate) use mention::{mentions, rename_self};
pub(crate) use methods::Block;
pub(crate) use options::crate_path;

use crate::errors::Errors;
use crate::expand;
use crate::syntax::cfgs;
use model::Handle;
use options::Options;
use parse::Function;

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

/// `#[tool]` on an `impl` block.
pub(crate) fn methods(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = options::of_impl_block(arguments, &mut errors);
    let block = errors.keep(syn::parse2::<methods::Block>(item.clone()));
    let tools = block
        .as_ref()
        .map(|block| methods::check(block, &mut errors))
        .unwrap_or_default();
    let given = if block.is_some() {
        strip::impl_block(item)
    } else {
        item
    };
    let generated = match &block {
        Some(block) if errors.is_empty() => expand::methods(block, &tools, krate.as_ref()),
        Some(block) if block.can_have_tools() => expand::methods_stand_in(block, krate.as_ref()),
        _ => TokenStream::new(),
    };
    quote!(#given #errors #generated)
}
