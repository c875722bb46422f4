//! What several expansions share.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Path;

use crate::function::Kind;
use crate::function::model::Function;

/// `..::__private`, which generated code imports as `__mcp`: everything else is reached through it, so that nothing of a prelude
/// is needed.
pub(super) fn private(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(krate) => quote!(#krate::__private),
        None => quote!(::mcp_server::__private),
    }
}

/// Only the user's own calls of a deprecated function are to warn.
pub(super) fn allow(function: &Function) -> TokenStream {
    if function.deprecated {
        quote!(#[allow(deprecated)])
    } else {
        TokenStream::new()
    }
}

/// A local of ours: another name to the compiler than the same name of the user's, unless that is a constant. So all of them begin
/// with two underscores.
pub(super) fn local(name: &str, index: usize) -> syn::Ident {
    format_ident!("__{name}_{index}", span = proc_macro2::Span::mixed_site())
}

/// The trait that says of which kind a function is.
pub(super) fn marker(kind: Kind) -> TokenStream {
    match kind {
        Kind::Tool => quote!(Tool),
        Kind::Prompt => quote!(Prompt),
        Kind::Resource => quote!(Resource),
    }
}
