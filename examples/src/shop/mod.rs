//! A small shop for kitchen and garden goods, from its HTTP API up to a host that plays a story.
//!
//! - `api` is the shop's own HTTP API, as a business has one before it has any tools.
//! - `tools` are the tools, one a file, on top of it.
//! - `serve` makes a server of them, over standard input and output or over HTTP.
//! - `story` is the host: it launches that server and shows what happens when a tool asks.

mod api;
mod client;
pub mod model;
pub mod serve;
pub mod story;
mod tools;

pub use self::{api::Api, client::Shop};
