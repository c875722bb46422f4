//! What becomes of a child's standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// What becomes of the child's standard error.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// Goes where this process's goes.
    #[default]
    Inherit,
    /// Thrown away.
    Null,
    /// Its last part is kept.
    Capture(CapturedStderr),
}

/// The last part of what a child wrote to its standard error.
#[derive(Clone, Debug)]
pub struct CapturedStderr {
    kept: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl CapturedStderr {
    /// Keeps the last `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            kept: Arc::default(),
            limit,
        }
    }

    /// What is kept now; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let excess = kept.len().saturating_sub(self.limit);
        kept.drain(..excess);
    }
}

/// Keeps the last part of what the child writes, and lets it never wait.
pub(super) async fn capture(mut stderr: impl AsyncRead + Unpin, kept: CapturedStderr) {
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        kept.push(&chunk[..read]);
    }
}
