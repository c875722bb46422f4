//! Completion: what a client may propose while its user types an argument of a prompt or a variable of a
//! resource template.
//!
//! Specification: server/utilities/completion.

use std::{collections::BTreeMap, fmt, future::Future, pin::Pin};

use mcp_core::protocol::Completion;

use crate::{
    context::Context,
    error::{IntoToolError, ToolError},
};

/// What a user is typing: what `#[complete(function)]` hands to its function.
///
/// ```
/// use mcp_server::{Completing, prelude::*};
///
/// async fn frameworks(typing: Completing) -> Vec<&'static str> {
///     let known = match typing.argument("language") {
///         Some("python") => vec!["flask", "fastapi"],
///         _ => vec!["axum", "actix"],
///     };
///     known.into_iter().filter(|name| name.starts_with(typing.value())).collect()
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Completing {
    pub(crate) value: String,
    pub(crate) arguments: BTreeMap<String, String>,
    pub(crate) ctx: Context,
}

impl Completing {
    /// What was typed so far.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Another argument that was filled in already.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// Who asks, and what they can do.
    pub fn context(&self) -> &Context {
        &self.ctx
    }
}

/// Proposals under way.
pub type CompletionFuture = Pin<Box<dyn Future<Output = Result<Completion, ToolError>> + Send>>;

/// What a completion function may return: texts, the best first; a [`Completion`] that says more; a
/// `Result` of one of these. At most 100 of the texts are sent.
#[diagnostic::on_unimplemented(
    message = "a completion function cannot return `{Self}`",
    label = "no proposals",
    note = "return `Vec<String>`, `Vec<&'static str>`, `Completion`, or a `Result` of one of these"
)]
pub trait IntoCompletion {
    /// Makes the proposals.
    ///
    /// # Errors
    ///
    /// The function's own.
    fn into_completion(self) -> Result<Completion, ToolError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, ToolError> {
        Ok(bounded(self))
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        Ok(bounded(Completion {
            values: self.into_iter().map(Into::into).collect(),
            ..Completion::default()
        }))
    }
}

impl<C: IntoCompletion, E: IntoToolError> IntoCompletion for Result<C, E> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        self.map_err(IntoToolError::into_tool_error)?
            .into_completion()
    }
}

/// Keeps to the number that one result may carry, and says so.
fn bounded(mut completion: Completion) -> Completion {
    let count = completion.values.len();
    if count > Completion::MAX_VALUES {
        completion.values.truncate(Completion::MAX_VALUES);
        completion.total = completion.total.or(u64::try_from(count).ok());
        completion.has_more = Some(true);
    }
    completion
}

/// Runs a completion function.
pub fn complete_with<F, Fut>(typing: Completing, function: F) -> CompletionFuture
where
    F: FnOnce(Completing) -> Fut,
    Fut: Future + Send + 'static,
    Fut::Output: IntoCompletion,
{
    let completed = function(typing);
    Box::pin(async move { completed.await.into_completion() })
}

/// Those of a fixed list that contain what was typed, in any case; those that begin with it first.
pub(crate) fn of_list(list: &[&'static str], typed: &str) -> Completion {
    let typed = typed.to_lowercase();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for text in list {
        match text.to_lowercase().find(&typed) {
            Some(0) => first.push((*text).to_owned()),
            Some(_) => then.push((*text).to_owned()),
            None => {}
        }
    }
    first.append(&mut then);
    bounded(Completion {
        total: u64::try_from(first.len()).ok(),
        has_more: Some(false),
        values: first,
    })
}

impl fmt::Debug for crate::spec::CompleteSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => f.debug_tuple("List").field(list).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_filtered_and_what_begins_with_the_text_comes_first() {
        let list = ["CPython", "python", "ruby"];
        assert_eq!(of_list(&list, "Py").values, ["python", "CPython"]);
        assert_eq!(of_list(&list, "").values, ["CPython", "python", "ruby"]);
        assert_eq!(of_list(&list, "zig").values, Vec::<String>::new());
    }

    #[test]
    fn no_more_than_a_hundred_are_sent() {
        let many: Vec<String> = (0..250).map(|n| n.to_string()).collect();
        let sent = many.into_completion();
        let sent = sent.as_ref().ok();
        assert_eq!(sent.map(|c| c.values.len()), Some(100));
        assert_eq!(sent.and_then(|c| c.total), Some(250));
        assert_eq!(sent.and_then(|c| c.has_more), Some(true));
    }
}
