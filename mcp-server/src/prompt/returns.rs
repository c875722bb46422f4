//! What a prompt function may return.

use std::borrow::Cow;

use mcp_core::protocol::{ContentBlock, GetPromptResult, PromptMessage};

use crate::{
    error::IntoToolError,
    function::Reply,
    outcome::{CallResult, Interrupt, Outcome, Reason},
};

/// What a prompt function may return.
///
/// Text, which the user says; a [`PromptMessage`] or several; a content block; a [`GetPromptResult`] made
/// by hand; an `Option` of these, where `None` means that there is no such prompt; a `Result` of these; an [`Outcome`] for prompts that ask by hand.
///
/// Specification: server/prompts, PromptMessage.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "not a prompt's result",
    note = "return text, `PromptMessage`, `Vec<PromptMessage>`, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoPromptResult: Sized {
    /// Whether the prompt may ask by hand.
    #[doc(hidden)]
    const BY_HAND: bool = false;

    /// Makes the result.
    ///
    /// # Errors
    ///
    /// The prompt's own.
    fn into_prompt_result(self) -> CallResult;
}

fn messages(messages: Vec<PromptMessage>) -> CallResult {
    GetPromptResult {
        messages,
        ..GetPromptResult::default()
    }
    .into_prompt_result()
}

impl IntoPromptResult for GetPromptResult {
    fn into_prompt_result(self) -> CallResult {
        Ok(Outcome::Complete(Reply::from(self)))
    }
}

impl IntoPromptResult for PromptMessage {
    fn into_prompt_result(self) -> CallResult {
        messages(vec![self])
    }
}

impl<M: Into<PromptMessage>> IntoPromptResult for Vec<M> {
    fn into_prompt_result(self) -> CallResult {
        messages(self.into_iter().map(Into::into).collect())
    }
}

impl<M: Into<PromptMessage>, const N: usize> IntoPromptResult for [M; N] {
    fn into_prompt_result(self) -> CallResult {
        messages(self.into_iter().map(Into::into).collect())
    }
}

macro_rules! said_by_the_user {
    ($($type:ty)*) => {$(
        impl IntoPromptResult for $type {
            fn into_prompt_result(self) -> CallResult {
                PromptMessage::user(self).into_prompt_result()
            }
        }
    )*};
}
said_by_the_user!(String &'static str ContentBlock);

impl IntoPromptResult for Cow<'static, str> {
    fn into_prompt_result(self) -> CallResult {
        self.into_owned().into_prompt_result()
    }
}

impl<R: IntoPromptResult> IntoPromptResult for Option<R> {
    const BY_HAND: bool = R::BY_HAND;

    fn into_prompt_result(self) -> CallResult {
        match self {
            Some(result) => result.into_prompt_result(),
            None => Err(Interrupt(Reason::NotFound)),
        }
    }
}

impl<R: IntoPromptResult, E: IntoToolError> IntoPromptResult for Result<R, E> {
    const BY_HAND: bool = R::BY_HAND;

    fn into_prompt_result(self) -> CallResult {
        self.map_err(IntoToolError::into_tool_error)?
            .into_prompt_result()
    }
}

impl<R: IntoPromptResult> IntoPromptResult for Outcome<R> {
    const BY_HAND: bool = true;

    fn into_prompt_result(self) -> CallResult {
        match self {
            Self::Complete(result) => result.into_prompt_result(),
            Self::InputRequired(input) => Ok(Outcome::InputRequired(input)),
        }
    }
}
