//! Prints a checked model. Nothing here can fail, and nothing decides: what a call does is in
//! `mcp_server::__private`.

mod call;
mod form;
mod question;
mod spec;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Path};

pub(crate) use form::{choice, form, form_stand_in};

use crate::syntax::{as_ours, ours};
use crate::tool::Block;
use crate::tool::model::{Handle, Tool};

/// `use ..::__private as __mcp`: everything else is reached through it, so that nothing of a prelude is needed.
fn import(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(krate) => quote!(use #krate::__private as __mcp;),
        None => quote!(
            use ::mcp_server::__private as __mcp;
        ),
    }
}

/// The struct of a free function, and its `Tool`.
pub(crate) fn function(tool: &Tool, handle: &Handle) -> TokenStream {
    let spec = spec::of(tool);
    let call = call::body(tool);
    let allow = allow(tool);
    // Where a future that is not `Send`, or a type that is no result, is reported.
    let span = ours(tool.function.span());
    let implementation = quote_spanned! {span=>
        fn spec(&self) -> &'static __mcp::ToolSpec {
            static SPEC: __mcp::ToolSpec = #spec;
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
        fn spec(&self) -> &'static __mcp::ToolSpec {
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
            impl __mcp::Tool for #name {
                #implementation
            }
        };
    }
}

fn allow(tool: &Tool) -> TokenStream {
    if tool.deprecated {
        quote!(#[allow(deprecated)])
    } else {
        TokenStream::new()
    }
}

/// The tools of an `impl` block.
///
/// Each is an implementation of one local trait under its own number: inside it `Self` is the user's type, and an
/// associated constant may use the generics of the block, which a `static` may not.
pub(crate) fn methods(block: &Block, tools: &[Tool], krate: Option<&Path>) -> TokenStream {
    let import = import(krate);
    let (cfgs, self_ty) = (block.cfgs(), &block.self_ty);
    let (generics, _, clause) = block.generics.split_for_impl();
    let tool = |(index, tool): (usize, &Tool)| {
        let spec = spec::of(tool);
        let call = call::body(tool);
        let (cfgs, allow) = (&tool.cfgs, allow(tool));
        let (number, span) = (
            proc_macro2::Literal::usize_unsuffixed(index),
            ours(tool.function.span()),
        );
        quote_spanned! {span=>
            #(#cfgs)*
            #allow
            impl #generics __Method<#number> for #self_ty #clause {
                const SPEC: &'static __mcp::ToolSpec = &#spec;
                fn __call(self: __mcp::Arc<Self>, call: __mcp::Call) -> __mcp::Running {
                    #call
                }
            }
        }
    };
    let implementations = tools.iter().enumerate().map(tool);
    let pushes = tools.iter().enumerate().map(|(index, tool)| {
        let (number, cfgs) = (proc_macro2::Literal::usize_unsuffixed(index), &tool.cfgs);
        quote! {
            #(#cfgs)*
            tools.push(__mcp::BoundMethod::new(__Bound::<Self, #number>(__mcp::Clone::clone(&self))));
        }
    });
    let pushes = quote!(#(#pushes)*);
    quote! {
        #(#cfgs)*
        const _: () = {
            #import
            trait __Method<const N: usize>: __mcp::Send + __mcp::Sync + 'static {
                const SPEC: &'static __mcp::ToolSpec;
                fn __call(self: __mcp::Arc<Self>, call: __mcp::Call) -> __mcp::Running;
            }
            struct __Bound<T, const N: usize>(__mcp::Arc<T>);
            #[automatically_derived]
            impl<T: __Method<N>, const N: usize> __mcp::Tool for __Bound<T, N> {
                fn spec(&self) -> &'static __mcp::ToolSpec {
                    T::SPEC
                }
                fn call(&self, call: __mcp::Call) -> __mcp::Running {
                    T::__call(__mcp::Clone::clone(&self.0), call)
                }
            }
            #(#implementations)*
            #[automatically_derived]
            impl #generics __mcp::Tools for #self_ty #clause {
                fn tools(self: __mcp::Arc<Self>) -> __mcp::Vec<__mcp::BoundMethod> {
                    let mut tools = __mcp::Vec::new();
                    #pushes
                    tools
                }
            }
        };
    }
}

/// What a faulty block leaves behind, so that registering its value brings no second error.
pub(crate) fn methods_stand_in(block: &Block, krate: Option<&Path>) -> TokenStream {
    let import = import(krate);
    let (cfgs, self_ty) = (block.cfgs(), &block.self_ty);
    let (generics, _, clause) = block.generics.split_for_impl();
    quote! {
        #(#cfgs)*
        const _: () = {
            #import
            impl #generics __mcp::Tools for #self_ty #clause {
                fn tools(self: __mcp::Arc<Self>) -> __mcp::Vec<__mcp::BoundMethod> {
                    loop {}
                }
            }
        };
    }
}

/// A local of ours: another name to the compiler than the same name of the user's.
fn local(name: &str, index: usize) -> syn::Ident {
    format_ident!("{name}_{index}", span = proc_macro2::Span::mixed_site())
}
