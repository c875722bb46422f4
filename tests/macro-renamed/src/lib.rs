//! The server crate under another name: every macro takes `crate = path`.
//!
//! Built by the tests of the workspace; that it builds is the test.

use my_mcp::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

pub mod reexported {
    //! The server crate through another module, as a framework on top of it would do.
    pub use my_mcp as mcp;
}

/// A form.
#[derive(Debug, Deserialize, JsonSchema, Form)]
#[form(crate = my_mcp)]
pub struct Confirm {
    /// Check to go on.
    pub confirm: bool,
    /// Which one.
    pub size: Size,
}

/// A choice.
#[derive(Debug, Deserialize, JsonSchema, Form)]
#[form(crate = crate::reexported::mcp)]
pub enum Size {
    /// Small.
    #[form(title = "Small size")]
    Small,
    /// Large.
    Large,
}

/// Packs an order.
#[tool(crate = my_mcp)]
pub async fn pack(
    /// The order.
    order_id: String,
    #[elicit("Pack {order_id}?")] answer: Elicit<Confirm>,
) -> String {
    format!(
        "{order_id}: {}",
        matches!(answer, Elicit::Accept(Confirm { confirm: true, .. }))
    )
}

/// Adds.
#[tool(crate = crate::reexported::mcp)]
pub fn add(
    /// One.
    a: i64,
    /// Another.
    #[serde(default)]
    b: i64,
) -> i64 {
    a + b
}

/// A value with tools.
#[derive(Debug)]
pub struct Packer;

#[tool(crate = ::my_mcp)]
impl Packer {
    /// Weighs an order.
    #[tool]
    pub async fn weigh(&self, order_id: &str) -> String {
        format!("{order_id}: 3 kg")
    }
}

#[prompt(crate = ::my_mcp)]
#[resource(crate = crate::reexported::mcp)]
impl Packer {
    /// Tells the model to pack.
    #[prompt]
    pub async fn packing(&self, #[complete(Self::sizes)] size: String) -> String {
        format!("Pack it {size}.")
    }

    /// The slip of an order.
    #[resource("packer://slips/{order_id}")]
    pub async fn slip(&self, order_id: &str) -> String {
        order_id.to_owned()
    }

    async fn sizes(_: my_mcp::Completing) -> Vec<&'static str> {
        vec!["small", "large"]
    }
}

/// Asks before it packs.
#[prompt(crate = my_mcp)]
pub async fn packed(
    /// The order.
    order_id: String,
    #[elicit("Pack {order_id}?")] answer: Elicit<Confirm>,
) -> String {
    format!("{order_id}: {answer:?}")
}

/// A part of the manual.
#[resource("manual:///{+path}", crate = crate::reexported::mcp)]
pub fn manual(
    /// Which.
    path: my_mcp::SafePath,
) -> String {
    path.to_string()
}
