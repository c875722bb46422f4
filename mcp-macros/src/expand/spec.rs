//! A tool's `FunctionSpec`: constant data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::question;
use crate::syntax::{first_span, ours, plain};
use crate::tool::model::{Argument, Default, Icon, Keyword, Once, Parameter, Role, Tool, Value};

pub(super) fn of(tool: &Tool) -> TokenStream {
    let name = &tool.name;
    let title = option(tool.title.as_ref());
    let description = option(tool.description.as_ref());
    let icons = tool.icons.iter().map(icon);
    let [read_only, destructive, idempotent, open_world] = {
        let hints = tool.hints;
        [
            hints.read_only,
            hints.destructive,
            hints.idempotent,
            hints.open_world,
        ]
        .map(option)
    };
    let arguments = arguments(tool);
    let extra = if tool.ignores_extra {
        quote!(Ignore)
    } else {
        quote!(Refuse)
    };
    let input_schema = option(
        tool.input_schema
            .as_ref()
            .map(|schema| quote!(|| __mcp::Into::into(#schema))),
    );
    let output = output(tool);
    let states = tool.parameters.iter().filter_map(state);
    let markers = tool.parameters.iter().filter_map(marker);
    let once = match tool.once {
        Once::No => quote!(No),
        Once::Exchange => quote!(Exchange),
        Once::Key(_) => quote!(Key),
    };
    let timeout = option(
        tool.timeout_ms
            .map(|time| quote!(__mcp::Duration::from_millis(#time))),
    );
    quote! {
        __mcp::FunctionSpec {
            name: #name,
            title: #title,
            description: #description,
            icons: &[#(#icons),*],
            kind: __mcp::KindSpec::Tool(__mcp::ToolSpec {
                annotations: __mcp::AnnotationSpec {
                    read_only: #read_only,
                    destructive: #destructive,
                    idempotent: #idempotent,
                    open_world: #open_world,
                },
                input_schema: #input_schema,
            }),
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

fn output(tool: &Tool) -> TokenStream {
    match &tool.output {
        None => quote!(__mcp::OutputSpec::of::<()>()),
        Some(ty) => quote_spanned!(ours(first_span(ty))=> __mcp::OutputSpec::of::<#ty>()),
    }
}

fn arguments(tool: &Tool) -> TokenStream {
    let list = tool
        .parameters
        .iter()
        .filter_map(|parameter| match &parameter.role {
            Role::Argument(argument) => Some(argument_spec(&parameter.ty, argument)),
            _ => None,
        });
    let whole = tool
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
    quote! {
        __mcp::ArgumentSpec {
            name: #name,
            aliases: &[#(#aliases),*],
            description: #description,
            schema: __mcp::schema_of::<#described>,
            optional: #optional,
            default: #default,
            keywords: &[#(#keywords),*],
            header: __mcp::Option::None,
            complete: __mcp::Option::None,
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
