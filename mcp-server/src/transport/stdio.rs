//! Serving over standard input and output.
//!
//! Motivation: a thread that reads, answers and writes needs two system calls a message, where a
//! task on an event loop needs more, and it works for pipes, sockets, files and terminals alike.
//! Calls that wait go on as tasks of the run time; a second thread writes what they give.
//!
//! Specification: basic/transports/stdio.

#[cfg(unix)]
mod aside;
#[cfg(not(unix))]
mod plain;
#[cfg(not(unix))]
use self::plain as aside;

use std::{
    future::Future,
    io::{self, Read, Write},
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as Task, Poll, Wake, Waker},
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::oneshot};

use self::aside::{ClientInput, ClientOutput, HangUp};
use super::session::{Answered, Outbox, Output, Session, is_gone};
use crate::{
    background,
    server::{Options, Server},
};

impl Server {
    /// Serves the client that started this process, until it closes standard input.
    ///
    /// On Unix, standard output is moved aside first: what a tool or a library prints goes to
    /// standard error, with a warning, and cannot corrupt the messages. Standard input is moved
    /// aside as well, so that child processes do not read the client's messages. Elsewhere a tool
    /// must not print.
    ///
    /// Calls under way when the client closes standard input may finish within the server's grace
    /// period; then this returns, and `main` should too.
    ///
    /// The run time needs timers, as that of `#[tokio::main]` has them, where clients of earlier revisions are asked something.
    ///
    /// # Errors
    ///
    /// Where standard input or output cannot be used.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let (mut input, output, stray) = aside::take()?;
        let mut session = Session::new(self.clone());
        let writer = Arc::new(Writer {
            outbox: Arc::clone(session.outbox()),
            pending: Mutex::default(),
            output,
            hang_up: input.hang_up()?,
            bell: Arc::default(),
        });
        let waker = Waker::from(Arc::clone(&writer.bell));
        session.outbox().wake_up(&waker);
        let stop = Stop::default();
        // Threads that nobody waits for: one may be reading when the process wants to end. The one that answers is first:
        // the others have nothing to do before it has.
        let (to, reader) = (Arc::clone(&writer), Arc::clone(&stop.0));
        let ended = thread(
            "mcp-stdio",
            Box::new(move || {
                let served = serve(&mut session, &mut input, &to, &reader);
                finish(&to, session.server().options(), served)
            }),
        )?;
        stray.report()?;
        let helper = Arc::clone(&writer);
        thread("mcp-stdio-writer", Box::new(move || helper.run()))?;
        let served = match self.unless_shut_down(ended).await {
            Ok(served) => served,
            Err(ended) => {
                stop.set();
                if stop.0.reads.load(Ordering::SeqCst) {
                    // It may read for ever, and it has nothing left to do.
                    let options = self.options().clone();
                    let end = move || finish(&writer, &options, Ok(()));
                    thread("mcp-stdio-end", Box::new(end))?.await
                } else {
                    ended.await
                }
            }
        };
        served.unwrap_or_else(|_| Err(io::Error::other("the thread that serves has panicked")))
    }

    /// What comes of a thread; or the thread, where the server is shut down before.
    async fn unless_shut_down(&self, mut ended: Ended) -> Result<Joined, Ended> {
        let shutdown = self.shutdown();
        let mut begun = std::pin::pin!(shutdown.begun());
        let joined = std::future::poll_fn(|cx| match Pin::new(&mut ended).poll(cx) {
            Poll::Ready(joined) => Poll::Ready(Some(joined)),
            Poll::Pending => begun.as_mut().poll(cx).map(|()| None),
        });
        joined.await.ok_or(ended)
    }
}

/// What a thread gives.
type Ended = oneshot::Receiver<io::Result<()>>;

/// What it gave, unless it has panicked.
type Joined = Result<io::Result<()>, oneshot::error::RecvError>;

/// Runs something in a thread of the run time.
fn thread(name: &str, work: Box<dyn FnOnce() -> io::Result<()> + Send>) -> io::Result<Ended> {
    let runtime = Handle::current();
    let (done, ended) = oneshot::channel();
    let in_runtime = move || {
        let _entered = runtime.enter();
        // Whoever waited may have been dropped.
        let _ = done.send(work());
    };
    background::thread(name, Box::new(in_runtime))?;
    Ok(ended)
}

/// Tells the thread that reads to end: nobody waits for it any more, or the server is shut down.
#[derive(Default)]
struct Stop(Arc<Reader>);

#[derive(Default)]
struct Reader {
    /// It should end.
    stops: AtomicBool,
    /// It has answered everything, and reads what comes next.
    reads: AtomicBool,
}

impl Stop {
    fn set(&self) {
        self.0.stops.store(true, Ordering::SeqCst);
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.set();
    }
}

/// Lets what is under way finish, within the grace periods.
fn finish(writer: &Writer, options: &Options, served: io::Result<()>) -> io::Result<()> {
    let outbox = &writer.outbox;
    outbox.close();
    if served.is_ok() {
        drain(writer, options.drain_grace, &|gone| {
            gone || outbox.working() == 0 && writer.lock().unwritten().is_empty()
        });
    }
    outbox.give_up();
    // What is left has claimed something: its effect may be under way.
    drain(writer, options.claimed_grace, &|_| outbox.working() == 0);
    outbox.warn_of_left_calls();
    writer.bell.close();
    match served {
        Err(error) if is_gone(&error) => Ok(()),
        other => other,
    }
}

