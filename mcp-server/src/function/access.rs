//! Whether a function is there, and for whom.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::state::Principal;

/// Says whether a caller may see a function.
pub(crate) type Visible = Arc<dyn Fn(&Principal) -> bool + Send + Sync>;

/// Who may see and call a function: lists, calls and header checks ask here.
#[derive(Default)]
pub(crate) struct Access {
    off: AtomicBool,
    visible: Box<[Visible]>,
}

impl Access {
    /// On, for callers for whom all of these hold.
    pub(crate) fn new(visible: &[Visible]) -> Self {
        Self {
            off: AtomicBool::new(false),
            visible: visible.into(),
        }
    }

    /// Whether the function is there for a caller.
    pub(crate) fn allows(&self, principal: &Principal) -> bool {
        self.is_on() && self.is_shown_to(principal)
    }

    /// Whether a caller may know of it, be it on or off.
    pub(crate) fn is_shown_to(&self, principal: &Principal) -> bool {
        self.visible.iter().all(|visible| visible(principal))
    }

    pub(crate) fn is_on(&self) -> bool {
        !self.off.load(Ordering::Acquire)
    }

    /// Whether callers see different things.
    pub(crate) fn is_per_caller(&self) -> bool {
        !self.visible.is_empty()
    }

    /// Switches it; says whether that changes something.
    pub(crate) fn switch(&self, on: bool) -> bool {
        self.off.swap(!on, Ordering::AcqRel) == on
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("on", &self.is_on())
            .field("per_caller", &self.is_per_caller())
            .finish()
    }
}
