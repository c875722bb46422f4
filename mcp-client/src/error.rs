//! What can go wrong with a call: one variant for each way, so that a host can act on it.

use std::time::Duration;

use mcp_core::rpc::{RpcError, code};
use serde_json::Value;

use crate::question::Kind;
use crate::resources;
use crate::session::Call;
use crate::tools::ToolCall;
use crate::transport::Failure;

/// What a handler fails with: any error, so that `?` works inside one.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

/// Why a connection could not be made or a call has no result.
///
/// That a tool failed is not among them: such a result has
/// [`is_error`](ToolCall::is_error) set, and its text is meant for the model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An extension was [declared](crate::Builder::extension) in a way that the protocol does not have. The server was
    /// not reached for.
    #[error("{}", .faults.join("\n"))]
    Extensions {
        /// What is wrong, all of it; the text has each on a line of its own.
        faults: Vec<String>,
    },

    /// The transport did not open: no such program, no such socket, a URL that is none. Over HTTP, where
    /// nothing is opened, a server that cannot be reached is [`RequestFailed`](Self::RequestFailed).
    #[error("could not reach the server: {0}")]
    Connect(#[source] std::io::Error),

    /// The server speaks no version that this client does.
    #[error(
        "the server speaks {} and this client speaks {ours}: no version in common",
        list(.theirs)
    )]
    UnsupportedVersion {
        /// The version that this client asked for, or all that would have done.
        ours: &'static str,
        /// The versions that the server named.
        theirs: Vec<String>,
    },

    /// The server does not know `server/discover`, so it belongs to a revision with a handshake; and of those it
    /// speaks none that this client does, or may speak.
    #[error(
        "the server speaks {} and this client speaks {ours}: it answered server/discover with {answer}; \
         use a version of the server for {ours}",
        theirs.as_deref().unwrap_or("an older revision")
    )]
    OldServer {
        /// The versions that this client speaks.
        ours: &'static str,
        /// The version that the server offered when asked in the old way, if it answered that.
        theirs: Option<String>,
        /// What it said to `server/discover`.
        answer: String,
    },

    /// The server took no handshake, in a revision that was [asked for](crate::Builder::revision) or that it
    /// spoke when it was connected to last.
    #[error(
        "the server refused the handshake of revision {offered} with {}: {}; \
         leave out Builder::revision to speak what it does", .error.code, .error.message
    )]
    Handshake {
        /// The revision that this client offered.
        offered: &'static str,
        /// What the server said.
        error: RpcError,
    },

    /// The connection is gone. Calls that were pending fail with this at once, and so does every
    /// later call on the same client.
    #[error("the connection is closed: {reason}; connect again")]
    Closed {
        /// Why, with the exit status of a child process.
        reason: String,
    },

    /// The server said nothing at all when it was asked what it is, in the way of this revision or of
    /// older ones: most likely it is no MCP server, or its start takes longer than
    /// [`probe_timeout`](crate::Builder::probe_timeout) allows.
    #[error("the program {} within {after:?}{}",
        if *.handshake { "answered neither server/discover nor initialize" } else { "did not answer server/discover" },
        if *.handshake { " each" } else { "" })]
    NoAnswer {
        /// How long was waited.
        after: Duration,
        /// Whether it was asked in the way of older revisions as well, and for as long.
        handshake: bool,
    },

    /// One request got no answer in time; it was cancelled. The time a person takes to answer a
    /// question is not part of it.
    #[error(
        "{method} got no answer within {after:?} and was cancelled; see Builder::request_timeout"
    )]
    Timeout {
        /// The request's method.
        method: String,
        /// How long was waited.
        after: Duration,
    },

    /// The whole call, questions included, took longer than allowed.
    #[error("{method} was not finished within its overall deadline of {limit:?} and was cancelled")]
    Deadline {
        /// The call's method.
        method: String,
        /// The deadline, from the call's start.
        limit: Duration,
    },

    /// The server still wanted more after as many rounds as allowed.
    #[error("{method} still asks for more after {limit} rounds; see Builder::max_rounds")]
    RoundLimit {
        /// The call's method.
        method: String,
        /// The number of requests that were sent for it.
        limit: u32,
    },

    /// The server answered with a JSON-RPC error.
    #[error("the server answered {}: {}", .0.code, .0.message)]
    Rpc(RpcError),

    /// There is no resource of this URI.
    ///
    /// Specification: server/resources, Error Handling.
    #[error("there is no resource {uri}: {}", .error.message)]
    ResourceNotFound {
        /// The URI that was asked for.
        uri: String,
        /// The whole error.
        error: RpcError,
    },

    /// The server needs a capability that this client did not declare (`-32021`). Capabilities are
    /// declared by giving the builder a handler, or an [extension](crate::Builder::extension).
    #[error("the server needs a capability that this client did not declare: {required}")]
    MissingCapability {
        /// The missing capabilities, in the form of `ClientCapabilities`.
        required: Value,
        /// The whole error.
        error: RpcError,
    },

    /// A result of a type that this client does not know.
    ///
    /// Specification: basic/index, ResultType.
    #[error("{method} was answered with a result of the unknown type {name}")]
    UnknownResultType {
        /// The request's method.
        method: String,
        /// The type as the server wrote it.
        name: String,
    },

    /// A result that does not have the form its method calls for.
    #[error("{method} was answered with an invalid result: {reason}")]
    InvalidResult {
        /// The request's method.
        method: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The answer was longer than the transport's limit and was thrown away.
    #[error(
        "the answer to {method} is longer than the limit of {limit} bytes; \
         see max_message of the transport"
    )]
    TooLong {
        /// The request's method.
        method: String,
        /// The limit, in bytes.
        limit: usize,
    },

    /// The server wants credentials, or other ones.
    #[error("{method} was refused with status {status}: {reason}")]
    Unauthorized {
        /// The request's method.
        method: String,
        /// The HTTP status: 401 or 403.
        status: u16,
        /// What the server wants, as its header `WWW-Authenticate` says it.
        challenge: Option<String>,
        /// What else it said.
        reason: String,
    },

    /// The server has ended the session, and another one did not help. Only servers of revisions with a
    /// handshake have sessions.
    #[error(
        "{method} failed: the server has ended the session and does not take another: {reason}; connect again"
    )]
    SessionEnded {
        /// The request's method.
        method: String,
        /// What the server said.
        reason: String,
    },

    /// One request got no answer: the server could not be reached, broke off, or said something
    /// that is no answer. Other calls on the same client are not affected.
    #[error("{method} failed: {reason}")]
    RequestFailed {
        /// The request's method.
        method: String,
        /// The HTTP status, if it came that far.
        status: Option<u16>,
        /// What happened.
        reason: String,
    },

    /// The server asked for input in answer to a request that may not be answered so.
    ///
    /// Specification: basic/patterns/mrtr, Supported Requests.
    #[error("the server asked for input on {method}, which may not ask")]
    MayNotAsk {
        /// The request's method.
        method: String,
    },

    /// The server asked for a kind of input that this client did not declare. Nobody was asked.
    ///
    /// Specification: basic/patterns/mrtr, Server Requirements.
    #[error("the server asked for {kind} under {key:?}, which this client did not declare")]
    UndeclaredInput {
        /// The input request's key.
        key: String,
        /// The kind, or the method where that is unknown.
        kind: String,
    },

    /// A declared kind of input has no handler; give the builder one or use a session. Nobody was
    /// asked, and nothing was sent.
    #[error(
        "no handler answers {kind} under {key:?}; give the builder one, or answer it in a session"
    )]
    NoHandler {
        /// The input request's key.
        key: String,
        /// The kind.
        kind: Kind,
    },

    /// An input request that makes no sense: a form that is not flat, a URL that is none.
    #[error("the server's input request under {key:?} is invalid: {reason}")]
    InvalidQuestion {
        /// The input request's key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A handler failed. Nothing was sent: a failure is not a decline.
    #[error("the handler for {kind} under {key:?} failed: {source}")]
    Handler {
        /// The input request's key.
        key: String,
        /// The kind.
        kind: Kind,
        /// What the handler failed with.
        source: HandlerError,
    },

    /// An answer that does not fit the form; it was not sent.
    #[error("the answer under {key:?} does not fit the question: {reason}")]
    InvalidAnswer {
        /// The input request's key.
        key: String,
        /// The fields and what they must be, never the values.
        reason: String,
    },

    /// A paused call was resumed before every input request had its answer.
    #[error("the input request under {key:?} has no answer yet")]
    Unanswered {
        /// The first key without an answer.
        key: String,
    },

    /// A paused call was resumed as one of another method.
    #[error("the paused call is a {method}; resume it as such")]
    WrongMethod {
        /// The paused call's method.
        method: String,
    },

    /// A paused call was to be resumed that cannot go on here: a server of a revision with a handshake asks on
    /// the call's own connection, which this is not, or its answers have been given.
    #[error(
        "the paused {method} cannot go on: the server waits for its answers on the connection where it asked, \
         and nowhere else; call again"
    )]
    NotOpen {
        /// The call's method.
        method: String,
    },

    /// The arguments of a call are not a JSON object.
    #[error("the arguments of {target} must be a JSON object: {reason}")]
    Arguments {
        /// What was called: a tool or prompt, or the method.
        target: String,
        /// What they are instead.
        reason: String,
    },

    /// The tool's structured result does not fit its output schema, or the schema cannot be used.
    /// The call itself went through: its result is inside.
    #[error("the structured result of {tool} does not fit the tool's output schema: {reason}")]
    OutputSchema {
        /// The tool's name.
        tool: String,
        /// Where it does not fit, or what is wrong with the schema.
        reason: String,
        /// The result as it came.
        call: Box<ToolCall>,
    },

    /// A structured result was asked for and there is none.
    #[error("{tool} gave no structured result")]
    NoStructuredResult {
        /// The tool's name.
        tool: String,
    },

    /// A structured result was asked for and the tool failed.
    #[error("{tool} failed: {text}")]
    ToolFailed {
        /// The tool's name.
        tool: String,
        /// What the tool said, for the model.
        text: String,
    },

    /// The structured result does not decode into the type asked for.
    #[error("the structured result of {tool} does not have the expected form: {source}")]
    Decode {
        /// The tool's name.
        tool: String,
        /// Where it does not fit.
        source: serde_json::Error,
    },

    /// A list's pages form a circle, or never end.
    #[error("the pages of {method} do not end: {reason}")]
    EndlessList {
        /// The request's method.
        method: String,
        /// How that was noticed.
        reason: String,
    },
}

