//! Takes the client's streams out of the reach of `print!` and of child processes.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::FileTypeExt,
    },
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::background;

/// How many bytes the pipe to the client holds, where that can be said.
#[cfg(target_os = "linux")]
const PIPE: usize = 256 * 1024;

/// The most bytes of a stray line that are shown in the log.
const SHOWN: usize = 200;

/// The client's messages.
pub(super) struct ClientInput(File);

/// The way to the client.
pub(super) struct ClientOutput(File);

/// What is printed to standard output meanwhile.
pub(super) struct Stray(File);

/// Standard input and output, as streams of their own.
pub(super) fn take() -> io::Result<(ClientInput, ClientOutput, Stray)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout().as_fd(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let (stray, replacement) = io::pipe()?;
    rustix::stdio::dup2_stdout(replacement)?;
    let output = ClientOutput(unblocked(output)?);
    let stray = Stray(OwnedFd::from(stray).into());
    Ok((ClientInput(input.into()), output, stray))
}

impl Stray {
    /// Begins to pass it on to standard error. Until then, printing may wait.
    pub(super) fn report(self) -> io::Result<()> {
        background::thread("mcp-stray-stdout", Box::new(move || report(self.0)))
    }
}

/// Passes what was printed on to standard error, and says so.
fn report(stray: File) {
    let mut lines = BufReader::new(stray);
    let mut line = Vec::new();
    while matches!(lines.read_until(b'\n', &mut line), Ok(count) if count > 0) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
        tracing::warn!(
            target: "mcp_server::stdout",
            line = shown.trim_end(),
            "something was printed to standard output, which is the client's; it went to standard error"
        );
        let _ = io::stderr().write_all(&line);
        line.clear();
        line.shrink_to(64 * 1024);
    }
}

/// Makes writes to a pipe or socket return where they would wait.
fn unblocked(output: OwnedFd) -> io::Result<File> {
    let output = File::from(output);
    let kind = output.metadata()?.file_type();
    #[cfg(target_os = "linux")]
    if kind.is_fifo()
        && let Ok(own) = opened_anew(&output)
    {
        return Ok(own);
    }
    if kind.is_fifo() || kind.is_socket() {
        rustix::io::ioctl_fionbio(&output, true)?;
    }
    Ok(output)
}

/// The same pipe with a mode of its own, which other holders of the first do not share.
#[cfg(target_os = "linux")]
fn opened_anew(pipe: &File) -> io::Result<File> {
    use std::{
        fs::OpenOptions,
        os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    };

    // Most answers then fit at once. Where it is refused, they take more than one write.
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE);
    OpenOptions::new()
        .write(true)
        .custom_flags(rustix::pipe::PipeFlags::NONBLOCK.bits().cast_signed())
        .open(format!("/proc/self/fd/{}", pipe.as_raw_fd()))
}

/// Waits until a stream can be read or written, or for a while; says whether it can.
fn wait(stream: &File, for_what: PollFlags, at_most: Option<Duration>) -> io::Result<bool> {
    let at_most = at_most.and_then(|time| Timespec::try_from(time).ok());
    match rustix::event::poll(&mut [PollFd::new(stream, for_what)], at_most.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        // Worth a try.
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

impl Read for ClientInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                // Whoever started this process has set its mode so.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait(&self.0, PollFlags::IN, None)?;
                }
                count => return count,
            }
        }
    }
}

impl ClientInput {
    /// What tells when the client closes its end, whether or not everything was read.
    pub(super) fn hang_up(&self) -> io::Result<HangUp> {
        self.0.try_clone().map(HangUp)
    }
}

/// Looks whether the client has closed its end.
pub(super) struct HangUp(File);

impl HangUp {
    pub(super) fn is_seen(&self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::empty())];
        let now = Timespec::default();
        rustix::event::poll(&mut fds, Some(&now)).is_ok()
            && fds[0].revents().contains(PollFlags::HUP)
    }
}

impl ClientOutput {
    /// Waits until the client takes more, or for a while; says whether it does.
    pub(super) fn wait(&self, at_most: Option<Duration>) -> io::Result<bool> {
        wait(&self.0, PollFlags::OUT, at_most)
    }
}

impl Write for &ClientOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
