//! A server as a child process, and the calls that are under way with it.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::Value;

use crate::script::{Call, Next, Script};
use crate::{Error, workload};

/// A server under measurement. Dropped, it is killed.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    /// Gone once the server was told to end.
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// What was read and not yet taken, at `start..end`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    next_id: u64,
}

/// When a run sends no new calls any more; those under way are still awaited.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// This long after its start.
    Elapsed(Duration),
    /// After this many calls.
    Calls(u64),
}

/// How long a server may be silent, or take to end by itself.
const PATIENCE: Duration = Duration::from_secs(60);

impl Peer {
    /// Starts a server on pipes of its own.
    ///
    /// # Errors
    ///
    /// The command could not be run.
    pub fn start(command: &mut Command) -> Result<Self, Error> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!(
                    "{} does not start: {error}",
                    command.get_program().display()
                )
            })?;
        let input = child.stdin.take().ok_or("the child has no input")?;
        let output = child.stdout.take().ok_or("the child has no output")?;
        // Only our ends: the server keeps what it was given.
        fcntl_setfl(&input, fcntl_getfl(&input)? | OFlags::NONBLOCK)?;
        fcntl_setfl(&output, fcntl_getfl(&output)? | OFlags::NONBLOCK)?;
        Ok(Self {
            child,
            input: Some(input),
            output,
            buffer: vec![0; 1 << 20],
            start: 0,
            end: 0,
            // Ten digits, and so they stay.
            next_id: 1_000_000_000,
        })
    }

    /// The server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server what it is, which also tells that it is ready.
    ///
    /// # Errors
    ///
    /// It died, or does not speak revision 2026-07-28.
    pub fn discover(&mut self) -> Result<(), Error> {
        let id = self.new_id();
        let mut out = workload::discover(id).into_bytes();
        let line = loop {
            self.exchange(&mut out)?;
            if let Some(line) = self.line() {
                break line;
            }
        };
        let reply: Value = serde_json::from_slice(&self.buffer[line])?;
        workload::discovered(id, &reply)
    }

    /// Keeps `in_flight` calls under way until the end, and says how many were answered. The requests that follow from
    /// the replies of one read go out in one write.
    ///
    /// # Errors
    ///
    /// The server died, was silent for a minute, or a reply was wrong.
    pub fn run(
        &mut self,
        script: &mut Script,
        in_flight: usize,
        until: Until,
    ) -> Result<u64, Error> {
        let begun = Instant::now();
        let (mut sent, mut done, mut reads) = (0u64, 0u64, 0u64);
        let mut stop = false;
        let mut open: HashMap<u64, Call> = HashMap::with_capacity(in_flight);
        let mut out = Vec::new();
        loop {
            if let Until::Calls(calls) = until {
                stop = sent >= calls;
            }
            while !stop && open.len() < in_flight {
                let id = self.new_id();
                script.request(id, sent, None, &mut out);
                let call = Call {
                    n: sent,
                    answered: false,
                };
                open.insert(id, call);
                sent += 1;
                if let Until::Calls(calls) = until {
                    stop = sent >= calls;
                }
            }
            if open.is_empty() {
                return Ok(done);
            }
            self.exchange(&mut out)?;
            reads += 1;
            // Asking the time for each would cost more than it tells.
            if let Until::Elapsed(time) = until
                && reads % 16 == 0
            {
                stop |= begun.elapsed() >= time;
            }
            while let Some(line) = self.line() {
                let line = &self.buffer[line];
                let (id, call, next) = script.check(line, |id| open.get(&id).copied())?;
                open.remove(&id);
                match next {
                    Next::Done => done += 1,
                    Next::Retry(state) => {
                        let id = self.new_id();
                        script.request(id, call.n, Some(&state), &mut out);
                        let call = Call {
                            answered: true,
                            ..call
                        };
                        open.insert(id, call);
                    }
                }
            }
        }
    }

    /// Closes the server's input and waits until it has ended by itself.
    ///
    /// # Errors
    ///
    /// It ended with an error, or not within a minute.
    pub fn finish(mut self) -> Result<(), Error> {
        self.input = None;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(format!("the server ended with {status}").into()),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        Err("the server did not end when its input was closed".into())
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Takes the next whole line: where it is in the buffer, without its end.
    fn line(&mut self) -> Option<std::ops::Range<usize>> {
        let len = memchr::memchr(b'\n', &self.buffer[self.start..self.end])?;
        let line = self.start..self.start + len;
        self.start = line.end + 1;
        Some(line)
    }

    /// Writes what goes without waiting, and reads once.
    fn exchange(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let input = self.input.as_mut().ok_or("the server was told to end")?;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let mut written = 0;
        loop {
            while written < out.len() {
                match input.write(&out[written..]) {
                    Ok(more) => written += more,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(format!("writing to the server: {error}").into()),
                }
            }
            let mut wanted = PollFlags::OUT;
            if written == out.len() {
                wanted = PollFlags::empty();
            }
            let mut ends = [
                PollFd::new(&self.output, PollFlags::IN),
                PollFd::new(&*input, wanted),
            ];
            let patience = PATIENCE.try_into()?;
            match poll(&mut ends, Some(&patience)) {
                Ok(0) => return Err("the server was silent for a minute".into()),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if ends[0].revents().is_empty() {
                continue;
            }
            match self.output.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Err("the server closed its output".into()),
                Ok(read) => {
                    self.end += read;
                    out.drain(..written);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(format!("reading from the server: {error}").into()),
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Both fail only where there is no process any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
