//! What stands in for [`legacy`](super) without the feature of that name: servers with a handshake are refused,
//! and all that is said of them elsewhere is about a type without values.

#[path = "offered.rs"]
mod offered;

pub(crate) use self::offered::offered_version;
