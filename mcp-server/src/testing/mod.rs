//! A scripted host, for tests of servers.
//!
//! [`TestHost`] is a real client, over a connection in this process or to a child process: it calls a tool, answers
//! the questions by their keys, and tells what was asked. [`BodyCount`] tells how often the tool's own code ran.
//!
//! ```
//! use mcp_server::prelude::*;
//! use mcp_server::testing::{BodyCount, TestHost};
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema, Form)]
//! struct Confirm {
//!     /// Check to delete the note for good.
//!     confirm: bool,
//! }
//!
//! /// Delete one note by id. Asks the user to confirm before deleting.
//! #[tool(destructive)]
//! async fn delete_note(
//!     /// The note's id.
//!     note_id: String,
//!     #[elicit("Delete note {note_id}?")] answer: Elicit<Confirm>,
//! ) -> String {
//!     match answer {
//!         Elicit::Accept(Confirm { confirm: true }) => format!("Deleted note {note_id}."),
//!         _ => format!("Kept note {note_id}."),
//!     }
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let bodies = BodyCount::new();
//! let server = Server::builder("notes", "1.0.0")
//!     .tools(tools![delete_note])
//!     .layer(bodies.clone())
//!     .build()?;
//!
//! let host = TestHost::new(&server).answer("answer", json!({"confirm": true}));
//! let call = host.call("delete_note", json!({"note_id": "n-1"})).await;
//! call.assert_text("Deleted note n-1.");
//! call.assert_asked(["answer"]);
//! assert_eq!(call.questions[0].message, "Delete note n-1?");
//! bodies.assert_ran("delete_note", 1);
//!
//! let host = TestHost::new(&server).decline("answer");
//! let call = host.call("delete_note", json!({"note_id": "n-1"})).await;
//! call.assert_text("Kept note n-1.");
//!
//! // A host that cannot show forms: nobody is asked, and the tool does not run.
//! let host = TestHost::new(&server).can_ask([]);
//! let call = host.call("delete_note", json!({"note_id": "n-1"})).await;
//! call.assert_rpc_error(-32021);
//! bodies.assert_ran("delete_note", 2);
//! # Ok::<(), mcp_server::BuildError>(()) }).unwrap();
//! ```

mod call;
mod count;
mod host;

pub use mcp_client::{
    Answer, ChildProcess, Consent, InputRequest, Round, Session, trace::Direction, trace::Entry,
};

pub(crate) use self::count::counted;
pub use self::{
    call::{Asked, TestCall},
    count::BodyCount,
    host::TestHost,
};
