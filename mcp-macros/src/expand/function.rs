//! Prints a free function: its struct, and the `Function` of that.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Attribute;

use super::parts::{allow, import, marker};
use super::{call, spec};
use crate::function::Kind;
use crate::function::model::{Function, Handle};
use crate::syntax::{as_ours, ours};

/// The struct of a free function, and its `Function`.
pub(crate) fn function(function: &Function, handle: &Handle) -> TokenStream {
    let spec = spec::of(function);
    let call = call::body(function);
    let allow = allow(function);
    // Where a future that is not `Send`, or a type that is no result, is reported.
    let span = ours(function.ident.span());
    let implementation = quote_spanned! {span=>
        fn spec(&self) -> &'static __mcp::FunctionSpec {
            static SPEC: __mcp::FunctionSpec = #spec;
            &SPEC
        }
        fn call(&self, call: __mcp::Call) -> __mcp::Running {
            #call
        }
    };
    wrapped(
        function.keys.kind(),
        handle,
        &function.cfgs,
        &allow,
        &implementation,
    )
}

/// What a faulty function leaves behind, so that `tools![name]` and its like bring no second error.
pub(crate) fn stand_in(kind: Kind, handle: &Handle, cfgs: &[Attribute]) -> TokenStream {
    let implementation = quote! {
        fn spec(&self) -> &'static __mcp::FunctionSpec {
            loop {}
        }
        fn call(&self, _: __mcp::Call) -> __mcp::Running {
            loop {}
        }
    };
    wrapped(kind, handle, cfgs, &TokenStream::new(), &implementation)
}

fn wrapped(
    kind: Kind,
    handle: &Handle,
    cfgs: &[Attribute],
    allow: &TokenStream,
    implementation: &TokenStream,
) -> TokenStream {
    let of_kind = marker(kind);
    let import = import(handle.krate.as_ref());
    let visibility = as_ours(&handle.visibility);
    let name = as_ours(&handle.ident);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility struct #name {}

        #(#cfgs)*
        #allow
        const _: () = {
            #import
            #[automatically_derived]
            impl __mcp::Function for #name {
                #implementation
            }
            #[automatically_derived]
            impl __mcp::#of_kind for #name {}
        };
    }
}
