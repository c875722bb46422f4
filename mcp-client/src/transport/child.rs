//! A server that the client launches and talks to over its standard streams.
//!
//! Specification: basic/transports/stdio. The process gets a group of its own, so that what it
//! launched ends with it, and one task that owns it from start to end, so that no way out leaves a
//! zombie: asked to close, found dead, or the client dropped.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::transport::group::Group;
use crate::transport::io::{LineReceiver, LineSender};
use crate::transport::lines::DEFAULT_MAX_MESSAGE;
use crate::transport::stderr::{Stderr, capture};
use crate::transport::{MessageReceiver, MessageSender, Outgoing, Received, Transport};

/// How long output that is already in the pipe is read after the process ended. A grandchild may
/// hold the pipe open for ever, so the end of the stream cannot be waited for.
const DRAIN: Duration = Duration::from_millis(200);

/// A server to be launched as a child process.
///
/// ```no_run
/// # async fn example() -> Result<(), mcp_client::Error> {
/// use mcp_client::{ChildProcess, Client};
///
/// let server = ChildProcess::new("shop-server").arg("--serve").env("SHOP_ORDERS", "demo");
/// let client = Client::builder("support-host", "1.0.0").connect(server).await?;
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Closing follows the specification: the child's standard input is closed; if it has not ended
/// within the grace period it is terminated (`SIGTERM`), and after a second one killed
/// (`SIGKILL`), each time with its whole process group. Dropping the last handle does the same in the
/// background; if the runtime ends before that, the group is killed at once.
///
/// On systems other than Unix there are no process groups here: the child itself is killed after the
/// grace period.
pub struct ChildProcess {
    command: Command,
    /// What a command does not tell again.
    env_clear: bool,
    stderr: Stderr,
    grace: Duration,
    max_message: usize,
}

impl ChildProcess {
    /// Launches `program`, looked up as the system does.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            command: Command::new(program),
            env_clear: false,
            stderr: Stderr::default(),
            grace: Duration::from_secs(2),
            max_message: DEFAULT_MAX_MESSAGE,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets an environment variable beside the inherited ones.
    #[must_use]
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// Starts from an empty environment instead of this process's; call it before [`env`](Self::env).
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.command.env_clear();
        self.env_clear = true;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn current_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Decides about the child's standard error; it is inherited unless set.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// How long the child may take to end after its input was closed, and again after it was
    /// terminated; two seconds unless set.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The longest message taken from the server, in bytes; 16 MiB unless set.
    #[must_use]
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.max_message = bytes;
        self
    }
}

/// Arguments and environment often hold secrets: only their number and their names are shown.
impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = self.command.as_std();
        let env: Vec<&OsStr> = command.get_envs().map(|(name, _)| name).collect();
        f.debug_struct("ChildProcess")
            .field("program", &command.get_program())
            .field("arguments", &command.get_args().count())
            .field("env", &env)
            .field("stderr", &self.stderr)
            .field("grace", &self.grace)
            .field("max_message", &self.max_message)
            .finish()
    }
}

impl Transport for ChildProcess {
    type Sender = ChildSender;
    type Receiver = ChildReceiver;

    async fn open(mut self) -> io::Result<(ChildSender, ChildReceiver)> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        self.command.stderr(match self.stderr {
            Stderr::Inherit => Stdio::inherit(),
            Stderr::Null => Stdio::null(),
            Stderr::Capture(_) => Stdio::piped(),
        });
        #[cfg(unix)]
        self.command.process_group(0);
        let mut child = self.command.spawn().map_err(|error| {
            let program = self.command.as_std().get_program().display();
            io::Error::new(error.kind(), format!("{program}: {error}"))
        })?;
        let group = Group::of(&child);
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else {
            return Err(io::Error::other(
                "the child's standard streams are not piped",
            ));
        };
        if let (Stderr::Capture(kept), Some(stderr)) = (self.stderr, child.stderr.take()) {
            tokio::spawn(capture(stderr, kept));
        }
        let (stop, stopped) = oneshot::channel();
        let (ended, end) = watch::channel(End::default());
        tokio::spawn(supervise(child, group, stopped, ended, self.grace));
        let sender = ChildSender {
            lines: LineSender::new(stdin),
            stop,
            end: end.clone(),
        };
        let receiver = ChildReceiver {
            lines: LineReceiver::new(stdout, self.max_message),
            end,
        };
        Ok((sender, receiver))
    }

    fn again(&self) -> Option<Self> {
        let given = self.command.as_std();
        let mut command = Command::new(given.get_program());
        command.args(given.get_args());
        if self.env_clear {
            command.env_clear();
        }
        // Variables are set here and never removed.
        command.envs(
            given
                .get_envs()
                .filter_map(|(key, value)| Some((key, value?))),
        );
        if let Some(dir) = given.get_current_dir() {
            command.current_dir(dir);
        }
        Some(Self {
            command,
            env_clear: self.env_clear,
            stderr: self.stderr.clone(),
            grace: self.grace,
            max_message: self.max_message,
        })
    }

    fn remembered_as(&self) -> Option<String> {
        let command = self.command.as_std();
        let dir = command.get_current_dir();
        Some(format!(
            "{:?} {:?} {dir:?}",
            command.get_program(),
            command.get_args().collect::<Vec<_>>()
        ))
    }
}

