//! [`TestCall`]: what came of a call, and what was asked on the way.

use mcp_core::{
    protocol::{CallToolResult, ContentBlock, InputRequest},
    rpc::RpcError,
    schema::FormSchema,
};
use serde::de::DeserializeOwned;

/// What came of one call of a [`TestHost`](super::TestHost).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestCall {
    /// The tool's result; or the JSON-RPC error in its place.
    pub result: Result<CallToolResult, RpcError>,
    /// Every question that was asked, in order, over all rounds.
    pub questions: Vec<Asked>,
    /// How many requests it took: one, and one more for each time that questions came back.
    pub rounds: u32,
    /// For each key of the script with answers that were not given: how many were given, and how many there are.
    pub(super) unused: Vec<(String, usize, usize)>,
}

/// One question of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Asked {
    /// The key under which it stood: the parameter's name.
    pub key: String,
    /// The round that asked, from 1.
    pub round: u32,
    /// What the person reads; empty for requests that show nothing.
    pub message: String,
    /// The form, if it is one.
    pub schema: Option<FormSchema>,
    /// The page to open, if it is one.
    pub url: Option<String>,
    /// The whole request.
    pub request: InputRequest,
}

impl TestCall {
    /// The text blocks of the result, one below the other, be it an error or not.
    ///
    /// # Panics
    ///
    /// If the call was answered with a JSON-RPC error.
    #[track_caller]
    #[must_use]
    pub fn text(&self) -> String {
        texts(self.complete())
    }

    /// Whether the result is a tool's error.
    ///
    /// # Panics
    ///
    /// If the call was answered with a JSON-RPC error.
    #[track_caller]
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.complete().is_error == Some(true)
    }

    /// The structured result.
    ///
    /// # Panics
    ///
    /// If there is none, it is an error, or it is no `T`.
    #[track_caller]
    #[must_use]
    pub fn structured<T: DeserializeOwned>(&self) -> T {
        let result = self.complete();
        assert!(
            result.is_error != Some(true),
            "the tool failed: {}",
            texts(result)
        );
        let Some(json) = &result.structured_content else {
            panic!(
                "the result has no structured content, only: {}",
                texts(result)
            );
        };
        serde_json::from_str(json.get()).unwrap_or_else(|error| {
            panic!(
                "the structured result {} does not decode: {error}",
                json.get()
            )
        })
    }

    /// Asserts a result with this text, not an error.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    #[track_caller]
    pub fn assert_text(&self, expected: &str) {
        let text = self.text();
        assert!(!self.is_tool_error(), "the tool failed: {text}");
        assert!(
            text == expected,
            "the result is {text:?}, expected {expected:?}"
        );
    }

    /// Asserts a tool's error whose text contains `part`.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    #[track_caller]
    pub fn assert_tool_error(&self, part: &str) {
        let text = self.text();
        assert!(
            self.is_tool_error(),
            "the tool succeeded with {text:?}, expected an error with {part:?}"
        );
        assert!(
            text.contains(part),
            "the tool's error is {text:?}, expected {part:?} in it"
        );
    }

    /// Asserts that the call was answered with a JSON-RPC error of this code, and gives the error.
    ///
    /// # Panics
    ///
    /// If it was answered with something else.
    #[track_caller]
    pub fn assert_rpc_error(&self, code: i32) -> &RpcError {
        match &self.result {
            Err(error) if error.code == code => error,
            Err(error) => panic!(
                "the call was answered with {}: {}, expected {code}",
                error.code, error.message
            ),
            Ok(result) => panic!(
                "the call was answered with the result {:?}, expected the error {code}",
                texts(result)
            ),
        }
    }

    /// Asserts the keys of all questions, in order; a question that was asked twice stands twice.
    ///
    /// # Panics
    ///
    /// If others were asked.
    #[track_caller]
    pub fn assert_asked<'k>(&self, keys: impl IntoIterator<Item = &'k str>) {
        let expected: Vec<&str> = keys.into_iter().collect();
        let asked: Vec<&str> = self.questions.iter().map(|q| q.key.as_str()).collect();
        assert!(
            asked == expected,
            "the questions were {asked:?}, expected {expected:?}"
        );
    }

    /// Asserts that every answer in the script was given.
    ///
    /// # Panics
    ///
    /// If one was not: its question was never asked, or not as often.
    #[track_caller]
    pub fn assert_all_used(&self) {
        let unused = self.unused.iter().map(|(key, given, scripted)| {
            format!("{given} of {scripted} answers under {key:?} were given")
        });
        let unused: Vec<String> = unused.collect();
        assert!(
            unused.is_empty(),
            "the script has more than was asked for: {}",
            unused.join(", ")
        );
    }

    /// The only question with this key.
    ///
    /// # Panics
    ///
    /// If there was none, or several.
    #[track_caller]
    #[must_use]
    pub fn question(&self, key: &str) -> &Asked {
        let found: Vec<&Asked> = self.questions.iter().filter(|q| q.key == key).collect();
        match found[..] {
            [question] => question,
            _ => panic!(
                "{} questions have the key {key:?}, expected one; asked were {:?}",
                found.len(),
                self.questions.iter().map(|q| &q.key).collect::<Vec<_>>()
            ),
        }
    }

    #[track_caller]
    fn complete(&self) -> &CallToolResult {
        match &self.result {
            Ok(result) => result,
            Err(error) => panic!(
                "the call was answered with the error {}: {}",
                error.code, error.message
            ),
        }
    }
}

impl Asked {
    pub(super) fn new(key: String, round: u32, request: InputRequest) -> Self {
        use mcp_core::protocol::ElicitRequestParams::{Form, Url};
        let (message, schema, url) = match &request {
            InputRequest::Elicit(elicit) => match &elicit.params {
                Form(form) => (
                    form.message.clone(),
                    Some(form.requested_schema.clone()),
                    None,
                ),
                Url(page) => (page.message.clone(), None, Some(page.url.clone())),
                _ => Default::default(),
            },
            _ => Default::default(),
        };
        Self {
            key,
            round,
            message,
            schema,
            url,
            request,
        }
    }
}

fn texts(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}
