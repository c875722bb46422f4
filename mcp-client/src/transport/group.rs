//! The process group of a child: what is signalled so that nothing the child launched outlives it.

#[cfg(unix)]
use std::time::Duration;

use tokio::process::Child;

/// The child's process group: killed when dropped before its end was seen to.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
    ended: bool,
}

#[cfg(unix)]
impl Group {
    /// How long leftovers of an ended child may take over `SIGTERM`.
    const LEFTOVERS: Duration = Duration::from_millis(250);

    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: id.and_then(rustix::process::Pid::from_raw),
            ended: false,
        }
    }

    pub(super) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    pub(super) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// The child is gone; what it launched and left behind goes as well.
    pub(super) async fn end_leftovers(&mut self) {
        if self.is_alive() {
            self.terminate();
            let patience = tokio::time::Instant::now() + Self::LEFTOVERS;
            while self.is_alive() && tokio::time::Instant::now() < patience {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            self.kill();
        }
        self.ended = true;
    }

    fn is_alive(&self) -> bool {
        self.leader
            .is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_ok())
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // The only failure is that nobody is left.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    pub(super) fn of(_: &Child) -> Self {
        Self { ended: false }
    }

    pub(super) fn terminate(&self) {}

    pub(super) fn kill(&self) {}

    pub(super) async fn end_leftovers(&mut self) {
        self.ended = true;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
    }
}
