//! Prints a form or a choice. The schema is made at run time, from the type's `JsonSchema`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::parts::import;
use crate::form::model::{Choice, Form, Shape};
use crate::syntax::{first_span, ours};

/// A struct as a form. That each field may stand in one is asked of its type, at its type.
pub(crate) fn form(form: &Form) -> TokenStream {
    let (import, ident) = (import(form.krate.as_ref()), &form.ident);
    let fields = form.fields.iter().map(|field| {
        let (name, ty) = (&field.name, &field.ty);
        let title = match &field.title {
            Some(title) => quote!(__mcp::Option::Some(#title)),
            None => quote!(__mcp::Option::None),
        };
        quote_spanned! {ours(first_span(ty))=>
            __mcp::FieldSpec { name: #name, title: #title, titles: <#ty as __mcp::FormField>::titles }
        }
    });
    quote! {
        const _: () = {
            #import
            #[automatically_derived]
            impl __mcp::Form for #ident {
                fn form() -> &'static __mcp::RenderedForm {
                    static FORM: __mcp::FormCell = __mcp::FormCell::new();
                    FORM.get_or_init(|| __mcp::RenderedForm::of::<Self>(&[#(#fields),*]))
                }
            }
        };
    }
}

/// An enum as a choice inside a form.
pub(crate) fn choice(choice: &Choice) -> TokenStream {
    let titles = choice
        .titles
        .iter()
        .map(|(name, title)| quote!((#name, #title)));
    choice_with(choice, &quote!(&[#(#titles),*]))
}

fn choice_with(choice: &Choice, titles: &TokenStream) -> TokenStream {
    let (import, ident) = (import(choice.krate.as_ref()), &choice.ident);
    quote! {
        const _: () = {
            #import
            #[automatically_derived]
            impl __mcp::FormChoice for #ident {
                const TITLES: &'static [(&'static str, &'static str)] = #titles;
            }
            #[automatically_derived]
            impl __mcp::FormField for #ident {
                fn titles() -> &'static [(&'static str, &'static str)] {
                    <Self as __mcp::FormChoice>::TITLES
                }
            }
        };
    }
}

/// What a faulty type leaves behind, so that asking for it brings no second error.
pub(crate) fn form_stand_in(shape: &Shape) -> TokenStream {
    match shape {
        Shape::Choice(choice) => choice_with(choice, &quote!(&[])),
        Shape::Form(form) => {
            let (import, ident) = (import(form.krate.as_ref()), &form.ident);
            quote! {
                const _: () = {
                    #import
                    impl __mcp::Form for #ident {
                        fn form() -> &'static __mcp::RenderedForm {
                            loop {}
                        }
                    }
                };
            }
        }
    }
}
