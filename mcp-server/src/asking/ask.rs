//! [`Ask`]: what a resolver gives back, a value or a question.

use mcp_core::protocol::{CreateMessageRequestParams, CreateMessageResult, ListRootsResult};

use super::question::{FormBody, Message, Question};
use crate::{
    error::{IntoToolError, ToolError},
    form::Form,
};

/// What a resolver gives: the value, where it is known, or the question that leads to it.
///
/// A resolver is an ordinary function. It runs again in each round of a call; an answer is looked at
/// only when it asks, and only for the very question that was shown.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// struct Inspection {
///     /// Is the parcel complete?
///     complete: bool,
/// }
///
/// fn inspect(order_id: &str, insured: bool) -> Ask<Inspection> {
///     if insured {
///         return Ask::ready(Inspection { complete: true });
///     }
///     Ask::form(format!("You opened the parcel of order {order_id}. What did you find?"))
/// }
///
/// /// Records a return.
/// #[tool]
/// async fn record_return(
///     /// The order's id.
///     order_id: String,
///     #[resolve(inspect(&order_id, false))] found: Resolve<Inspection>,
/// ) -> String {
///     format!("{order_id} returned, complete: {}", found.complete)
/// }
/// ```
#[must_use = "a question does nothing until it is returned"]
pub struct Ask<T> {
    pub(crate) step: Step<T>,
    /// The most rounds this question may be shown in.
    pub(crate) at_most: Option<u32>,
    /// Whether there is a value for clients that cannot be asked.
    pub(crate) has_fallback: bool,
}

pub(crate) enum Step<T> {
    Ready(T),
    Question(Question, Settle<T>),
}

/// Where a question's value comes from in the end.
pub(crate) enum Source<'a> {
    /// The content of an accepted form, a completion or a list of roots.
    Answer(&'a str),
    /// The client cannot be asked.
    Unsupported,
}

pub(crate) type Settle<T> = Box<dyn FnOnce(Source<'_>) -> Result<T, serde_json::Error> + Send>;

/// What the client's model wrote.
pub type Sampled = CreateMessageResult;

/// The client's root directories.
pub type Roots = ListRootsResult;

fn decode<T: serde::de::DeserializeOwned>(source: Source<'_>) -> Result<T, serde_json::Error> {
    match source {
        Source::Answer(json) => serde_json::from_str(json),
        Source::Unsupported => Err(serde::de::Error::custom("no fallback was given")),
    }
}

impl<T> Ask<T> {
    fn question(question: Question, settle: Settle<T>) -> Self {
        Self {
            step: Step::Question(question, settle),
            at_most: None,
            has_fallback: false,
        }
    }

    /// The value itself: nothing is asked.
    pub fn ready(value: T) -> Self {
        Self {
            step: Step::Ready(value),
            at_most: None,
            has_fallback: false,
        }
    }

    /// Asks the user to open a page.
    ///
    /// Accepting only means that the user agreed to open it. The resolver runs again on each retry
    /// and decides from the server's own records whether the flow has finished; until then the page
    /// is offered again. Give it an end with [`at_most`](Self::at_most).
    ///
    /// A client of revision 2025-11-25 cannot call again meanwhile, so the server runs the round for it, about once a second, with the
    /// layers around it: look only at records there, and keep effects in a [`memo`](crate::Context::memo). See
    /// [`Notify::elicitation_completed`](crate::Notify::elicitation_completed).
    ///
    /// The URL must be absolute, `https` or on this machine, without user information, and must not
    /// itself grant access: whoever opens it must be proved to be who was asked.
    ///
    /// Specification: client/elicitation, URL Mode Elicitation Requests.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        let settle = |_: Source<'_>| Err(serde::de::Error::custom("a page gives no value"));
        Self::question(Question::url(message, url), Box::new(settle))
    }

    /// The same question, its value passed through a function.
    pub fn map<U>(self, f: impl FnOnce(T) -> U + Send + 'static) -> Ask<U>
    where
        T: 'static,
    {
        Ask {
            step: match self.step {
                Step::Ready(value) => Step::Ready(f(value)),
                Step::Question(question, settle) => {
                    Step::Question(question, Box::new(move |source| settle(source).map(f)))
                }
            },
            at_most: self.at_most,
            has_fallback: self.has_fallback,
        }
    }

    /// Shows the question in at most this many rounds; then the call ends with an error that says
    /// so.
    pub fn at_most(mut self, rounds: u32) -> Self {
        self.at_most = Some(rounds);
        self
    }

    /// The value for clients that did not declare they can be asked, in place of the error `-32021`.
    pub fn or_if_unsupported(mut self, value: T) -> Self
    where
        T: Send + 'static,
    {
        if let Step::Question(question, settle) = self.step {
            let settle = move |source: Source<'_>| match source {
                Source::Unsupported => Ok(value),
                answer => settle(answer),
            };
            self.step = Step::Question(question, Box::new(settle));
            self.has_fallback = true;
        }
        self
    }
}

impl<T: Form> Ask<T> {
    /// Shows a form to the user.
    ///
    /// Specification: client/elicitation, Form Mode Elicitation Requests.
    pub fn form(message: impl Into<String>) -> Self {
        Self::of_form(Message::Made(message.into()))
    }

    pub(crate) fn of_form(message: Message) -> Self {
        Self::question(
            Question::form(message, FormBody::Rendered(T::form())),
            Box::new(decode::<T>),
        )
    }
}

impl Ask<Sampled> {
    /// Has the client's model write something.
    ///
    /// Deprecated in the protocol, still served.
    ///
    /// Specification: client/sampling.
    #[inline]
    pub fn sample(params: CreateMessageRequestParams) -> Self {
        Self::question(Question::sampling(&params), Box::new(decode::<Sampled>))
    }
}

impl Ask<Roots> {
    /// Asks for the client's root directories.
    ///
    /// Deprecated in the protocol, still served.
    ///
    /// Specification: client/roots.
    #[inline]
    pub fn roots() -> Self {
        Self::question(Question::roots(), Box::new(decode::<Roots>))
    }
}

/// What a resolver may give for a value of type `T`.
///
/// An [`Ask<T>`], a `Result` of one, or an `Option` of one where `T` is an `Option` itself: `None`
/// then means that nothing had to be asked.
#[diagnostic::on_unimplemented(
    message = "this resolver gives `{Self}`, which does not lead to a `{T}`",
    label = "expected `Ask<{T}>`, a `Result` of one, or an `Option` of one for an optional value",
    note = "wrap a value that needs no question in `Ask::ready(..)`, and `.await` a resolver that is `async`"
)]
pub trait IntoAsk<T> {
    /// Converts it.
    ///
    /// # Errors
    ///
    /// The resolver's own.
    fn into_ask(self) -> Result<Ask<T>, ToolError>;
}

impl<T> IntoAsk<T> for Ask<T> {
    fn into_ask(self) -> Result<Ask<T>, ToolError> {
        Ok(self)
    }
}

impl<T: 'static> IntoAsk<Option<T>> for Option<Ask<T>> {
    fn into_ask(self) -> Result<Ask<Option<T>>, ToolError> {
        Ok(match self {
            Some(ask) => ask.map(Some),
            None => Ask::ready(None),
        })
    }
}

impl<T, A: IntoAsk<T>, E: IntoToolError> IntoAsk<T> for Result<A, E> {
    fn into_ask(self) -> Result<Ask<T>, ToolError> {
        self.map_err(IntoToolError::into_tool_error)?.into_ask()
    }
}
