//! `derive(Form)`: a struct of plain fields, or an enum of plain variants.

mod attributes;
mod case;
mod check;
mod derive;
pub(crate) mod model;
mod secret;

pub(crate) use derive::derive;
