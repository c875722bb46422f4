//! Servers of the revisions that begin with a handshake, 2024-11-05 to 2025-11-25.

pub(crate) mod batch;
mod offered;

pub(crate) use self::offered::offered_version;
