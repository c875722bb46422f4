//! `completion/complete`.

use mcp_core::protocol::{CompleteResult, Completion, CompletionReference};
use serde::Serialize;
use serde_json::json;

use crate::arguments;
use crate::client::Client;
use crate::error::Error;
use crate::session::Call;

const METHOD: &str = "completion/complete";

impl Client {
    /// Asks for suggestions for one argument of a prompt, or one variable of a resource template.
    ///
    /// `value` is what was typed so far. `context` is what the other arguments have already, as anything
    /// that serialises to a JSON object of strings, or to `null` for nothing. A host should wait for a
    /// pause in the typing before it asks.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_client::Client) -> Result<(), mcp_client::Error> {
    /// use mcp_client::protocol::CompletionReference;
    /// use serde_json::json;
    ///
    /// let prompt = CompletionReference::prompt("code_review");
    /// let context = json!({"language": "python"});
    /// let suggested = client.complete(prompt, "framework", "fla", context).await?;
    /// println!("{}", suggested.values.join(", "));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Specification: server/utilities/completion.
    ///
    /// # Errors
    ///
    /// [`Error::Arguments`] for a context that is no object of strings; otherwise what went wrong with
    /// the request.
    pub async fn complete(
        &self,
        reference: impl Into<CompletionReference>,
        argument: impl Into<String>,
        value: impl Into<String>,
        context: impl Serialize,
    ) -> Result<Completion, Error> {
        let (argument, value) = (argument.into(), value.into());
        let argument = json!({ "name": argument, "value": value });
        let mut fields = vec![
            ("ref".to_owned(), to_json(&reference.into())?),
            ("argument".to_owned(), argument.to_string()),
        ];
        if let Some(arguments) = arguments::strings(METHOD, &context)? {
            fields.push((
                "context".to_owned(),
                format!(r#"{{"arguments":{arguments}}}"#),
            ));
        }
        let result = self.plain(Call::new(METHOD, METHOD, fields)).await?;
        let result: CompleteResult = self.read(METHOD, &result)?;
        Ok(result.completion)
    }
}

fn to_json(reference: &CompletionReference) -> Result<String, Error> {
    serde_json::to_string(reference).map_err(|e| Error::Arguments {
        target: METHOD.to_owned(),
        reason: e.to_string(),
    })
}
