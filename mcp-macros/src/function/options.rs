//! The keys of `#[tool(..)]`, `#[prompt(..)]` and `#[resource(..)]`, on a function and on an `impl` block.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Path};

use super::Kind;
use super::icons;
use super::model::{Hints, Icon, Keys, Once};
use super::resource_keys::ResourceKeys;
use super::values::{self, crate_path, equals, extra, flag, literal, once, value};
use crate::errors::Errors;
use crate::names;
use crate::syntax::entries;

/// The keys of a function, as given.
pub(super) struct Options {
    pub(super) kind: Kind,
    pub(super) name: Option<LitStr>,
    pub(super) title: Option<Expr>,
    pub(super) description: Option<Expr>,
    pub(super) icons: Vec<Icon>,
    pub(super) hints: Hints,
    pub(super) once: Once,
    pub(super) timeout_ms: Option<u64>,
    pub(super) ignores_extra: bool,
    pub(super) input_schema: Option<Expr>,
    pub(super) resource: ResourceKeys,
    pub(super) handle: Option<Ident>,
    pub(super) krate: Option<Path>,
    /// For errors about keys that do not fit where the function is.
    seen: Vec<Ident>,
}

impl Options {
    /// `at`: the attribute, for what is missing in it.
    pub(super) fn parse(kind: Kind, tokens: TokenStream, at: Span, errors: &mut Errors) -> Self {
        let mut options = Self {
            kind,
            name: None,
            title: None,
            description: None,
            icons: Vec::new(),
            hints: Hints::default(),
            once: Once::No,
            timeout_ms: None,
            ignores_extra: false,
            input_schema: None,
            resource: ResourceKeys::default(),
            handle: None,
            krate: None,
            seen: Vec::new(),
        };
        let mut more = Errors::default();
        let mut is_first = true;
        entries(tokens, errors, |input| {
            let first = std::mem::replace(&mut is_first, false);
            if kind == Kind::Resource && options.resource.uri(input, first)? {
                return Ok(());
            }
            options.entry(input, &mut more)
        });
        errors.append(more);
        if let (Some(true), Some(true)) = (options.hints.read_only, options.hints.destructive)
            && let Some(key) = options.key("destructive")
        {
            errors.on(
                key,
                "a tool that is `read_only` destroys nothing: keep one of the two",
            );
        }
        if kind == Kind::Resource && options.resource.is_without_uri() {
            errors.at(
                at,
                "a resource needs its URI: write `#[resource(\"note://{id}\")]`, or one without variables",
            );
        }
        options
    }

    /// The key itself, where it was given.
    pub(super) fn key(&self, name: &str) -> Option<&Ident> {
        self.seen.iter().find(|key| *key == name)
    }

    /// What only this kind has; `None` for a resource whose URI is faulty.
    pub(super) fn keys(&mut self) -> Option<Keys> {
        Some(match self.kind {
            Kind::Tool => Keys::Tool {
                hints: self.hints,
                input_schema: self.input_schema.take(),
            },
            Kind::Prompt => Keys::Prompt,
            Kind::Resource => Keys::Resource(self.resource.take()?),
        })
    }

    fn entry(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        let known = self.kind.keys();
        let key = input.call(Ident::parse_any).map_err(|error| {
            syn::Error::new(
                error.span(),
                format!("expected a key: known are {}", names::list(known)),
            )
        })?;
        let name = key.to_string();
        if self.key(&name).is_some() {
            return Err(syn::Error::new(
                key.span(),
                format!("`{key}` is given twice: keep one"),
            ));
        }
        if !known.contains(&name.as_str()) {
            let refusal = self.kind.refusal(&name).unwrap_or_else(|| {
                let owner = format!("`{}` has no key", self.kind.name());
                names::unknown(&owner, &name, known)
            });
            return Err(syn::Error::new(key.span(), refusal));
        }
        match name.as_str() {
            "name" => self.name = Some(literal(input, &key, "\"find_order\"")?),
            "title" => self.title = Some(value(input, &key, "\"..\"")?),
            "description" => self.description = Some(value(input, &key, "\"..\"")?),
            "icons" => self.icons = icons::icons(input, &key, errors)?,
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
                let example = format!("find_{}", self.kind.name());
                equals(input, &key, &example)?;
                self.handle = Some(input.parse().map_err(|error| {
                    syn::Error::new(
                        error.span(),
                        format!("`handle` takes a name, such as `handle = {example}`"),
                    )
                })?);
            }
            "crate" => self.krate = Some(crate_path(input, &key)?),
            _ => self.resource.entry(input, &key, errors)?,
        }
        self.seen.push(key);
        Ok(())
    }
}

/// The only key of an `impl` block.
pub(super) fn of_impl_block(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    entries(tokens, errors, |input| {
        if kind == Kind::Resource && input.peek(LitStr) {
            let message = "the URI belongs to each resource: write it on the methods, the `impl` takes only `crate`";
            let uri: LitStr = input.parse()?;
            return Err(syn::Error::new(uri.span(), message));
        }
        let key = input.call(Ident::parse_any)?;
        if key != "crate" {
            let message = format!(
                "`{key}` belongs to each {}: write it on the methods, the `impl` takes only `crate`",
                kind.name()
            );
            return Err(syn::Error::new(key.span(), message));
        }
        krate = Some(crate_path(input, &key)?);
        Ok(())
    });
    krate
}
