//! `#[tool]` on an `impl` block: finds the marked methods of an `impl` block, whose other members stay unread.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, Path, Token, Type, braced};

use super::model::Tool;
use super::options::{self, Options};
use super::parse::Function;
use super::{check, strip};
use crate::errors::Errors;
use crate::expand;
use crate::syntax::cfgs;

/// `#[tool]` on an `impl` block.
pub(crate) fn methods(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let krate = options::of_impl_block(arguments, &mut errors);
    let block = errors.keep(syn::parse2::<Block>(item.clone()));
    let tools = block
        .as_ref()
        .map(|block| tools(block, &mut errors))
        .unwrap_or_default();
    let given = if block.is_some() {
        strip::impl_block(item)
    } else {
        item
    };
    let generated = match &block {
        Some(block) if errors.is_empty() => expand::methods(block, &tools, krate.as_ref()),
        Some(block) if block.can_have_tools() => expand::methods_stand_in(block, krate.as_ref()),
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

    /// Whether the type can be a value with tools at all, whatever is wrong with the tools.
    pub(crate) fn can_have_tools(&self) -> bool {
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

/// The tools of a block.
fn tools(block: &Block, errors: &mut Errors) -> Vec<Tool> {
    if let Some(trait_) = &block.trait_ {
        errors.on(trait_, "the methods of a trait cannot be tools: move them to an `impl` block of the type itself");
        return Vec::new();
    }
    if let Some(lifetime) = block.generics.lifetimes().next() {
        errors.on(
            &lifetime.lifetime,
            "a server keeps the value, so it cannot borrow: own the data, or share it in an `Arc`",
        );
    }
    let mut tools = Vec::new();
    let mut marked = false;
    for member in strip::members(block.members.clone()) {
        if let (Some(mark), rest) = strip::split_mark(member) {
            marked = true;
            tools.extend(method(&mark, rest, errors));
        }
    }
    if !marked {
        errors.on(
            &block.self_ty,
            "no method here is a tool: mark one with `#[tool]`",
        );
    }
    tools
}

fn method(mark: &Attribute, rest: TokenStream, errors: &mut Errors) -> Option<Tool> {
    let arguments = match &mark.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(pair) => {
            errors.on(
                pair,
                "write the keys in parentheses: `#[tool(title = \"..\")]`",
            );
            return None;
        }
    };
    let options = Options::parse(arguments, errors);
    if let Some(key) = options.key("handle") {
        errors.on(key, "a method has no struct to name: remove `handle`");
    }
    if let Some(key) = options.key("crate") {
        errors.on(
            key,
            "the whole block has one server crate: write `#[tool(crate = ..)]` on the `impl`",
        );
    }
    let function = errors.keep(syn::parse2::<Function>(rest))?;
    check::method(&function, options, errors)
}