impl Error {
    /// The JSON-RPC error code, where the server answered with one.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Rpc(error)
            | Self::MissingCapability { error, .. }
            | Self::ResourceNotFound { error, .. }
            | Self::Handshake { error, .. } => Some(error.code),
            Self::UnsupportedVersion { .. } => Some(code::UNSUPPORTED_PROTOCOL_VERSION),
            _ => None,
        }
    }

    /// Gives the errors that the specification defines their own variants.
    pub(crate) fn from_rpc(error: RpcError) -> Self {
        match error.code {
            code::UNSUPPORTED_PROTOCOL_VERSION => Self::UnsupportedVersion {
                ours: crate::VERSION,
                theirs: supported_versions(&error),
            },
            code::MISSING_REQUIRED_CLIENT_CAPABILITY => {
                let required = error
                    .data
                    .as_ref()
                    .and_then(|data| data.get("requiredCapabilities"));
                Self::MissingCapability {
                    required: required.cloned().unwrap_or_default(),
                    error,
                }
            }
            _ => Self::Rpc(error),
        }
    }

    pub(crate) fn from_failure(method: String, failure: Failure) -> Self {
        match failure {
            Failure::Unauthorized {
                status,
                challenge,
                reason,
            } => Self::Unauthorized {
                method,
                status,
                challenge,
                reason,
            },
            Failure::SessionEnded { reason } => Self::SessionEnded { method, reason },
            Failure::Failed { status, reason } => Self::RequestFailed {
                method,
                status,
                reason,
            },
        }
    }

    /// The same error, now that it is known which call it is about.
    pub(crate) fn about(self, call: &Call) -> Self {
        match self {
            Self::Rpc(error) if call.method == resources::READ && says_not_found(&error) => {
                Self::ResourceNotFound {
                    uri: call.target.clone(),
                    error,
                }
            }
            error => error,
        }
    }

    /// Whether the same request may well succeed a moment later.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::Closed { .. } | Self::Timeout { .. } => true,
            Self::Rpc(error) => error.code == code::INTERNAL_ERROR,
            Self::RequestFailed { status, .. } => {
                // None: it broke off. Otherwise the server, or what stands before it, is overloaded or down.
                status.is_none_or(|status| matches!(status, 200 | 408 | 429 | 500..))
            }
            _ => false,
        }
    }
}

fn says_not_found(error: &RpcError) -> bool {
    let names_uri = || error.data.as_ref()?.get("uri")?.as_str();
    error.code == code::RESOURCE_NOT_FOUND
        || error.code == code::INVALID_PARAMS && names_uri().is_some()
}

fn supported_versions(error: &RpcError) -> Vec<String> {
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    let supported = supported.and_then(Value::as_array);
    supported
        .into_iter()
        .flatten()
        .filter_map(|version| version.as_str().map(str::to_owned))
        .collect()
}

fn list(versions: &[String]) -> String {
    if versions.is_empty() {
        "versions it does not name".to_owned()
    } else {
        versions.join(", ")
    }
}
