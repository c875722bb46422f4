//! The keys of `#[tool(..)]`, on a tool and on an `impl` block.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitBool, LitStr, Path, Token};

use super::model::{Hints, Icon, Once};
use super::values;
use crate::errors::Errors;
use crate::names;
use crate::syntax::entries;

const TOOL_KEYS: [&str; 14] = [
    "name",
    "title",
    "description",
    "icons",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "once",
    "timeout",
    "extra",
    "input_schema",
    "handle",
    "crate",
];

/// The keys of a tool, as given.
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) hints: Hints,
    pub(crate) once: Once,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) ignores_extra: bool,
    pub(crate) input_schema: Option<Expr>,
    pub(crate) handle: Option<Ident>,
    pub(crate) krate: Option<Path>,
    /// For errors about keys that do not fit where the tool is.
    pub(crate) seen: Vec<Ident>,
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self {
            name: None,
            title: None,
            description: None,
            icons: Vec::new(),
            hints: Hints::default(),
            once: Once::No,
            timeout_ms: None,
            ignores_extra: false,
            input_schema: None,
            handle: None,
            krate: None,
            seen: Vec::new(),
        };
        let mut more = Errors::default();
        entries(tokens, errors, |input| options.entry(input, &mut more));
        errors.append(more);
        if let (Some(true), Some(true)) = (options.hints.read_only, options.hints.destructive)
            && let Some(key) = options.key("destructive")
        {
            errors.on(
                key,
                "a tool that is `read_only` destroys nothing: keep one of the two",
            );
        }
        options
    }

    /// The key itself, where it was given.
    pub(crate) fn key(&self, name: &str) -> Option<&Ident> {
        self.seen.iter().find(|key| *key == name)
    }

    fn entry(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        let key = input.call(Ident::parse_any).map_err(|error| {
            syn::Error::new(
                error.span(),
                format!("expected a key: known are {}", names::list(&TOOL_KEYS)),
            )
        })?;
        if self.key(&key.to_string()).is_some() {
            return Err(syn::Error::new(
                key.span(),
                format!("`{key}` is given twice: keep one"),
            ));
        }
        match key.to_string().as_str() {
            "name" => self.name = Some(literal(input, &key, "\"find_order\"")?),
            "title" => self.title = Some(value(input, &key, "\"..\"")?),
            "description" => self.description = Some(value(input, &key, "\"..\"")?),
            "icons" => self.icons = values::icons(input, &key, errors)?,
            "read_only" => self.hints.read_only = Some(flag(input, &key)?),
            "destructive" => self.hints.destructive = Some(flag(input, &key)?),
            "idempotent" => self.hints.idempotent = Some(flag(input, &key)?),
            "open_world" => self.hints.open_world = Some(flag(input, &key)?),
            "once" => self.once = once(input)?,
            "timeout" => {
                self.timeout_ms = Some(values::milliseconds(&literal(input, &key, "\"30s\"")?)?)
            }
            "extra" => self.ignores_extra = extra(&literal(input, &key, "\"ignore\"")?)?,
            "input_schema" => self.input_schema = Some(value(input, &key, "schema()")?),
            "handle" => {
                equals(input, &key, "find_tool")?;
                self.handle = Some(input.parse().map_err(|error| {
                    syn::Error::new(
                        error.span(),
                        "`handle` takes a name, such as `handle = find_tool`",
                    )
                })?);
            }
            "crate" => self.krate = Some(crate_path(input, &key)?),
            other => {
                return Err(syn::Error::new(
                    key.span(),
                    names::unknown("`tool` has no key", other, &TOOL_KEYS),
                ));
            }
        }
        self.seen.push(key);
        Ok(())
    }
}

/// The only key of an `impl` block.
pub(crate) fn of_impl_block(tokens: TokenStream, errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    entries(tokens, errors, |input| {
        let key = input.call(Ident::parse_any)?;
        if key != "crate" {
            let message = format!(
                "`{key}` belongs to each tool: write it on the methods, the `impl` takes only `crate`"
            );
            return Err(syn::Error::new(key.span(), message));
        }
        krate = Some(crate_path(input, &key)?);
        Ok(())
    });
    krate
}

/// `= path`, for the key `crate`.
pub(crate) fn crate_path(input: ParseStream<'_>, key: &Ident) -> syn::Result<Path> {
    equals(input, key, "::my_mcp")?;
    input.call(Path::parse_mod_style).map_err(|error| {
        syn::Error::new(
            error.span(),
            "`crate` takes a path without quotes, such as `crate = ::my_mcp`",
        )
    })
}

fn equals(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<()> {
    if input.parse::<Option<Token![=]>>()?.is_some() && !input.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new(
        key.span(),
        format!("`{key}` needs a value: write `{key} = {example}`"),
    ))
}

fn value(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<Expr> {
    equals(input, key, example)?;
    input.parse()
}

fn literal(input: ParseStream<'_>, key: &Ident, example: &str) -> syn::Result<LitStr> {
    equals(input, key, example)?;
    input.parse().map_err(|error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes text: write `{key} = {example}`"),
        )
    })
}

/// A bare word is true.
fn flag(input: ParseStream<'_>, key: &Ident) -> syn::Result<bool> {
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return if input.is_empty() || input.peek(Token![,]) {
            Ok(true)
        } else {
            Err(input.error(format!(
                "`{key}` is a flag: write `{key}` or `{key} = false`"
            )))
        };
    }
    let value = input.parse::<LitBool>();
    let value = value.map_err(|error| {
        syn::Error::new(error.span(), format!("`{key}` takes `true` or `false`"))
    })?;
    Ok(value.value)
}

fn once(input: ParseStream<'_>) -> syn::Result<Once> {
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Ok(Once::Exchange);
    }
    if let Ok(given) = input.fork().parse::<LitBool>() {
        input.parse::<LitBool>()?;
        return Ok(if given.value {
            Once::Exchange
        } else {
            Once::No
        });
    }
    input.parse().map(Once::Key)
}

fn extra(given: &LitStr) -> syn::Result<bool> {
    match given.value().as_str() {
        "ignore" => Ok(true),
        "refuse" => Ok(false),
        other => {
            let message = format!(
                "`extra` is \"ignore\" or \"refuse\" (what happens to unknown arguments), not \"{other}\""
            );
            Err(syn::Error::new(given.span(), message))
        }
    }
}
