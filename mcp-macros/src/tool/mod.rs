//! `#[tool]` on functions and `impl` blocks: from tokens to a checked model.
//!
//! `function` and `methods` are the ways in. `parse` reads a function without its body, `options` the keys of
//! the attribute; `check` and `parameters` have the rules and make a `model::Tool`; `strip` gives back the
//! user's item.

mod check;
mod doc;
mod format;
mod function;
mod kind;
mod mention;
mod methods;
pub(crate) mod model;
mod options;
mod order;
mod parameters;
mod parse;
mod question;
mod schemars_attrs;
mod serde_attrs;
mod strip;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use function::function;
pub(crate) use mention::{mentions, rename_self};
pub(crate) use methods::{Block, methods};
pub(crate) use options::crate_path;
