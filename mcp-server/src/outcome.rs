//! What a call comes to: a result, or questions first.

use std::{borrow::Cow, fmt};

use mcp_core::{protocol::CreateMessageRequestParams, rpc::RpcError, schema::FormSchema};

use crate::{
    asking::{FormBody, Kind, Message, Question},
    error::ToolError,
    form::Form,
    function::Reply,
    parameters::ArgumentFault,
};

/// The outcome of a tool that asks by hand.
///
/// Most tools declare their questions on parameters instead; see [`Elicit`](crate::Elicit).
///
/// A client of a revision with a handshake cannot call again with its answers. The server asks it while the call is open, and calls
/// the function again itself, with the answers and the state: the function cannot tell.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// struct Release {
///     /// Release the refund?
///     release: bool,
/// }
///
/// /// Pays a refund, after a lead has confirmed it.
/// #[tool(destructive)]
/// async fn pay(
///     /// The refund's id.
///     refund_id: String,
///     ctx: Context,
/// ) -> Result<Outcome<String>, ToolError> {
///     if let Some(Elicit::Accept(Release { release: true })) =
///         ctx.input_responses().form("confirm")?
///     {
///         return Ok(Outcome::Complete(format!("{refund_id} paid")));
///     }
///     ctx.require(Kind::Form)?;
///     Ok(Outcome::InputRequired(
///         InputRequired::new()
///             .form::<Release>("confirm", format!("Pay {refund_id}?"))
///             .state(refund_id),
///     ))
/// }
/// ```
#[derive(Debug)]
pub enum Outcome<T> {
    /// The work is done.
    Complete(T),
    /// The client has to answer first, and then to call again.
    InputRequired(InputRequired),
}

/// Questions, and what to remember until they are answered: made by hand, or by a tool's parameters.
///
/// Specification: basic/patterns/mrtr, InputRequiredResult.
#[derive(Default)]
#[must_use]
pub struct InputRequired {
    pub(crate) requests: Vec<Request>,
    pub(crate) state: Option<String>,
    /// Whether the questions are those of the tool's parameters: what the call has learned is sealed
    /// with them.
    pub(crate) of_parameters: bool,
}

/// A question on its way out.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) key: Cow<'static, str>,
    pub(crate) question: Question,
    /// Why it is asked again, if it is.
    pub(crate) reason: Option<String>,
}

/// A state's content must not end up in a log, such as that of a layer.
impl fmt::Debug for InputRequired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputRequired")
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

impl InputRequired {
    /// No question yet, and nothing to remember. At least one of both is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows the form of `T` under a key of your choice.
    pub fn form<T: Form>(self, key: impl Into<String>, message: impl Into<String>) -> Self {
        self.question(
            key,
            Question::form(Message::Made(message.into()), FormBody::Rendered(T::form())),
        )
    }

    /// Shows a form that was made at run time; read its answer with
    /// [`InputResponses::form_schema`](crate::InputResponses::form_schema).
    ///
    /// A form with faults, such as a choice without values, is not sent: the call ends with `-32603`, and the log says
    /// why.
    pub fn form_schema(
        self,
        key: impl Into<String>,
        message: impl Into<String>,
        schema: FormSchema,
    ) -> Self {
        self.question(
            key,
            Question::form(Message::Made(message.into()), FormBody::by_hand(schema)),
        )
    }

    /// Has the user open a page; see [`Ask::url`](crate::Ask::url) for what a page must be.
    pub fn url(
        self,
        key: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Self {
        self.question(key, Question::url(message, url))
    }

    /// Has the client's model write something. Deprecated in the protocol, still served.
    pub fn sample(self, key: impl Into<String>, params: CreateMessageRequestParams) -> Self {
        self.question(key, Question::sampling(&params))
    }

    /// Asks for the client's root directories. Deprecated in the protocol, still served.
    pub fn roots(self, key: impl Into<String>) -> Self {
        self.question(key, Question::roots())
    }

    /// What [`Context::request_state`](crate::Context::request_state) gives on the retry. It travels
    /// through the client, sealed and bound to this very call.
    ///
    /// Without it, and without a [flow](crate::Context::flow), a [memo](crate::Context::memo) or answers to the parameters
    /// of a tool whose layer asks, the result carries no state, and answers to it are not verified.
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// The questions of a tool's parameters.
    pub(crate) fn of_parameters(requests: Vec<Request>) -> Self {
        Self {
            requests,
            state: None,
            of_parameters: true,
        }
    }

    pub(crate) fn keys(&self) -> Vec<&str> {
        self.requests.iter().map(|request| &*request.key).collect()
    }

    /// What it asks for, by key.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.requests
            .iter()
            .map(|request| (&*request.key, request.question.kind()))
    }

    fn question(mut self, key: impl Into<String>, question: Question) -> Self {
        self.requests.push(Request {
            key: Cow::Owned(key.into()),
            question,
            reason: None,
        });
        self
    }
}

/// What a call comes to, for layers and for the runtime.
pub type CallResult = Result<Outcome<Reply>, Interrupt>;

/// Why a call ended without a result of the function's own.
#[derive(Debug)]
pub struct Interrupt(pub(crate) Reason);

#[derive(Debug)]
pub(crate) enum Reason {
    /// The tool, or a resolver, failed.
    Tool(ToolError),
    /// The arguments do not fit the parameters.
    Arguments(ArgumentFault),
    /// The markers' questions wait for answers; they are kept in the exchange.
    Waiting,
    /// There is no such resource or prompt.
    NotFound,
}

impl From<ToolError> for Interrupt {
    fn from(error: ToolError) -> Self {
        Self(Reason::Tool(error))
    }
}

impl From<ArgumentFault> for Interrupt {
    fn from(fault: ArgumentFault) -> Self {
        Self(Reason::Arguments(fault))
    }
}

impl From<RpcError> for Interrupt {
    fn from(error: RpcError) -> Self {
        ToolError::protocol(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_tells_no_state() {
        let asks = InputRequired::new()
            .url("pay", "Pay.", "https://pay.example")
            .state("R-0111");
        let shown = format!("{:?}", Outcome::<()>::InputRequired(asks));
        assert!(
            shown.contains("pay.example") && !shown.contains("R-0111"),
            "{shown}"
        );
    }
}
