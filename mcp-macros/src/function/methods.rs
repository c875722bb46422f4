//! The attributes on an `impl` block: finds the methods that are marked as well, whose other members stay unread.
//!
//! Each attribute takes the methods of its own kind and leaves the others alone, so that they stack.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, Path, Token, Type, braced};

use super::model::Function;
use super::options::{self, Options};
use super::parse::Item;
use super::{Kind, check, strip};
use crate::errors::Errors;
use crate::expand;
use crate::syntax::{cfgs, first_span};

/// `#[tool]`, `#[prompt]` or `#[resource]` on an `impl` block.
pub(crate) fn methods(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = options::of_impl_block(kind, arguments, &mut errors);
    let block = errors.keep(syn::parse2::<Block>(item.clone()));
    let functions = block
        .as_ref()
        .map(|block| functions(kind, block, &mut errors))
        .unwrap_or_default();
    let given = if block.is_some() {
        strip::impl_block(kind, item)
    } else {
        item
    };
    let generated = match &block {
        Some(block) if errors.is_empty() => {
            expand::methods(kind, block, &functions, krate.as_ref())
        }
        Some(block) if block.can_be_shared() => {
            expand::methods_stand_in(kind, block, krate.as_ref())
        }
        _ => TokenStream::new(),
    };
    quote!(#given #errors #generated)
}

/// An `impl` block with its members left as tokens.
pub(crate) struct Block {
    attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    trait_: Option<Path>,
    pub(crate) self_ty: Type,
    members: TokenStream,
}

impl Block {
    pub(crate) fn cfgs(&self) -> Vec<Attribute> {
        cfgs(&self.attributes)
    }

    /// Whether the type can be a value with functions at all, whatever is wrong with them.
    fn can_be_shared(&self) -> bool {
        self.trait_.is_none() && self.generics.lifetimes().next().is_none()
    }
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(input.error("expected `impl`"));
        }
        input.parse::<Token![impl]>()?;
        let starts_generics = input.peek(Token![<])
            && (input.peek2(Token![>])
                || input.peek2(Token![#])
                || input.peek2(syn::Ident)
                || input.peek2(syn::Lifetime)
                || input.peek2(Token![const]));
        let mut generics: Generics = if starts_generics {
            input.parse()?
        } else {
            Generics::default()
        };
        let mut self_ty: Type = input.parse()?;
        let mut trait_ = None;
        if input.peek(Token![for]) {
            input.parse::<Token![for]>()?;
            let Type::Path(path) = self_ty else {
                return Err(syn::Error::new_spanned(self_ty, "expected a trait"));
            };
            trait_ = Some(path.path);
            self_ty = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let content;
        braced!(content in input);
        Ok(Self {
            attributes,
            generics,
            trait_,
            self_ty,
            members: content.parse()?,
        })
    }
}

/// The functions of one kind in a block.
fn functions(kind: Kind, block: &Block, errors: &mut Errors) -> Vec<Function> {
    let name = kind.name();
    if let Some(trait_) = &block.trait_ {
        let message = format!(
            "the methods of a trait cannot be {name}s: move them to an `impl` block of the type itself"
        );
        errors.on(trait_, message);
        return Vec::new();
    }
    if let Some(lifetime) = block.generics.lifetimes().next() {
        errors.on(
            &lifetime.lifetime,
            "a server keeps the value, so it cannot borrow: own the data, or share it in an `Arc`",
        );
    }
    let mut functions = Vec::new();
    let mut marked = false;
    for member in strip::members(block.members.clone()) {
        if let (Some(mark), rest) = strip::split_mark(kind, member) {
            marked = true;
            functions.extend(method(kind, &mark, rest, errors));
        }
    }
    if !marked {
        let message = format!(
            "no method here is a {name}: mark one with `{}`",
            kind.mark()
        );
        errors.on(&block.self_ty, message);
    }
    functions
}

fn method(
    kind: Kind,
    mark: &Attribute,
    rest: TokenStream,
    errors: &mut Errors,
) -> Option<Function> {
    let arguments = match &mark.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(pair) => {
            let usage = match kind {
                Kind::Tool | Kind::Prompt => format!("#[{}(title = \"..\")]", kind.name()),
                Kind::Resource => "#[resource(\"note://{id}\")]".to_owned(),
            };
            errors.on(pair, format!("write the keys in parentheses: `{usage}`"));
            return None;
        }
    };
    let options = Options::parse(kind, arguments, first_span(mark.path()), errors);
    if let Some(key) = options.key("handle") {
        errors.on(key, "a method has no struct to name: remove `handle`");
    }
    if let Some(key) = options.key("crate") {
        let message = format!(
            "the whole block has one server crate: write `#[{}(crate = ..)]` on the `impl`",
            kind.name()
        );
        errors.on(key, message);
    }
    let item = errors.keep(Item::parse(kind, rest))?;
    if let Some(other) = kind.other_mark(&item.attributes) {
        errors.on(other, kind.conflict(other));
    }
    check::method(&item, options, errors)
}
