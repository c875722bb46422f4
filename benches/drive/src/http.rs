//! A server over HTTP as a child process, and the calls that are under way with it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use memchr::memmem;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::peer::Until;
use crate::script::{Call, Next, Script};
use crate::{Error, workload};

/// A server under measurement. Dropped, it is killed.
///
/// Each call that is under way has a connection of its own, which stays open for the next one.
#[derive(Debug)]
pub struct HttpPeer {
    child: Child,
    port: u16,
    connections: Vec<Connection>,
    next_id: u64,
}

/// How long a server may be silent, or take to start and to end.
const PATIENCE: Duration = Duration::from_secs(60);

impl HttpPeer {
    /// Starts a server, which is told its port in `PORT`, and asks it what it is.
    ///
    /// # Errors
    ///
    /// The command could not be run, or what it runs does not speak revision 2026-07-28.
    pub fn start(command: &mut Command) -> Result<Self, Error> {
        // Free now, and hardly taken by somebody else at once.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let program = command.get_program().display().to_string();
        let child = command
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program} does not start: {error}"))?;
        let mut peer = Self {
            child,
            port,
            connections: Vec::new(),
            // Ten digits, and so they stay.
            next_id: 1_000_000_000,
        };
        peer.discover()?;
        Ok(peer)
    }

    /// The server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Keeps `in_flight` calls under way until the end, and says how many were answered.
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
        while self.connections.len() < in_flight {
            self.connections.push(Connection::open(self.port)?);
        }
        let mut run = Run {
            script,
            begun: Instant::now(),
            until,
            next_id: &mut self.next_id,
            sent: 0,
            done: 0,
        };
        let connections = &mut self.connections[..in_flight];
        let mut open = 0;
        for connection in &mut *connections {
            open += usize::from(run.begin(connection)?);
        }
        while open > 0 {
            for at in ready(connections)? {
                let connection = &mut connections[at];
                let Some(reply) = connection.read()? else {
                    continue;
                };
                if !run.take(connection, reply)? {
                    open -= 1;
                }
            }
        }
        Ok(run.done)
    }

    /// Tells the server to end, and waits until it has.
    ///
    /// # Errors
    ///
    /// It did not within a minute.
    pub fn finish(mut self) -> Result<(), Error> {
        let child = i32::try_from(self.child.id())?;
        let child = Pid::from_raw(child).ok_or("the server has no process")?;
        kill_process(child, Signal::TERM)?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("the server did not end when it was told to".into())
    }

    /// The status of a `server/discover` in which `from` stands as `to`: what does the server check?
    ///
    /// # Errors
    ///
    /// It does not answer.
    pub fn status_of_discover(&self, from: &str, to: &str) -> Result<u16, Error> {
        let mut connection = Connection::open(self.port)?;
        connection.write("server/discover", None, |out| {
            out.extend_from_slice(workload::discover(1).as_bytes());
        })?;
        let request = String::from_utf8(connection.output.clone())?;
        connection
            .stream
            .write_all(request.replacen(from, to, 1).as_bytes())?;
        let mut head = [0; 12];
        connection.stream.read_exact(&mut head)?;
        Ok(std::str::from_utf8(&head[9..])?.parse()?)
    }

    fn discover(&mut self) -> Result<(), Error> {
        let begun = Instant::now();
        let mut connection = loop {
            match Connection::open(self.port) {
                Ok(connection) => break connection,
                Err(error) if begun.elapsed() > PATIENCE => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the server ended with {status}").into());
            }
        };
        let id = self.next_id;
        connection.send("server/discover", None, |out| {
            out.extend_from_slice(workload::discover(id).as_bytes());
        })?;
        let reply = loop {
            if let Some(reply) = connection.read()? {
                break reply;
            }
        };
        let reply: Value = serde_json::from_slice(&connection.input[reply])?;
        workload::discovered(id, &reply)
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        // Both fail only where there is no process any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls under way.
struct Run<'a> {
    script: &'a mut Script,
    begun: Instant,
    until: Until,
    next_id: &'a mut u64,
    sent: u64,
    done: u64,
}

