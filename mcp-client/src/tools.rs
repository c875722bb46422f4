//! `tools/list` and `tools/call`, as most hosts use them.

use mcp_core::protocol::{CallToolResult, ContentBlock, Tool};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout};

use crate::arguments;
use crate::client::Client;
use crate::error::Error;
use crate::excerpt::Excerpt;
use crate::list;
use crate::options::CallOptions;
use crate::rounds;
use crate::session::{Call, Session};
use crate::structured;

pub(crate) const CALL: &str = "tools/call";

/// The final result of a tool call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// The result as the server sent it.
    pub result: CallToolResult,
    /// How many requests it took: one, and one more for each time the server asked.
    pub rounds: u32,
}

impl ToolCall {
    /// Whether the tool failed. The text then says why, in words for the model.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result.is_error == Some(true)
    }

    /// The text blocks of the result, one below the other.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.result.content.iter().filter_map(|block| match block {
            ContentBlock::Text(content) => Some(content.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The structured result as a value of your own type. It is decoded from the JSON text, so
    /// integers beyond 2^53 are exact if the type can hold them.
    ///
    /// # Errors
    ///
    /// [`Error::ToolFailed`] if the tool failed, [`Error::NoStructuredResult`] if it gave text only,
    /// [`Error::Decode`] if the result is not a `T`.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let tool = || self.tool.clone();
        if self.is_error() {
            return Err(Error::ToolFailed {
                tool: tool(),
                text: self.text(),
            });
        }
        let Some(structured) = &self.result.structured_content else {
            return Err(Error::NoStructuredResult { tool: tool() });
        };
        serde_json::from_str(structured.get()).map_err(|source| Error::Decode {
            tool: tool(),
            source,
        })
    }

    pub(crate) fn read(tool: String, rounds: u32, result: &RawValue) -> Result<Self, Error> {
        match serde_json::from_str(result.get()) {
            Ok(result) => Ok(Self {
                tool,
                result,
                rounds,
            }),
            Err(e) => Err(Error::InvalidResult {
                method: CALL.to_owned(),
                reason: e.to_string(),
            }),
        }
    }
}

impl Client {
    /// Calls a tool and goes through all rounds: questions go to the handlers that the builder was
    /// given.
    ///
    /// `arguments` is anything that serialises to a JSON object, or to `null` for none. Dropping
    /// the future cancels the call.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_client::Client) -> Result<(), mcp_client::Error> {
    /// use serde_json::json;
    ///
    /// let call = client.call_tool("quote_refund", json!({"order_id": "O-2289"})).await?;
    /// println!("{}", call.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Every way in which there is no result; a tool that failed is a result.
    pub async fn call_tool(
        &self,
        tool: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<ToolCall, Error> {
        self.call_tool_with(tool, arguments, CallOptions::new())
            .await
    }

    /// Like [`call_tool`](Self::call_tool), with limits and handlers for this call alone.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn call_tool_with(
        &self,
        tool: impl Into<String>,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<ToolCall, Error> {
        let call = call(tool.into(), &arguments)?;
        let tool = call.target.clone();
        let limits = self.inner.limits(&options);
        let session = Session::new(self.clone(), options);
        let started = Instant::now();
        let (result, rounds) = rounds::drive(&session, call, limits).await?;
        let call = ToolCall::read(tool, rounds, &result)?;
        let Some(limit) = limits.deadline else {
            return self.checked(call).await;
        };
        let rest = limit.saturating_sub(started.elapsed());
        match timeout(rest, self.checked(call.clone())).await {
            Ok(checked) => checked,
            // The result is there, and worth more than its validation.
            Err(_) => {
                tracing::warn!(target: "mcp_client", "no time left to validate a result");
                Ok(call)
            }
        }
    }

    /// All tools of the server, from all pages.
    ///
    /// A tool whose description cannot be read is left out and logged; it does not sink the list. So is,
    /// over HTTP, a tool that asks wrongly for parameters in headers.
    ///
    /// # Errors
    ///
    /// [`Error::EndlessList`] if the pages form a circle; otherwise what went wrong with a request.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, Error> {
        let mut tools = Vec::new();
        let mut schemas = Vec::new();
        let mut params = Vec::new();
        list::pages(
            self,
            "tools/list",
            "tools",
            |raw| match structured::read_tool(raw) {
                Ok((tool, schema)) => match self.header_params(&tool) {
                    Ok(wanted) => {
                        params.push((tool.name.clone(), wanted));
                        schemas.push((tool.name.clone(), schema));
                        tools.push(tool);
                    }
                    Err(reason) => {
                        let (tool, reason) = (Excerpt(tool.name), Excerpt(reason));
                        tracing::warn!(target: "mcp_client", %tool, %reason, "left out an invalid tool");
                    }
                },
                Err(error) => {
                    tracing::warn!(target: "mcp_client", error = %Excerpt(&error), "left out an unreadable tool")
                }
            },
        )
        .await?;
        self.inner.schemas.replace(schemas);
        if let Some(known) = &self.inner.header_params {
            known.replace(params);
        }
        Ok(tools)
    }

