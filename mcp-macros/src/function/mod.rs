//! `#[tool]`, `#[prompt]` and `#[resource]` on functions and `impl` blocks: from tokens to a checked model.
//!
//! One model serves the three, since they differ in little: `kind` says in what. `free` and `methods` are the
//! ways in. `parse` reads a function without its body, `options` the keys of the attribute; `check`,
//! `parameters` and `variables` have the rules and make a `model::Function`; `strip` gives back the user's item.

mod check;
mod completion;
mod doc;
mod format;
mod free;
mod header;
mod icons;
mod kind;
mod mention;
mod methods;
pub(crate) mod model;
mod options;
mod order;
mod parameter_kind;
mod parameters;
mod parse;
mod question;
mod resource_keys;
mod schemars_attrs;
mod serde_attrs;
mod strip;
mod template;
#[cfg(test)]
mod tests;
mod values;
mod variables;

pub(crate) use free::free;
pub(crate) use kind::Kind;
pub(crate) use mention::{mentions, rename_self};
pub(crate) use methods::{Block, methods};
pub(crate) use values::crate_path;