impl Run<'_> {
    /// Begins the next call, if there is one more.
    fn begin(&mut self, connection: &mut Connection) -> Result<bool, Error> {
        let more = match self.until {
            Until::Calls(calls) => self.sent < calls,
            Until::Elapsed(time) => self.begun.elapsed() < time,
        };
        if more {
            let call = Call {
                n: self.sent,
                answered: false,
            };
            self.sent += 1;
            self.send(connection, call, None)?;
        }
        Ok(more)
    }

    /// Checks a reply, and sends what follows, if anything does.
    fn take(
        &mut self,
        connection: &mut Connection,
        reply: std::ops::Range<usize>,
    ) -> Result<bool, Error> {
        let (id, call) = connection.call;
        let reply = &connection.input[reply];
        let (.., next) = self
            .script
            .check(reply, |found| (found == id).then_some(call))?;
        match next {
            Next::Done => {
                self.done += 1;
                self.begin(connection)
            }
            Next::Retry(state) => {
                let call = Call {
                    answered: true,
                    ..call
                };
                self.send(connection, call, Some(&state))?;
                Ok(true)
            }
        }
    }

    fn send(
        &mut self,
        connection: &mut Connection,
        call: Call,
        state: Option<&[u8]>,
    ) -> Result<(), Error> {
        *self.next_id += 1;
        let id = *self.next_id;
        connection.call = (id, call);
        let workload = self.script.workload();
        connection.send(workload.method(), workload.tool(), |out| {
            self.script.request(id, call.n, state, out);
        })
    }
}

/// Waits until there is something to read, and says from which connections.
fn ready(connections: &[Connection]) -> Result<Vec<usize>, Error> {
    let mut ends: Vec<PollFd<'_>> = connections
        .iter()
        .map(|connection| PollFd::new(&connection.stream, PollFlags::IN))
        .collect();
    match poll(&mut ends, Some(&PATIENCE.try_into()?)) {
        Ok(0) => Err("the server was silent for a minute".into()),
        Ok(_) => Ok((0..ends.len())
            .filter(|&at| !ends[at].revents().is_empty())
            .collect()),
        Err(rustix::io::Errno::INTR) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// A connection that is kept, with one call at a time.
#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    output: Vec<u8>,
    body: Vec<u8>,
    /// What was read of the response, up to `end`.
    input: Vec<u8>,
    end: usize,
    /// The call under way, with its id.
    call: (u64, Call),
}

impl Connection {
    fn open(port: u16) -> Result<Self, Error> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            output: Vec::new(),
            body: Vec::new(),
            input: vec![0; 16 * 1024],
            end: 0,
            call: Default::default(),
        })
    }

    /// Sends the message that `fill` writes, with its headers, in one write.
    fn send(
        &mut self,
        method: &str,
        name: Option<&str>,
        fill: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        self.write(method, name, fill)?;
        self.stream.write_all(&self.output)?;
        self.end = 0;
        Ok(())
    }

    fn write(
        &mut self,
        method: &str,
        name: Option<&str>,
        fill: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        self.body.clear();
        fill(&mut self.body);
        self.output.clear();
        write!(
            self.output,
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1.0.0\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n"
        )?;
        if let Some(name) = name {
            write!(self.output, "Mcp-Name: {name}\r\n")?;
        }
        write!(self.output, "Content-Length: {}\r\n\r\n", self.body.len())?;
        self.output.extend_from_slice(&self.body);
        Ok(())
    }

    /// Reads once; where the response is whole then, says where its message is.
    fn read(&mut self) -> Result<Option<std::ops::Range<usize>>, Error> {
        let read = self.stream.read(&mut self.input[self.end..])?;
        if read == 0 {
            return Err("the server closed the connection".into());
        }
        self.end += read;
        let message = message(&self.input[..self.end]);
        let message = message.map_err(|why| {
            let shown = String::from_utf8_lossy(&self.input[..self.end.min(400)]);
            format!("a response is wrong: {why}: {shown}")
        })?;
        match message {
            Some(message) if message.end == self.end => Ok(Some(message)),
            Some(message) if message.end < self.end => Err("more than one response".into()),
            _ => {
                let whole = message.map_or(0, |message| message.end);
                let room = whole.max(self.end + 1);
                if self.input.len() < room {
                    self.input.resize(room.next_power_of_two(), 0);
                }
                Ok(None)
            }
        }
    }
}

/// Where the message of a response is or will be; none before its head is whole.
fn message(response: &[u8]) -> Result<Option<std::ops::Range<usize>>, &'static str> {
    let Some(end) = memmem::find(response, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&response[..end]).map_err(|_| "its head is no text")?;
    let mut lines = head.split("\r\n");
    if lines.next() != Some("HTTP/1.1 200 OK") {
        return Err("its status is not 200");
    }
    let (mut length, mut is_json) = (None, false);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse::<usize>().ok();
        } else if name.eq_ignore_ascii_case("content-type") {
            is_json = value == "application/json";
        }
    }
    match length {
        Some(length) if is_json => Ok(Some(end + 4..end + 4 + length)),
        _ => Err("it is no JSON of a known length"),
    }
}
