//! `requestState`: what a call that waits for an answer sends through the client, sealed.
//!
//! Nothing is kept on the server between the rounds of a call. What it has learned so far travels as `requestState`,
//! bound to the request, the caller, the server and the time, and is refused if anything about it changed. Whoever
//! holds a state can spend it again until it expires: what must happen once is claimed, see [`once`](crate::once).
//!
//! Operators choose the [`Sealing`]: encrypted (the default) or signed, under [`Keys`] from code, an environment
//! variable, a file or a [`KeySource`], or a [`StateCodec`] of their own. The content never leaves this crate.
//!
//! Specification: basic/patterns/mrtr, Server Requirements.

mod base64url;
mod codec;
mod digest;
mod envelope;
mod error;
mod few;
mod hmac;
mod key;
mod principal;
mod record;
mod reload;
mod ring;
mod sealed;
mod sealing;
mod source;
mod verify;

#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
#[cfg(test)]
mod testing;

pub use codec::{MAX_PAYLOAD, MAX_SEALED, StateCodec};
pub use error::{SealError, StateError, StateFailures};
pub use hmac::SignedCodec;
pub use key::{Key, KeyError};
pub use principal::Principal;
pub use ring::KeyRing;
pub use sealed::SealedCodec;
pub use sealing::Sealing;
pub use source::{BoxFuture, KeySource, Keys};

pub(crate) use digest::{Digest, digest_arguments};
pub(crate) use envelope::{
    Answer, Asked, Content, ExchangeId, Payload, Stamp, StateBody, random_id,
};
pub(crate) use few::{Few, in_order};
pub(crate) use sealing::{Clock, DEFAULT_LIFETIME, RequestStates};
pub(crate) use verify::{Binding, SKEW};
