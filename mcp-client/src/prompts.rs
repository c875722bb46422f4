//! `prompts/list` and `prompts/get`.

use mcp_core::protocol::{GetPromptResult, Prompt};
use serde::Serialize;

use crate::arguments;
use crate::client::Client;
use crate::error::Error;
use crate::list;
use crate::options::CallOptions;
use crate::session::{Call, Round, Session};

pub(crate) const GET: &str = "prompts/get";

impl Client {
    /// All prompts of the server, from all pages. One that cannot be read is left out and logged.
    ///
    /// # Errors
    ///
    /// [`Error::EndlessList`] if the pages form a circle; otherwise what went wrong with a request.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, Error> {
        list::items(self, "prompts/list", "prompts").await
    }

    /// Fills in a prompt and goes through all rounds: questions go to the handlers that the builder
    /// was given.
    ///
    /// `arguments` is anything that serialises to a JSON object of strings, or to `null` for none;
    /// members that are `null` are left out.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_client::Client) -> Result<(), mcp_client::Error> {
    /// use serde_json::json;
    ///
    /// let prompt = client.get_prompt("code_review", json!({"language": "rust"})).await?;
    /// println!("{} messages", prompt.messages.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Every way in which there is no result.
    pub async fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult, Error> {
        self.get_prompt_with(name, arguments, CallOptions::new())
            .await
    }

    /// Like [`get_prompt`](Self::get_prompt), with limits and handlers for this call alone.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn get_prompt_with(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<GetPromptResult, Error> {
        self.finish(get(name.into(), &arguments)?, options).await
    }
}

impl Session {
    /// Sends the first request for a prompt; see [`Client::get_prompt`].
    ///
    /// # Errors
    ///
    /// What went wrong with this one request.
    pub async fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<Round<GetPromptResult>, Error> {
        let step = self.first(get(name.into(), &arguments)?).await?;
        self.round(GET, step)
    }
}

fn get(name: String, arguments: &impl Serialize) -> Result<Call, Error> {
    let mut fields = vec![arguments::text("name", &name)];
    if let Some(arguments) = arguments::strings(&name, arguments)? {
        fields.push(("arguments".to_owned(), arguments));
    }
    Ok(Call::new(GET, name, fields))
}
