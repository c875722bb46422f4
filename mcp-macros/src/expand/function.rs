//! Prints a free function: its struct, which makes the `Function`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use super::call;
use super::parts::{allow, marker, private};
use crate::function::Kind;
use crate::function::model::{Function, Handle};
use crate::syntax::as_ours;

/// The struct of a free function, and what it is listed as.
pub(crate) fn function(function: &Function, handle: &Handle) -> TokenStream {
    listed(
        function.keys.kind(),
        handle,
        &function.cfgs,
        &allow(function),
        &call::function(function),
    )
}

/// What a faulty function leaves behind, so that `tools![name]` and its like bring no second error.
pub(crate) fn stand_in(kind: Kind, handle: &Handle, cfgs: &[Attribute]) -> TokenStream {
    listed(kind, handle, cfgs, &TokenStream::new(), &quote!(loop {}))
}

fn listed(
    kind: Kind,
    handle: &Handle,
    cfgs: &[Attribute],
    allow: &TokenStream,
    function: &TokenStream,
) -> TokenStream {
    let of_kind = marker(kind);
    let private = private(handle.krate.as_ref());
    let visibility = as_ours(&handle.visibility);
    let name = as_ours(&handle.ident);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility struct #name {}

        #(#cfgs)*
        #[automatically_derived]
        impl #private::#of_kind for #name {
            #allow
            fn function() -> #private::Function {
                use #private as __mcp;
                #function
            }
        }
    }
}
