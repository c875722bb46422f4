//! A client for servers of the Model Context Protocol, of revision 2026-07-28 and of those before it.
//!
//! A host launches or reaches a server, lists its tools and calls them. A server may need a person's answer
//! in the middle of a call; the client then shows the question through a handler, checks the answer, and sends
//! the call again, until there is a result.
//!
//! ```no_run
//! use mcp_client::{Answer, ChildProcess, Client, HandlerError};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("support-host", "1.0.0")
//!     .on_form(|question| async move {
//!         println!("{}", question.message);
//!         let answer = Answer::accept(json!({"confirm": true}))?;
//!         Ok::<_, HandlerError>(answer)
//!     })
//!     .connect(ChildProcess::new("notes-server").arg("--serve"))
//!     .await?;
//!
//! for tool in client.list_tools().await? {
//!     println!("{}", tool.name);
//! }
//! let call = client.call_tool("delete_note", json!({"note_id": "n-1"})).await?;
//! println!("{}", call.text());
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Concepts
//!
//! * [`Builder`] takes the handlers. What the client declares to servers follows from them, on every request.
//! * [`Client::call_tool`] drives a call through all its rounds. People are asked one question at a time; a
//!   handler's error ends the call and is never taken for a decline.
//! * [`Session`] is the lower floor: one request, one result. A [`PausedCall`] can be stored and resumed by another
//!   process.
//! * [`Client::get_prompt`] and [`Client::read_resource`] go through rounds as well. [`expand`] makes a resource's URI of
//!   a template.
//! * [`Client::subscribe`] reports [changes](Change), each once. Results are kept for as long as the server allows, in
//!   memory; see [`SharedCache`].
//! * A [`Transport`] moves messages: [`ChildProcess`], [`IoTransport`], `HttpTransport` with the feature `http`, or one
//!   of your own. [`Trace`] records what passes through any of them.
//! * [`Error`] has a variant for each way a call can have no result.
//! * A server of an older [`Revision`] is met with the handshake that it expects. It asks while the call is open;
//!   handlers, rounds and subscriptions are the same. [`Builder::revision`] pins one, [`Eras`] remembers which is spoken.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `http` | no | `HttpTransport`, for servers over Streamable HTTP |
//! | `legacy` | yes | servers of the revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 |

mod answers;
mod arguments;
mod budget;
mod builder;
mod cache;
mod capabilities;
mod client;
mod completion;
mod connect;
mod eras;
mod error;
mod excerpt;
mod exchange;
mod handlers;
mod header_params;
mod inbox;
#[cfg(feature = "legacy")]
mod legacy;
#[cfg(not(feature = "legacy"))]
#[path = "legacy/absent.rs"]
mod legacy;
mod list;
mod options;
mod outcome;
mod paused;
mod peer;
mod probe;
mod prompts;
mod question;
mod resources;
mod room;
mod rounds;
mod session;
mod structured;
mod subscription;
mod tally;
mod template;
mod tools;
pub mod transport;
mod unheard;
mod wire;

pub use mcp_core::{Revision, protocol, rpc::RpcError, schema, text};

pub use self::builder::Builder;
pub use self::cache::SharedCache;
pub use self::client::Client;
pub use self::eras::Eras;
pub use self::error::{Error, HandlerError};
pub use self::exchange::Progress;
pub use self::inbox::Change;
pub use self::options::CallOptions;
pub use self::paused::PausedCall;
pub use self::question::{
    Answer, Asker, Consent, FormQuestion, InputRequest, Kind, Response, RootsQuestion,
    SamplingQuestion, UrlQuestion,
};
pub use self::session::{Round, Session};
pub use self::subscription::{Changes, End, Subscription};
pub use self::template::{TemplateError, expand};
pub use self::tools::ToolCall;
#[cfg(feature = "http")]
pub use self::transport::http::HttpTransport;
pub use self::transport::{CapturedStderr, ChildProcess, IoTransport, Stderr, Trace, Transport};

/// Reading wire traces back.
pub mod trace {
    pub use crate::transport::{Direction, Entry, Reader, TraceError, read};
}

/// The protocol version that this client speaks without a handshake.
pub(crate) const VERSION: &str = mcp_core::Revision::V2026_07_28.as_str();
