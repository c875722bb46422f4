//! Who is at the other end of a connection.

use std::{fmt, sync::Arc};

use crate::{reporter::Outgoing, state::Principal};

/// The client of a connection, as a transport presents it.
pub(crate) struct Peer {
    pub(crate) principal: Principal,
    /// Where messages go that are no answer.
    pub(crate) outgoing: Arc<dyn Outgoing>,
    /// What layers in front have said of the request.
    #[cfg(feature = "http")]
    pub(crate) extensions: Option<Arc<http::Extensions>>,
}

impl Peer {
    /// The same client, reached by another way.
    pub(crate) fn reached_by(&self, outgoing: Arc<dyn Outgoing>) -> Self {
        Self {
            principal: self.principal.clone(),
            outgoing,
            #[cfg(feature = "http")]
            extensions: self.extensions.clone(),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}
