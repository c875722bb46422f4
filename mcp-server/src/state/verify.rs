//! Whether a state that opened is for this very request, now.

use super::digest::Digest;
use super::envelope::Content;
use super::error::StateError;
use super::principal::Principal;

/// How far ahead the clock of the replica that sealed may be, in seconds. Expiry gets no such grace.
pub(crate) const SKEW: u64 = 60;

/// The request that a state must have been made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) method: &'a str,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) target: &'a str,
    pub(crate) arguments: Digest,
    pub(crate) audience: &'a str,
    pub(crate) principal: &'a Principal,
}

/// Checks a content against the request at `now`, in seconds since 1970.
///
/// Expiry comes last: a server may take an expired state as a call that begins again, and then all else must hold.
pub(crate) fn verify(
    content: &Content<'_>,
    binding: &Binding<'_>,
    now: u64,
) -> Result<(), StateError> {
    let stamp = &content.body.stamp;
    if content.audience != binding.audience {
        return Err(StateError::Audience);
    }
    if content.principal != *binding.principal {
        return Err(StateError::Principal);
    }
    if content.method != binding.method
        || content.target != binding.target
        || stamp.arguments != binding.arguments
    {
        return Err(StateError::RequestBinding);
    }
    if stamp.issued_at > now.saturating_add(SKEW) {
        return Err(StateError::Future);
    }
    if now >= stamp.expires_at {
        return Err(StateError::Expired);
    }
    Ok(())
}