/// Reads, answers and writes until the client closes standard input.
fn serve(
    session: &mut Session,
    input: &mut ClientInput,
    writer: &Writer,
    reader: &Reader,
) -> io::Result<()> {
    // A call that waits becomes a task, which is polled anew: nobody needs to be woken here.
    let mut cx = Task::from_waker(Waker::noop());
    loop {
        let answered = session.answer_lines(&mut cx);
        let patience = match answered {
            Answered::All => Patience::Little,
            Answered::Some => Patience::Much,
        };
        writer.write(session, patience)?;
        if answered == Answered::Some {
            continue;
        }
        // Said before the other is asked, so that one of the two sees that there is an end.
        reader.reads.store(true, Ordering::SeqCst);
        if reader.stops.load(Ordering::SeqCst) {
            reader.reads.store(false, Ordering::SeqCst);
            return Ok(());
        }
        let count = match input.read(session.room()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        reader.reads.store(false, Ordering::SeqCst);
        if reader.stops.load(Ordering::SeqCst) {
            return Ok(());
        }
        if count == 0 {
            session.answer_rest(&mut cx);
            return writer.write(session, Patience::Little);
        }
        session.filled(count);
    }
}

/// Lets the calls under way finish, within a grace period.
fn drain(writer: &Writer, grace: Duration, is_done: &dyn Fn(bool) -> bool) {
    let begin = Instant::now();
    loop {
        let rung = writer.bell.rung();
        // Nobody waits for the answers of calls where nothing can be written any more.
        let gone = writer.write_out(Patience::None).is_err();
        let left = grace.saturating_sub(begin.elapsed());
        if is_done(gone) || left.is_zero() {
            return;
        }
        writer.bell.wait_after(rung, left.min(MOMENT));
    }
}

/// How long a write may wait for a client that does not read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// Not at all: the helper writes what is left, and there may be no end of it.
    None,
    /// A moment, in which most clients read on; what is left then is the helper's.
    Little,
    /// Until it is written.
    Much,
}

/// How often a client that does not read is looked after.
const PAUSE: Duration = Duration::from_millis(500);

/// A moment: longer than a switch of threads, shorter than anybody notices.
const MOMENT: Duration = Duration::from_millis(10);

/// Writes for two threads: the one that serves, and a helper for what comes in between.
///
/// Whoever writes holds `pending` from taking the bytes to writing them, so that their order stays.
struct Writer {
    outbox: Arc<Outbox>,
    pending: Mutex<Output>,
    output: ClientOutput,
    /// Whether the client has closed standard input.
    hang_up: HangUp,
    bell: Arc<Bell>,
}

impl Writer {
    /// Writes what the session has.
    fn write(&self, session: &mut Session, patience: Patience) -> io::Result<()> {
        let mut pending = self.lock();
        session.collect();
        pending.append(session.output());
        if self.write_some(&mut pending)? {
            return Ok(());
        }
        drop(pending);
        self.write_rest(patience)
    }

    /// Writes what waits.
    fn write_out(&self, patience: Patience) -> io::Result<()> {
        if self.write_waiting()? {
            return Ok(());
        }
        self.write_rest(patience)
    }

    /// Writes what waits, as far as the client takes it at once; says whether that was all.
    fn write_waiting(&self) -> io::Result<bool> {
        let mut pending = self.lock();
        self.outbox.take(&mut pending);
        self.write_some(&mut pending)
    }

    /// Writes what the client did not take at once.
    #[cold]
    fn write_rest(&self, patience: Patience) -> io::Result<()> {
        loop {
            let patience = match patience {
                Patience::Little if self.lock().is_full() => Patience::Much,
                patience => patience,
            };
            match patience {
                Patience::None => {
                    self.bell.ring();
                    return Ok(());
                }
                Patience::Little if !self.output.wait(Some(MOMENT))? => {
                    self.bell.ring();
                    return Ok(());
                }
                Patience::Little => {}
                Patience::Much => {
                    // A client that has closed its end and does not read will not read any more.
                    if !self.output.wait(Some(PAUSE))? && self.hang_up.is_seen() {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                }
            }
            if self.write_waiting()? {
                return Ok(());
            }
        }
    }

    /// Writes what calls have sent, whenever they do.
    fn run(&self) -> io::Result<()> {
        let mut rung = 0;
        while let Some(now) = self.bell.wait_for(rung) {
            rung = now;
            loop {
                match self.write_waiting() {
                    Ok(true) => break,
                    Ok(false) if self.output.wait(None).is_ok() => {}
                    // The thread that serves meets the same error, and ends.
                    Ok(false) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Writes as much as the client takes; says whether that was all.
    fn write_some(&self, pending: &mut Output) -> io::Result<bool> {
        while !pending.unwritten().is_empty() {
            match (&self.output).write(pending.unwritten()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => pending.wrote(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes threads: a counter that can be waited for.
#[derive(Default)]
struct Bell {
    state: Mutex<BellState>,
    changed: Condvar,
}

#[derive(Default)]
struct BellState {
    rung: u64,
    closed: bool,
}

impl Bell {
    fn ring(&self) {
        self.lock().rung += 1;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn rung(&self) -> u64 {
        self.lock().rung
    }

    /// Waits until it has rung since; `None` once it is closed.
    fn wait_for(&self, since: u64) -> Option<u64> {
        let mut state = self.lock();
        while state.rung == since && !state.closed {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        (!state.closed).then_some(state.rung)
    }

    /// Waits until it has rung since, or a while.
    fn wait_after(&self, since: u64, at_most: Duration) {
        let state = self.lock();
        if state.rung == since {
            drop(
                self.changed
                    .wait_timeout(state, at_most)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, BellState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.ring();
    }
}
