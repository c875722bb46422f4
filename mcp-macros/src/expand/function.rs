//! Prints a free function: its struct, and the `Function` of that.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Attribute;

use super::parts::{allow, import};
use super::{call, spec};
use crate::syntax::{as_ours, ours};
use crate::tool::model::{Handle, Tool};

/// The struct of a free function, and its `Function`.
pub(crate) fn function(tool: &Tool, handle: &Handle) -> TokenStream {
    let spec = spec::of(tool);
    let call = call::body(tool);
    let allow = allow(tool);
    // Where a future that is not `Send`, or a type that is no result, is reported.
    let span = ours(tool.function.span());
    let implementation = quote_spanned! {span=>
        fn spec(&self) -> &'static __mcp::FunctionSpec {
            static SPEC: __mcp::FunctionSpec = #spec;
            &SPEC
        }
        fn call(&self, call: __mcp::Call) -> __mcp::Running {
            #call
        }
    };
    wrapped(handle, &tool.cfgs, &allow, &implementation)
}

/// What a faulty function leaves behind, so that `tools![name]` brings no second error.
pub(crate) fn stand_in(handle: &Handle, cfgs: &[Attribute]) -> TokenStream {
    let implementation = quote! {
        fn spec(&self) -> &'static __mcp::FunctionSpec {
            loop {}
        }
        fn call(&self, _: __mcp::Call) -> __mcp::Running {
            loop {}
        }
    };
    wrapped(handle, cfgs, &TokenStream::new(), &implementation)
}

fn wrapped(
    handle: &Handle,
    cfgs: &[Attribute],
    allow: &TokenStream,
    implementation: &TokenStream,
) -> TokenStream {
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
            impl __mcp::Tool for #name {}
        };
    }
}
