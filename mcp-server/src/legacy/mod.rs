//! Clients that open with the handshake of earlier revisions.
//!
//! Motivation: a function of the user's, a method of the protocol and a transport are written for the newest revision alone. What an
//! older client sends is made a request of that revision here, at the edge; what comes back is shown as the
//! client's revision has it. Nothing outside of this module knows a session or a handshake, and the feature `legacy`
//! takes the module away.
//!
//! Specification: basic/versioning, Backward Compatibility; basic/lifecycle of the earlier revisions.

#[cfg(feature = "legacy")]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the session that has them follows")
)]
pub(crate) mod batch;
#[cfg(feature = "legacy")]
#[expect(dead_code, reason = "the session that has them follows")]
pub(crate) mod notices;
mod refusal;
#[cfg(feature = "legacy")]
mod view;

#[cfg(feature = "http")]
pub(crate) use self::refusal::refuse_header;
pub(crate) use self::refusal::{INITIALIZE, refuse_initialize};
