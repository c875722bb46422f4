//! Prints a checked model. Nothing here can fail, and nothing decides: what a call does is in
//! `mcp_server::__private`.

mod call;
mod form;
mod function;
mod methods;
mod parts;
mod question;
mod ready_made;
mod spec;
#[cfg(test)]
mod tests;

pub(crate) use form::{choice, form, form_stand_in};
pub(crate) use function::{function, stand_in};
pub(crate) use methods::{methods, methods_stand_in};