/// Writes to the child's standard input; closing it ends the child.
#[derive(Debug)]
pub struct ChildSender {
    lines: LineSender<ChildStdin>,
    /// Dropping it asks for the end just as sending does.
    stop: oneshot::Sender<()>,
    end: watch::Receiver<End>,
}

impl MessageSender for ChildSender {
    async fn send(&mut self, message: Outgoing) -> io::Result<()> {
        self.lines.send(message).await
    }

    async fn close(mut self) {
        drop(self.lines);
        drop(self.stop);
        // The supervisor always reports, unless the runtime is ending and it went first.
        let _ = self.end.wait_for(|end| end.all_gone).await;
    }
}

/// Reads the child's standard output, and notices its end even if something else holds the pipe.
#[derive(Debug)]
pub struct ChildReceiver {
    lines: LineReceiver<ChildStdout>,
    end: watch::Receiver<End>,
}

impl MessageReceiver for ChildReceiver {
    async fn receive(&mut self) -> Received {
        let received = tokio::select! {
            biased;
            received = self.lines.receive() => received,
            reason = end_of(&mut self.end) => {
                match timeout(DRAIN, self.lines.receive()).await {
                    Ok(Received::Closed(_)) | Err(_) => Received::Closed(reason),
                    Ok(received) => received,
                }
            }
        };
        if !matches!(received, Received::Closed(_)) {
            return received;
        }
        // Prefer the exit status, if there is one, to "closed its output".
        match timeout(DRAIN, end_of(&mut self.end)).await {
            Ok(reason) => Received::Closed(reason),
            Err(_) => received,
        }
    }
}

async fn end_of(end: &mut watch::Receiver<End>) -> String {
    match end.wait_for(|end| end.child.is_some()).await {
        Ok(end) => end.child.clone().unwrap_or_default(),
        Err(_) => "the server process is no longer watched".to_owned(),
    }
}

/// How far the end of the child has come.
#[derive(Debug, Default)]
struct End {
    /// How the child itself ended.
    child: Option<String>,
    /// Whether what it launched was seen to as well.
    all_gone: bool,
}

/// Owns the child until it is gone, whoever ends it.
async fn supervise(
    mut child: Child,
    mut group: Group,
    mut stopped: oneshot::Receiver<()>,
    ended: watch::Sender<End>,
    grace: Duration,
) {
    let status = tokio::select! {
        status = child.wait() => status,
        _ = &mut stopped => end_child(&mut child, &group, grace).await,
    };
    let reason = match status {
        Ok(status) => describe(status),
        Err(error) => format!("the server process could not be waited for: {error}"),
    };
    tracing::debug!(target: "mcp_client::child", reason, "the server process ended");
    // First the news, since calls are waiting for it.
    ended.send_modify(|end| end.child = Some(reason));
    group.end_leftovers().await;
    ended.send_modify(|end| end.all_gone = true);
}

/// Standard input is closed already: wait, terminate, kill.
async fn end_child(child: &mut Child, group: &Group, grace: Duration) -> io::Result<ExitStatus> {
    if let Ok(status) = timeout(grace, child.wait()).await {
        return status;
    }
    group.terminate();
    if let Ok(status) = timeout(grace, child.wait()).await {
        return status;
    }
    group.kill();
    child.start_kill()?;
    child.wait().await
}

fn describe(status: ExitStatus) -> String {
    format!("the server process ended with {status}")
}
