//! What goes on beside those who have begun it: threads and tasks that nobody joins.
//!
//! Their work is boxed, so that what a thread or task is made of is compiled once for all of them.

use std::{future::Future, io, pin::Pin, thread};

/// Starts a thread of this name.
///
/// # Errors
///
/// Where the operating system gives none.
pub(crate) fn thread(name: &str, work: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

/// Starts a task on the current run time.
pub(crate) fn task(work: Pin<Box<dyn Future<Output = ()> + Send>>) {
    tokio::spawn(work);
}
