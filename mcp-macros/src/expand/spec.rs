//! A function's `FunctionSpec`: constant data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::question;
use crate::function::Kind;
use crate::function::model::{
    Argument, Complete, Default, Function, Icon, Keys, Keyword, Once, Parameter, Resource, Role,
    Value,
};
use crate::syntax::{first_span, ours, plain};

pub(super) fn of(function: &Function) -> TokenStream {
    let name = &function.name;
    let title = option(function.title.as_ref());
    let description = option(function.description.as_ref());
    let icons = function.icons.iter().map(icon);
    let kind = kind(&function.keys);
    let arguments = arguments(function);
    let extra = if function.ignores_extra {
        quote!(Ignore)
    } else {
        quote!(Refuse)
    };
    let output = output(function);
    let states = function.parameters.iter().filter_map(state);
    let markers = function.parameters.iter().filter_map(marker);
    let once = match function.once {
        Once::No => quote!(No),
        Once::Exchange => quote!(Exchange),
        Once::Key(_) => quote!(Key),
    };
    let timeout = option(
        function
            .timeout_ms
            .map(|time| quote!(__mcp::Duration::from_millis(#time))),
    );
    quote! {
        __mcp::FunctionSpec {
            name: #name,
            title: #title,
            description: #description,
            icons: &[#(#icons),*],
            kind: #kind,
            arguments: #arguments,
            extra: __mcp::Extra::#extra,
            output: #output,
            states: &[#(#states),*],
            markers: &[#(#markers),*],
            once: __mcp::OnceSpec::#once,
            timeout: #timeout,
            location: __mcp::Location { file: __mcp::file!(), line: __mcp::line!() },
        }
    }
}

/// What only this kind of function has.
fn kind(keys: &Keys) -> TokenStream {
    match keys {
        Keys::Tool {
            hints,
            input_schema,
        } => {
            let read_only = option(hints.read_only);
            let destructive = option(hints.destructive);
            let idempotent = option(hints.idempotent);
            let open_world = option(hints.open_world);
            let schema = input_schema.as_ref();
            let schema = option(schema.map(|schema| quote!(|| __mcp::Into::into(#schema))));
            quote! {
                __mcp::KindSpec::Tool(__mcp::ToolSpec {
                    annotations: __mcp::AnnotationSpec {
                        read_only: #read_only,
                        destructive: #destructive,
                        idempotent: #idempotent,
                        open_world: #open_world,
                    },
                    input_schema: #schema,
                })
            }
        }
        Keys::Prompt => quote!(__mcp::KindSpec::Prompt),
        Keys::Resource(resource) => self::resource(resource),
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
    let list = function
        .parameters
        .iter()
        .filter_map(|parameter| match &parameter.role {
            Role::Argument(argument) => Some(argument_spec(&parameter.ty, argument)),
            _ => None,
        });
    let whole = function
        .parameters
        .iter()
        .find_map(|parameter| match &parameter.role {
            Role::Arguments => Some(&parameter.ty),
            _ => None,
        });
    match whole {
        Some(ty) => {
            quote_spanned!(ours(first_span(ty))=> __mcp::ArgumentsSpec::Struct {
                schema: __mcp::struct_schema_of::<#ty>,
                members: __mcp::struct_members_of::<#ty>,
            })
        }
        None => quote!(__mcp::ArgumentsSpec::List(&[#(#list),*])),
    }
}

fn argument_spec(ty: &Type, argument: &Argument) -> TokenStream {
    let span = ours(first_span(ty));
    let (name, aliases) = (&argument.name, &argument.aliases);
    let description = option(argument.description.as_ref());
    let owned = if argument.is_str {
        quote_spanned!(span=> __mcp::String)
    } else {
        ty.to_token_stream()
    };
    let described = argument
        .described_as
        .as_ref()
        .map_or_else(|| owned.clone(), ToTokens::to_token_stream);
    let optional = match argument.default {
        Some(_) => quote!(__mcp::always),
        // A custom decoder decides itself; described by the type, as in serde.
        None if argument.deserialize_with.is_some() => quote!(__mcp::never),
        None => quote_spanned!(span=> __mcp::missing_is_ok::<#owned>),
    };
    let default = option(argument.default.as_ref().map(|default| {
        let value = default_value(argument, default, &owned);
        quote_spanned!(span=> __mcp::default_value!(#owned, #value))
    }));
    let keywords = argument.keywords.iter().map(keyword);
    let schema = if argument.is_path {
        quote_spanned!(span=> __mcp::path_schema_of::<#described>)
    } else {
        quote!(__mcp::schema_of::<#described>)
    };
    let header = option(argument.header.as_ref());
    let complete = option(argument.complete.as_ref().map(complete));
    quote! {
        __mcp::ArgumentSpec {
            name: #name,
            aliases: &[#(#aliases),*],
            description: #description,
            schema: #schema,
            optional: #optional,
            default: #default,
            keywords: &[#(#keywords),*],
            header: #header,
            complete: #complete,
        }
    }
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
