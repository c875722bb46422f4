//! Prints the methods of an `impl` block.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Path;

use super::call;
use super::parts::{allow, private};
use crate::function::model::Function;
use crate::function::{Block, Kind};

/// `self` and the locals are our own: no expression of the user's sees them.
macro_rules! quote {
    ($($tokens:tt)*) => { quote_spanned!(Span::mixed_site()=> $($tokens)*) };
}

/// The functions of one kind in an `impl` block. They are made inside of its trait, where `Self` is the user's type and the
/// generics of the block are known.
pub(crate) fn methods(
    kind: Kind,
    block: &Block,
    functions: &[Function],
    krate: Option<&Path>,
) -> TokenStream {
    let functions = functions.iter().map(|function| {
        let (cfgs, allow) = (&function.cfgs, allow(function));
        let function = call::function(function);
        quote! {
            #(#cfgs)*
            #allow
            __functions.push(#function);
        }
    });
    let statements = quote! {
        let mut __functions = __mcp::Vec::new();
        #(#functions)*
        __functions
    };
    registered(kind, block, krate, &statements)
}

/// What a faulty block leaves behind, so that registering its value brings no second error.
pub(crate) fn methods_stand_in(kind: Kind, block: &Block, krate: Option<&Path>) -> TokenStream {
    registered(kind, block, krate, &quote!(loop {}))
}

fn registered(
    kind: Kind,
    block: &Block,
    krate: Option<&Path>,
    statements: &TokenStream,
) -> TokenStream {
    let private = private(krate);
    let [registry, list] = registry(kind);
    let (cfgs, self_ty) = (block.cfgs(), &block.self_ty);
    let (generics, _, clause) = block.generics.split_for_impl();
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #generics #private::#registry for #self_ty #clause {
            fn #list(self: #private::Arc<Self>) -> #private::Vec<#private::Function> {
                use #private as __mcp;
                #statements
            }
        }
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