    /// Lists the tools for what a call needs to know of one, unless that is known by the call's turn: calls
    /// that begin together list them once.
    pub(crate) async fn list_tools_unless(&self, is_known: impl Fn() -> bool) -> Result<(), Error> {
        let _turn = self.inner.listing.lock().await;
        match is_known() {
            true => Ok(()),
            false => self.list_tools().await.map(drop),
        }
    }

    /// Validates a structured result against the tool's output schema.
    ///
    /// The schemas come with the list of tools, which is fetched when first needed: a result is worth
    /// more than its validation, so if the list cannot be had, the result is returned as it is.
    pub(crate) async fn checked(&self, call: ToolCall) -> Result<ToolCall, Error> {
        let Some(structured) = &call.result.structured_content else {
            return Ok(call);
        };
        if call.is_error() || !self.inner.validates_output {
            return Ok(call);
        }
        if !self.inner.schemas.knows(&call.tool) {
            let listing = self.list_tools_unless(|| self.inner.schemas.knows(&call.tool));
            match timeout(structured::LIST_PATIENCE, listing).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(target: "mcp_client", error = %Excerpt(&error), "structured results are not validated");
                }
                Err(_) => {
                    tracing::warn!(target: "mcp_client", "no list of tools in time; a result is not validated");
                }
            }
            self.inner.schemas.remember(&call.tool);
        }
        let checked = self.inner.schemas.validate(&call.tool, structured.get());
        match checked.await {
            Ok(()) => Ok(call),
            Err(reason) => Err(Error::OutputSchema {
                tool: call.tool.clone(),
                reason,
                call: Box::new(call),
            }),
        }
    }
}

/// The part of a tool call that all its requests share.
pub(crate) fn call(tool: String, arguments: &impl Serialize) -> Result<Call, Error> {
    let mut fields = vec![arguments::text("name", &tool)];
    if let Some(arguments) = arguments::object(&tool, arguments)? {
        fields.push(("arguments".to_owned(), arguments));
    }
    Ok(Call::new(CALL, tool, fields))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn arguments(value: impl Serialize) -> Option<String> {
        let call = call("t".into(), &value).unwrap();
        call.fields
            .into_iter()
            .find(|(key, _)| key == "arguments")
            .map(|(_, value)| value)
    }

    #[test]
    fn arguments_are_an_object_or_nothing() {
        assert_eq!(arguments(json!({})).as_deref(), Some("{}"));
        assert_eq!(arguments(()), None);
        assert_eq!(arguments(None::<u8>), None);
        for wrong in [json!([1]), json!("x"), json!(5)] {
            assert!(
                matches!(call("t".into(), &wrong), Err(Error::Arguments { .. })),
                "{wrong}"
            );
        }
    }

    #[test]
    fn arguments_keep_every_digit_and_stay_on_one_line() {
        let raw = "{\n  \"big\": 123456789012345678901234567890,\r\n \"s\": \"a\\nb\" }";
        let raw: &RawValue = serde_json::from_str(raw).unwrap();
        let sent = arguments(raw).unwrap();
        assert!(sent.contains("123456789012345678901234567890"));
        assert!(sent.contains(r"a\nb") && !sent.contains(['\n', '\r']));
    }
}
