//! Takes the client's streams out of the reach of `print!` and of child processes.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader},
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{
            fs::{FileTypeExt, OpenOptionsExt},
            net::UnixStream as StdUnixStream,
        },
    },
};

use rustix::fs::OFlags;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{UnixStream, unix::pipe},
};

use super::thread::{Immediate, ThreadReader};

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// The most bytes of a stray line that are shown in the log.
const SHOWN: usize = 200;

/// Standard input and output, as streams of their own.
pub(super) fn take() -> io::Result<(Reader, Writer)> {
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout().as_fd(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let (stray, replacement) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::stdio::dup2_stdout(replacement)?;
    std::thread::Builder::new()
        .name("mcp-stray-stdout".to_owned())
        .spawn(move || report(File::from(stray)))?;
    Ok((reader(input)?, writer(output)?))
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
        let _ = io::Write::write_all(&mut io::stderr(), &line);
        line.clear();
        line.shrink_to(64 * 1024);
    }
}

fn reader(input: OwnedFd) -> io::Result<Reader> {
    let kind = File::from(input.try_clone()?).metadata()?.file_type();
    if kind.is_fifo() {
        // Reopened where that is possible, so that the mode is not shared with other holders.
        let path = format!("/proc/self/fd/{}", input.as_raw_fd());
        let own = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path);
        let receiver = match own {
            Ok(file) => pipe::Receiver::from_file(file)?,
            Err(_) => pipe::Receiver::from_owned_fd(input)?,
        };
        return Ok(Box::new(receiver));
    }
    if kind.is_socket() {
        return Ok(Box::new(socket(input)?));
    }
    Ok(Box::new(ThreadReader::new(File::from(input))?))
}

fn writer(output: OwnedFd) -> io::Result<Writer> {
    let kind = File::from(output.try_clone()?).metadata()?.file_type();
    if kind.is_fifo() {
        let path = format!("/proc/self/fd/{}", output.as_raw_fd());
        let own = OpenOptions::new()
            .write(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(path);
        let sender = match own {
            Ok(file) => pipe::Sender::from_file(file)?,
            Err(_) => pipe::Sender::from_owned_fd(output)?,
        };
        return Ok(Box::new(sender));
    }
    if kind.is_socket() {
        return Ok(Box::new(socket(output)?));
    }
    Ok(Box::new(Immediate(File::from(output))))
}

/// Some hosts give their children sockets for pipes.
fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
