//! The attribute and derive macros of `mcp-server`: tokens only.
//!
//! Nothing here knows a method name, a version or an error code of the protocol. Each macro reads the user's
//! item (`function`, `form`), checks it into a model, and prints that as data and one call into
//! `::mcp_server::__private` (`expand`), which cannot fail. The item itself is given back first and as
//! written, on every error too, so that editors keep completing inside it.
//!
//! The documentation of the macros is on their re-exports in `mcp-server`.

mod errors;
mod expand;
mod form;
mod function;
mod names;
mod syntax;

use proc_macro::TokenStream;

use function::Kind;

/// Turns a function, or the methods of an `impl` block that are marked as well, into tools. Documented at
/// `mcp_server::tool`.
///
/// One name serves both, because an attribute `tools` could not stand beside the macro `tools!`: Rust keeps the
/// two in one namespace.
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    of_kind(Kind::Tool, arguments, item)
}

/// The same for prompts. Documented at `mcp_server::prompt`.
#[proc_macro_attribute]
pub fn prompt(arguments: TokenStream, item: TokenStream) -> TokenStream {
    of_kind(Kind::Prompt, arguments, item)
}

/// The same for resources. Documented at `mcp_server::resource`.
#[proc_macro_attribute]
pub fn resource(arguments: TokenStream, item: TokenStream) -> TokenStream {
    of_kind(Kind::Resource, arguments, item)
}

fn of_kind(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), item.into());
    if syntax::is_impl(&item) {
        function::methods(kind, arguments, item).into()
    } else {
        function::free(kind, arguments, item).into()
    }
}

/// Makes a struct a form that a person can be asked to fill in, or a unit enum a choice inside one. Documented
/// at `mcp_server::Form`.
#[proc_macro_derive(Form, attributes(form))]
pub fn derive_form(item: TokenStream) -> TokenStream {
    form::derive(item.into()).into()
}
