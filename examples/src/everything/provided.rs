//! What no function stands for: resources that are known only when they are asked for, and an extension of
//! the protocol.

use mcp_server::{Extension, ListPage, ResourceProvider, RpcError, prelude::*, protocol::Resource};
use serde_json::{Value, json};

/// What a database would hold.
const RECORDS: [&str; 3] = ["one", "two", "three"];

/// The records as resources, of which each has a URI of its own.
pub(super) struct Records;

impl ResourceProvider for Records {
    type Contents = Option<&'static str>;

    async fn list(&self, _: Option<&str>, _: &Context) -> Result<ListPage<Resource>, ToolError> {
        let record = |name: &&str| Resource::new(format!("test://records/{name}"), *name);
        Ok(ListPage {
            items: RECORDS.iter().map(record).collect(),
            next_cursor: None,
        })
    }

    async fn read(&self, uri: &str, _: &Context) -> Option<&'static str> {
        let name = uri.strip_prefix("test://records/")?;
        RECORDS.into_iter().find(|known| *known == name)
    }
}

/// An extension with one method, for clients that declare it.
pub(super) struct Counting;

impl Extension for Counting {
    fn name(&self) -> &str {
        "com.example/counting"
    }

    fn settings(&self) -> Value {
        json!({ "highest": 1_000 })
    }

    fn methods(&self) -> &[&str] {
        &["counting/next"]
    }

    async fn request(&self, _: &str, params: Value, _: &Context) -> Result<Value, RpcError> {
        match params["after"].as_u64() {
            Some(after) if after < 1_000 => Ok(json!({ "next": after + 1 })),
            _ => Err(RpcError::invalid_params("`after` must be below 1000")),
        }
    }
}
