//! Prints the methods of an `impl` block.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

use super::parts::{allow, import};
use super::{call, spec};
use crate::function::model::Function;
use crate::function::{Block, Kind};
use crate::syntax::ours;

/// The functions of one kind in an `impl` block.
///
/// Each is an implementation of one local trait under its own number: inside it `Self` is the user's type, and an
/// associated constant may use the generics of the block, which a `static` may not.
pub(crate) fn methods(
    kind: Kind,
    block: &Block,
    functions: &[Function],
    krate: Option<&Path>,
) -> TokenStream {
    let import = import(krate);
    let [registry, list] = registry(kind);
    let (cfgs, self_ty) = (block.cfgs(), &block.self_ty);
    let (generics, _, clause) = block.generics.split_for_impl();
    let method = |(index, function): (usize, &Function)| {
        let spec = spec::of(function);
        let call = call::body(function);
        let (cfgs, allow) = (&function.cfgs, allow(function));
        let (number, span) = (
            Literal::usize_unsuffixed(index),
            ours(function.ident.span()),
        );
        quote_spanned! {span=>
            #(#cfgs)*
            #allow
            impl #generics __Method<#number> for #self_ty #clause {
                const SPEC: &'static __mcp::FunctionSpec = &#spec;
                fn __call(self: __mcp::Arc<Self>, call: __mcp::Call) -> __mcp::Running {
                    #call
                }
            }
        }
    };
    let implementations = functions.iter().enumerate().map(method);
    let pushes = functions.iter().enumerate().map(|(index, function)| {
        let (number, cfgs) = (Literal::usize_unsuffixed(index), &function.cfgs);
        quote! {
            #(#cfgs)*
            functions.push(__mcp::BoundMethod::new(__Bound::<Self, #number>(__mcp::Clone::clone(&self))));
        }
    });
    let pushes = quote!(#(#pushes)*);
    quote! {
        #(#cfgs)*
        const _: () = {
            #import
            trait __Method<const N: usize>: __mcp::Send + __mcp::Sync + 'static {
                const SPEC: &'static __mcp::FunctionSpec;
                fn __call(self: __mcp::Arc<Self>, call: __mcp::Call) -> __mcp::Running;
            }
            struct __Bound<T, const N: usize>(__mcp::Arc<T>);
            #[automatically_derived]
            impl<T: __Method<N>, const N: usize> __mcp::Function for __Bound<T, N> {
                fn spec(&self) -> &'static __mcp::FunctionSpec {
                    T::SPEC
                }
                fn call(&self, call: __mcp::Call) -> __mcp::Running {
                    T::__call(__mcp::Clone::clone(&self.0), call)
                }
            }
            #(#implementations)*
            #[automatically_derived]
            impl #generics __mcp::#registry for #self_ty #clause {
                fn #list(self: __mcp::Arc<Self>) -> __mcp::Vec<__mcp::BoundMethod> {
                    let mut functions = __mcp::Vec::new();
                    #pushes
                    functions
                }
            }
        };
    }
}

/// What a faulty block leaves behind, so that registering its value brings no second error.
pub(crate) fn methods_stand_in(kind: Kind, block: &Block, krate: Option<&Path>) -> TokenStream {
    let import = import(krate);
    let [registry, list] = registry(kind);
    let (cfgs, self_ty) = (block.cfgs(), &block.self_ty);
    let (generics, _, clause) = block.generics.split_for_impl();
    quote! {
        #(#cfgs)*
        const _: () = {
            #import
            impl #generics __mcp::#registry for #self_ty #clause {
                fn #list(self: __mcp::Arc<Self>) -> __mcp::Vec<__mcp::BoundMethod> {
                    loop {}
                }
            }
        };
    }
}

/// The trait of a value with functions of a kind, and the name of its function.
fn registry(kind: Kind) -> [TokenStream; 2] {
    match kind {
        Kind::Tool => [quote!(Tools), quote!(tools)],
        Kind::Prompt => [quote!(Prompts), quote!(prompts)],
        Kind::Resource => [quote!(Resources), quote!(resources)],
    }
}
