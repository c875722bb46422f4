//! The sessions of an endpoint: found by their ids, ended when they are idle for long or too many.
//!
//! Specification: 2025-11-25, basic/transports, Session Management.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, Once, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout};

use super::{
    calls::Calls,
    session::Session,
    store::{Full, Limits, Store, Use},
    streams::{Budget, KEPT},
};
use crate::{background, shutdown::Shutdown, state::Principal};

/// The sessions of an endpoint. Dropping it ends them.
pub(super) struct Sessions {
    limits: Limits,
    store: Mutex<Store<Arc<Session>>>,
    /// What all of them keep of their streams.
    pub(super) kept: Arc<Budget>,
    pub(super) calls: Arc<Calls>,
    /// Whether a task looks after them from time to time.
    swept: AtomicBool,
    /// Whether it was said that there are too many.
    crowded: Once,
}

impl Sessions {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            store: Mutex::new(Store::new(limits)),
            kept: Arc::default(),
            calls: Arc::default(),
            swept: AtomicBool::new(false),
            crowded: Once::new(),
        })
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Takes a session in. Where there are too many, another one goes.
    ///
    /// # Errors
    ///
    /// Where all of them have requests in flight, and somebody who waits for those.
    pub(super) fn insert(
        self: &Arc<Self>,
        session: &Arc<Session>,
        shutdown: impl FnOnce() -> Shutdown,
    ) -> Result<(), Full> {
        let insert = || {
            let (id, session) = (Arc::clone(session.id()), Arc::clone(session));
            self.lock().insert(id, session, Instant::now())
        };
        let gone = match insert() {
            Ok(gone) => gone,
            Err(Full) => {
                let left = self.calls.left_session().ok_or(Full)?;
                self.end(left.id(), left.principal());
                insert()?
            }
        };
        if let Some(gone) = gone {
            self.crowded.call_once(|| {
                tracing::warn!(
                    limit = self.limits.sessions,
                    "sessions end for new ones: there are as many as `max_sessions` allows"
                );
            });
            gone.end();
        }
        if !self.swept.swap(true, Ordering::AcqRel) {
            self.look_after(shutdown());
        }
        Ok(())
    }

    /// The session of this id, in use from now on; none where there is none, or it is somebody else's.
    pub(super) fn begin(
        self: &Arc<Self>,
        id: &str,
        principal: &Principal,
        what: Use,
    ) -> Option<InUse> {
        let theirs = |session: &Arc<Session>| session.is_of(principal);
        let session = self
            .lock()
            .begin(id, what, Instant::now(), theirs)
            .cloned()?;
        Some(InUse {
            sessions: Arc::downgrade(self),
            session,
            what,
            is_last: false,
        })
    }

    /// Ends a session; whether it was there.
    pub(super) fn end(&self, id: &str, principal: &Principal) -> bool {
        let gone = self.lock().remove(id, |session| session.is_of(principal));
        gone.inspect(|session| session.end()).is_some()
    }

    /// The server is about to end: nobody will answer what was asked.
    fn hang_up(&self) {
        let sessions: Vec<_> = self.lock().sessions().cloned().collect();
        sessions.iter().for_each(|session| session.hang_up());
    }

    /// Ends all of them.
    pub(super) fn end_all(&self) {
        let gone = self.lock().clear();
        gone.iter().for_each(|session| session.end());
    }

    /// A task for as long as there are sessions: an abandoned one holds its memory until somebody looks.
    fn look_after(self: &Arc<Self>, shutdown: Shutdown) {
        let sessions = Arc::downgrade(self);
        let pause = (self.limits.idle.min(KEPT) / 8).clamp(SHORTEST, LONGEST);
        background::task(Box::pin(async move {
            let mut has_begun = false;
            loop {
                if has_begun {
                    sleep(pause).await;
                } else if timeout(pause, shutdown.begun()).await.is_ok() {
                    has_begun = true;
                    sessions.upgrade().inspect(|sessions| sessions.hang_up());
                    continue;
                }
                match sessions.upgrade() {
                    Some(sessions) if !sessions.sweep(Instant::now()) => {}
                    _ => return,
                }
            }
        }));
    }

    /// Ends what was idle for too long; whether nothing is left.
    fn sweep(&self, now: Instant) -> bool {
        let mut store = self.lock();
        let gone = store.expire(now);
        let left: Vec<_> = store.sessions().cloned().collect();
        if left.is_empty() {
            // Under the lock, so that a session that comes now has a task of its own.
            self.swept.store(false, Ordering::Release);
        }
        drop(store);
        for session in &gone {
            session.end();
        }
        for session in &left {
            session.sweep(now);
        }
        left.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Store<Arc<Session>>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often sessions are looked after.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(30);

impl Drop for Sessions {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// A session in use: it does not go while this is there.
pub(super) struct InUse {
    sessions: Weak<Sessions>,
    session: Arc<Session>,
    what: Use,
    is_last: bool,
}

impl InUse {
    /// The session ends with this use.
    #[cfg(feature = "http-sse")]
    pub(super) fn that_ends_it(mut self) -> Self {
        self.is_last = true;
        self
    }

    pub(super) fn session(&self) -> &Arc<Session> {
        &self.session
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let Some(sessions) = self.sessions.upgrade() else {
            return;
        };
        let id = self.session.id();
        sessions.lock().end(id, self.what, Instant::now());
        if self.is_last {
            let gone = sessions.lock().remove(id, |_| true);
            gone.inspect(|session| session.end());
        }
    }
}
