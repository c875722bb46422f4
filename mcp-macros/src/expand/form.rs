//! Prints a form or a choice. The schema is made at run time, from the type's `JsonSchema`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::parts::private;
use crate::form::model::{Choice, Form, Shape};
use crate::syntax::{first_span, ours};

/// A struct as a form. That each field may stand in one is asked of its type, at its type.
pub(crate) fn form(form: &Form) -> TokenStream {
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
    form_with(
        form,
        &quote! {
            static FORM: __mcp::FormCell = __mcp::FormCell::new();
            FORM.get_or_init(|| __mcp::RenderedForm::of::<Self>(&[#(#fields),*]))
        },
    )
}

fn form_with(form: &Form, rendered: &TokenStream) -> TokenStream {
    let (private, ident) = (private(form.krate.as_ref()), &form.ident);
    quote! {
        #[automatically_derived]
        impl #private::Form for #ident {
            fn form() -> &'static #private::RenderedForm {
                use #private as __mcp;
                #rendered
            }
        }
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
    let (private, ident) = (private(choice.krate.as_ref()), &choice.ident);
    quote! {
        #[automatically_derived]
        impl #private::FormChoice for #ident {
            const TITLES: &'static [(&'static str, &'static str)] = #titles;
        }
        #[automatically_derived]
        impl #private::FormField for #ident {
            fn titles() -> &'static [(&'static str, &'static str)] {
                <Self as #private::FormChoice>::TITLES
            }
        }
    }
}

/// What a faulty type leaves behind, so that asking for it brings no second error.
pub(crate) fn form_stand_in(shape: &Shape) -> TokenStream {
    match shape {
        Shape::Choice(choice) => choice_with(choice, &quote!(&[])),
        Shape::Form(form) => form_with(form, &quote!(loop {})),
    }
}
