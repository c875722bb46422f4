//! Clients that open with the handshake of earlier revisions.
//!
//! Motivation: a function of the user's, a method of the protocol and a transport are written for the newest revision alone.
//! What an older client asks is made a request of that revision here, at the edge (`upgrade`), and runs through the same
//! methods; what comes back is shown as the client's revision has it (`view`). Where a call asks, its rounds run here, on the
//! open call (`rounds`). Nothing outside of this module knows a session or a handshake, and the feature `legacy`
//! takes the module away.
//!
//! Specification: basic/versioning, Backward Compatibility; basic/lifecycle of the earlier revisions.

#[cfg(not(feature = "legacy"))]
mod absent;
#[cfg(feature = "legacy")]
pub(crate) mod batch;
#[cfg(feature = "legacy")]
mod connection;
#[cfg(feature = "legacy")]
mod explain;
#[cfg(feature = "legacy")]
mod handshake;
#[cfg(all(feature = "http", feature = "legacy"))]
pub(crate) mod http;
#[cfg(all(feature = "http", not(feature = "legacy")))]
#[path = "absent_http.rs"]
pub(crate) mod http;
#[cfg(feature = "legacy")]
mod later;
#[cfg(feature = "legacy")]
mod methods;
#[cfg(feature = "legacy")]
mod notices;
#[cfg(feature = "legacy")]
mod object;
#[cfg(feature = "legacy")]
mod pages;
#[cfg(feature = "legacy")]
mod questions;
mod refusal;
#[cfg(feature = "legacy")]
mod requests;
#[cfg(feature = "legacy")]
mod rounds;
#[cfg(feature = "legacy")]
mod session;
#[cfg(feature = "legacy")]
mod upgrade;
#[cfg(feature = "legacy")]
mod view;

#[cfg(not(feature = "legacy"))]
pub(crate) use self::absent::{Answers, Connection, Later, Pages, added, can_say, may_be_earlier};
#[cfg(all(feature = "http", feature = "legacy"))]
pub(crate) use self::connection::is_of_today;
pub(crate) use self::refusal::{INITIALIZE, NO_META, refuse_initialize};
#[cfg(feature = "http")]
pub(crate) use self::refusal::{NO_HEADERS, refuse_header};
#[cfg(feature = "legacy")]
pub(crate) use self::{
    connection::{Connection, may_be_earlier},
    explain::can_say,
    later::{Answers, Later},
    pages::Pages,
    upgrade::added,
};
