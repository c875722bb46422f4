//! The derive, from tokens to tokens.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::check;
use super::model::Shape;
use crate::errors::Errors;
use crate::expand;

/// The derive.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let shape = check::shape(&input, &mut errors);
    let generated = match &shape {
        Some(Shape::Form(form)) if errors.is_empty() => expand::form(form),
        Some(Shape::Choice(choice)) if errors.is_empty() => expand::choice(choice),
        Some(shape) => expand::form_stand_in(shape),
        None => TokenStream::new(),
    };
    quote!(#errors #generated)
}
