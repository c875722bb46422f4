//! A function's `FunctionSpec`, with what its attribute and signature say and nothing else.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Type};

use super::question;
use crate::function::Kind;
use crate::function::model::{
    Argument, Complete, Default, Function, Hints, Icon, Keys, Keyword, Once, Parameter, Resource,
    Role, Value, Words,
};
use crate::syntax::{first_span, ours, plain};

/// The locals are our own: no expression of the user's sees them.
macro_rules! quote {
    ($($tokens:tt)*) => { quote_spanned!(Span::mixed_site()=> $($tokens)*) };
}

/// An expression that makes the spec of a function without attributes.
pub(super) fn plain_spec(function: &Function) -> TokenStream {
    let (name, description) = (&function.name, comment(function.description.as_ref()));
    let (arguments, output) = (arguments(function), output(function));
    let (constructor, uri) = match &function.keys {
        Keys::Tool { .. } => (quote!(tool), None),
        Keys::Prompt => (quote!(prompt), None),
        Keys::Resource(resource) => (quote!(resource), Some(&resource.uri)),
    };
    let uri = uri.into_iter();
    quote! {
        __mcp::FunctionSpec::#constructor(#name, #description, #arguments, #output #(, #uri)*)
    }
}

/// What attributes say of the function and of its arguments: assignments to the `Function` of this name.
pub(super) fn assignments(function: &Function, local: &TokenStream) -> TokenStream {
    let mut keys = Assignments::to(quote!(#local.spec));
    if let Some(title) = &function.title {
        let title = constant(title);
        keys.set("title", &quote!(__mcp::Option::Some(#title)));
    }
    keys.describe(function.description.as_ref());
    if !function.icons.is_empty() {
        let icons = function.icons.iter().map(icon);
        keys.set("icons", &quote!(&[#(#icons),*]));
    }
    if let Some(kind) = kind(&function.keys) {
        keys.set("kind", &kind);
    }
    if function.ignores_extra {
        keys.set("extra", &quote!(__mcp::Extra::Ignore));
    }
    let states: Vec<_> = function.parameters.iter().filter_map(state).collect();
    if !states.is_empty() {
        keys.set("states", &quote!(__mcp::Box::new([#(#states),*])));
    }
    let markers: Vec<_> = function.parameters.iter().filter_map(marker).collect();
    if !markers.is_empty() {
        keys.set("markers", &quote!(__mcp::Box::new([#(#markers),*])));
    }
    match function.once {
        Once::No => {}
        Once::Exchange => keys.set("once", &quote!(__mcp::OnceSpec::Exchange)),
        Once::Key(_) => keys.set("once", &quote!(__mcp::OnceSpec::Key)),
    }
    if let Some(time) = function.timeout_ms {
        let time = quote!(__mcp::Option::Some(__mcp::Duration::from_millis(#time)));
        keys.set("timeout", &time);
    }
    let of_arguments = plain_arguments(function).enumerate();
    let of_arguments = of_arguments.map(|(index, (ty, argument))| {
        let index = Literal::usize_unsuffixed(index);
        argument_assignments(ty, argument, quote!(#local.argument(#index)))
    });
    keys.made.extend(of_arguments);
    keys.made
}

/// Assignments to the fields of one value.
struct Assignments {
    value: TokenStream,
    made: TokenStream,
}

impl Assignments {
    fn to(value: TokenStream) -> Self {
        Self {
            value,
            made: TokenStream::new(),
        }
    }

    fn set(&mut self, field: &str, new: &TokenStream) {
        let (value, field) = (&self.value, Ident::new(field, Span::mixed_site()));
        self.made.extend(quote!(#value.#field = #new;));
    }

    /// A description that is no comment.
    fn describe(&mut self, words: Option<&Words>) {
        if let Some(Words::Given(given)) = words {
            let given = constant(given);
            self.set("description", &quote!(__mcp::Option::Some(#given)));
        }
    }
}

/// The plain arguments with their types, in order.
pub(super) fn plain_arguments(function: &Function) -> impl Iterator<Item = (&Type, &Argument)> {
    let parameters = function.parameters.iter();
    parameters.filter_map(|parameter| match &parameter.role {
        Role::Argument(argument) => Some((&parameter.ty, &**argument)),
        _ => None,
    })
}

/// The name and the description.
pub(super) fn named(argument: &Argument) -> TokenStream {
    let (name, comment) = (&argument.name, comment(argument.description.as_ref()));
    quote!(#name, #comment)
}

/// A comment, as the constructors take it: empty where there is none.
pub(super) fn comment(words: Option<&Words>) -> &str {
    match words {
        Some(Words::Comment(text)) => text,
        Some(Words::Given(_)) | None => "",
    }
}

/// What a user wrote as a value of a key: a constant, whatever it is.
fn constant(value: &Expr) -> TokenStream {
    match value {
        Expr::Lit(literal) => literal.to_token_stream(),
        other => quote!(const { #other }),
    }
}

/// What only this kind of function has, as far as its keys say more than the constructor.
fn kind(keys: &Keys) -> Option<TokenStream> {
    match keys {
        Keys::Tool {
            hints,
            input_schema,
        } if !hints.is_empty() || input_schema.is_some() => {
            let Hints {
                read_only,
                destructive,
                idempotent,
                open_world,
            } = *hints;
            let [read_only, destructive, idempotent, open_world] =
                [read_only, destructive, idempotent, open_world].map(option);
            let schema = input_schema.as_ref();
            let schema = option(schema.map(|schema| quote!(|| __mcp::Into::into(#schema))));
            Some(quote! {
                __mcp::KindSpec::Tool(__mcp::ToolSpec {
                    annotations: __mcp::AnnotationSpec {
                        read_only: #read_only,
                        destructive: #destructive,
                        idempotent: #idempotent,
                        open_world: #open_world,
                    },
                    input_schema: #schema,
                })
            })
        }
        Keys::Resource(resource) if !resource.has_uri_alone() => Some(self::resource(resource)),
        Keys::Tool { .. } | Keys::Prompt | Keys::Resource(_) => None,
    }
}

fn resource(resource: &Resource) -> TokenStream {
    let uri = &resource.uri;
    let mime_type = option(resource.mime_type.as_ref());
    let size = option(resource.size);
    let audience = &resource.audience;
    let priority = option(resource.priority);
    let last_modified = option(resource.last_modified.as_ref());
    quote! {
        __mcp::KindSpec::Resource(__mcp::ResourceSpec {
            uri: #uri,
            mime_type: #mime_type,
            size: #size,
            audience: &[#(#audience),*],
            priority: #priority,
            last_modified: #last_modified,
        })
    }
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(__mcp::Option::Some(#value)),
        None => quote!(__mcp::Option::None),
    }
}

fn icon(icon: &Icon) -> TokenStream {
    let (src, mime_type, sizes, theme) = (
        &icon.src,
        option(icon.mime_type.as_ref()),
        &icon.sizes,
        option(icon.theme.as_ref()),
    );
    quote!(__mcp::IconSpec { src: #src, mime_type: #mime_type, sizes: &[#(#sizes),*], theme: #theme })
}

fn output(function: &Function) -> TokenStream {
    let Some(ty) = &function.output else {
        return quote!(__mcp::OutputSpec::of::<()>());
    };
    let span = ours(first_span(ty));
    match function.keys.kind() {
        Kind::Tool => quote_spanned!(span=> __mcp::OutputSpec::of::<#ty>()),
        Kind::Prompt => quote_spanned!(span=> __mcp::OutputSpec::of_prompt::<#ty>()),
        Kind::Resource => quote_spanned!(span=> __mcp::OutputSpec::of_resource::<#ty>()),
    }
}

fn arguments(function: &Function) -> TokenStream {
    let whole = function
        .parameters
        .iter()
        .find(|parameter| matches!(parameter.role, Role::Arguments));
    if let Some(Parameter { ty, .. }) = whole {
        return quote_spanned!(ours(first_span(ty))=> __mcp::ArgumentsSpec::Struct {
            schema: __mcp::struct_schema_of::<#ty>,
            members: __mcp::struct_members_of::<#ty>,
        });
    }
    let list = plain_arguments(function).map(|(ty, argument)| {
        let named = named(argument);
        let owned = owned(ty, argument);
        let span = ours(first_span(ty));
        let says_itself = argument.default.is_none() && argument.deserialize_with.is_none();
        match &argument.described_as {
            None if says_itself => quote_spanned!(span=> __mcp::ArgumentSpec::of::<#owned>(#named)),
            None => quote_spanned!(span=> __mcp::ArgumentSpec::described_as::<#owned>(#named)),
            Some(described) => quote!(__mcp::ArgumentSpec::described_as::<#described>(#named)),
        }
    });
    quote!(__mcp::ArgumentsSpec::List(__mcp::Box::new([#(#list),*])))
}

/// The type that an argument is read as.
fn owned(ty: &Type, argument: &Argument) -> TokenStream {
    if argument.is_str {
        quote_spanned!(ours(first_span(ty))=> __mcp::String)
    } else {
        ty.to_token_stream()
    }
}

fn argument_assignments(ty: &Type, argument: &Argument, value: TokenStream) -> TokenStream {
    let span = ours(first_span(ty));
    let owned = owned(ty, argument);
    let mut keys = Assignments::to(value);
    keys.describe(argument.description.as_ref());
    if !argument.aliases.is_empty() {
        let aliases = &argument.aliases;
        keys.set("aliases", &quote!(&[#(#aliases),*]));
    }
    if argument.is_path {
        let described = argument.described_as.as_ref();
        let described = described.map_or_else(|| owned.clone(), ToTokens::to_token_stream);
        let schema = quote_spanned!(span=> __mcp::path_schema_of::<#described>);
        keys.set("schema", &schema);
    }
    if let Some(default) = &argument.default {
        let value = default_value(argument, default, &owned);
        let default = quote_spanned!(span=> __mcp::default_value!(#owned, #value));
        keys.set("optional", &quote!(__mcp::always));
        keys.set("default", &quote!(__mcp::Option::Some(#default)));
    } else if argument.described_as.is_some() && argument.deserialize_with.is_none() {
        // A custom decoder decides itself whether the argument may be absent; it is described by the type, as in serde.
        let optional = quote_spanned!(span=> __mcp::missing_is_ok::<#owned>);
        keys.set("optional", &optional);
    }
    if !argument.keywords.is_empty() {
        let keywords = argument.keywords.iter().map(keyword);
        keys.set("keywords", &quote!(&[#(#keywords),*]));
    }
    if let Some(header) = &argument.header {
        keys.set("header", &quote!(__mcp::Option::Some(#header)));
    }
    if let Some(complete) = argument.complete.as_ref().map(complete) {
        keys.set("complete", &quote!(__mcp::Option::Some(#complete)));
    }
    keys.made
}

fn complete(complete: &Complete) -> TokenStream {
    match complete {
        Complete::List(values) => quote!(__mcp::CompleteSpec::List(&[#(#values),*])),
        Complete::Function(function) => {
            let span = ours(first_span(function));
            quote_spanned!(span=> __mcp::CompleteSpec::Function(|typing| __mcp::complete_with(typing, #function)))
        }
    }
}

/// The default of an argument of type `ty`.
pub(super) fn default_value(
    argument: &Argument,
    default: &Default,
    ty: &TokenStream,
) -> TokenStream {
    match default {
        Default::Trait => quote!(<#ty as __mcp::Default>::default()),
        // The function of a `&str` may give a `String` as well.
        Default::Path(path) if argument.is_str => quote!(__mcp::From::from(#path())),
        Default::Path(path) => quote!(#path()),
    }
}

fn keyword(keyword: &Keyword) -> TokenStream {
    let name = &keyword.name;
    let value = match &keyword.value {
        Value::Of(value) => quote!(__mcp::value(#value)),
        Value::List(values) => {
            quote!(__mcp::Value::Array(__mcp::From::from([#(__mcp::value(#values)),*])))
        }
        Value::Json(tokens) => quote!(__mcp::json!(#tokens)),
    };
    quote!(__mcp::Keyword { name: #name, value: || #value })
}

fn state(parameter: &Parameter) -> Option<TokenStream> {
    let Role::State = parameter.role else {
        return None;
    };
    let (name, ty) = (plain(&parameter.ident), &parameter.ty);
    Some(quote_spanned!(ours(first_span(ty))=> __mcp::state::<#ty>(#name)))
}

fn marker(parameter: &Parameter) -> Option<TokenStream> {
    let Role::Marker(marker) = &parameter.role else {
        return None;
    };
    let (name, unconditional, ty) = (&marker.name, marker.unconditional, &parameter.ty);
    let span = ours(first_span(ty));
    let value = question::value(ty);
    let form = option(unconditional.then(|| quote_spanned!(span=> __mcp::form_of::<#value>)));
    Some(quote_spanned! {span=>
        __mcp::MarkerSpec { parameter: #name, unconditional: #unconditional, form: #form, check: __mcp::check_marker::<#ty> }
    })
}
