//! The seam between a state's content and how it is protected on its way through the client.

use super::error::{SealError, StateError};

/// The longest sealed state, in bytes of text. Longer ones are refused unread, and never sent.
pub const MAX_SEALED: usize = 64 * 1024;

/// The longest payload of a state, in bytes before sealing.
pub const MAX_PAYLOAD: usize = 32 * 1024;

/// Protects what a paused call has to remember, on its way through the client.
///
/// The server checks what is inside (time, caller, request) itself. A codec answers for one thing: what [`open`] gives
/// is, byte for byte, what [`seal`] of this deployment was given. Specification: basic/patterns/mrtr, Server
/// Requirements. Implement it to seal with a key management service's data key, say; the two that ship are
/// [`SealedCodec`] and [`SignedCodec`].
///
/// A codec is synchronous and on the way of every call that asks: one that needs the network fetches its keys ahead,
/// through a [`KeySource`].
///
/// ```
/// use mcp_server::state::{Key, KeyRing, SealedCodec, StateCodec};
///
/// let codec = SealedCodec::new(&KeyRing::new([Key::generate()?])?)?;
/// let sealed = codec.seal(b"remember me")?;
/// assert!(sealed.starts_with("v1."));
/// assert_eq!(codec.open(&sealed)?, b"remember me");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`open`]: StateCodec::open
/// [`seal`]: StateCodec::seal
/// [`SealedCodec`]: super::SealedCodec
/// [`SignedCodec`]: super::SignedCodec
/// [`KeySource`]: super::KeySource
pub trait StateCodec: Send + Sync {
    /// Seals a payload of at most [`MAX_PAYLOAD`] bytes into a text of at most [`MAX_SEALED`] bytes.
    ///
    /// # Errors
    /// When it cannot be sealed; the call then fails.
    fn seal(&self, payload: &[u8]) -> Result<String, SealError>;

    /// Opens a text that a client sent: any text of at most [`MAX_SEALED`] bytes, and never a reason to panic.
    ///
    /// # Errors
    /// [`StateError::Malformed`], [`StateError::UnknownKey`] or [`StateError::Seal`]; comparisons of secret values take
    /// constant time.
    fn open(&self, sealed: &str) -> Result<Vec<u8>, StateError>;

    /// Whether people are meant to read the payload: then it is JSON, and otherwise a compact binary form.
    fn is_readable(&self) -> bool {
        false
    }
}
