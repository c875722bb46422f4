//! A wire trace: every message with direction and time, as JSON lines.
//!
//! One line a message:
//!
//! ```json
//! {"time":"2026-07-28T09:30:00.123456Z","direction":"sent","message":{"jsonrpc":"2.0","id":1,"method":"server/discover"}}
//! ```
//!
//! What the server wrote in place of a message stands under `skipped`, as text.

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::session::on_one_line;
use crate::transport::{Failure, MessageReceiver, MessageSender, Outgoing, Received, Transport};

/// Wraps a transport and records what passes.
///
/// **A trace holds secrets**: arguments, answers, and the server's state for paused calls, which are
/// credentials.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{ChildProcess, Client, Trace, trace};
///
/// let file = std::fs::File::create("trace.jsonl")?;
/// let server = Trace::wrap(ChildProcess::new("shop-server"), file);
/// let client = Client::builder("support-host", "1.0.0").connect(server).await?;
/// client.close().await;
///
/// for entry in trace::read(std::io::BufReader::new(std::fs::File::open("trace.jsonl")?)) {
///     let entry = entry?;
///     println!("{} {:?}", entry.time, entry.direction);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Trace<T> {
    transport: T,
    recorder: Recorder,
}

impl<T: Transport> Trace<T> {
    /// Records what passes through `transport` to `writer`, each line at once. A writer that fails
    /// ends the trace, with a warning in the log, and not the connection.
    pub fn wrap(transport: T, writer: impl Write + Send + 'static) -> Self {
        Self {
            transport,
            recorder: Recorder {
                writer: Arc::new(Mutex::new(Some(Box::new(writer)))),
            },
        }
    }
}

impl<T: Transport> Transport for Trace<T> {
    type Sender = TracedSender<T::Sender>;
    type Receiver = TracedReceiver<T::Receiver>;

    async fn open(self) -> std::io::Result<(Self::Sender, Self::Receiver)> {
        let (sender, receiver) = self.transport.open().await?;
        let recorder = self.recorder;
        Ok((
            TracedSender {
                sender,
                recorder: recorder.clone(),
            },
            TracedReceiver { receiver, recorder },
        ))
    }

    fn mirrors_metadata(&self) -> bool {
        self.transport.mirrors_metadata()
    }

    fn again(&self) -> Option<Self> {
        Some(Self {
            transport: self.transport.again()?,
            recorder: self.recorder.clone(),
        })
    }

    fn remembered_as(&self) -> Option<String> {
        self.transport.remembered_as()
    }
}

/// The writing half of a traced transport.
#[derive(Debug)]
pub struct TracedSender<S> {
    sender: S,
    recorder: Recorder,
}

impl<S: MessageSender> MessageSender for TracedSender<S> {
    async fn send(&mut self, message: Outgoing) -> std::io::Result<()> {
        if !message.text.is_empty() {
            self.recorder
                .record(Direction::Sent, message.text.as_bytes());
        }
        self.sender.send(message).await
    }

    async fn close(self) {
        self.sender.close().await;
    }
}

/// The reading half of a traced transport.
#[derive(Debug)]
pub struct TracedReceiver<R> {
    receiver: R,
    recorder: Recorder,
}

impl<R: MessageReceiver> MessageReceiver for TracedReceiver<R> {
    async fn receive(&mut self) -> Received {
        let received = self.receiver.receive().await;
        match &received {
            Received::Message(bytes)
            | Received::Meanwhile { message: bytes, .. }
            | Received::Answer { message: bytes, .. } => {
                self.recorder.record(Direction::Received, bytes);
            }
            Received::Failed { failure, .. } => {
                let (Failure::Unauthorized { reason, .. }
                | Failure::SessionEnded { reason }
                | Failure::Failed { reason, .. }) = failure;
                let text = format!("no answer: {reason}");
                self.recorder
                    .write(&Entry::skipped(Direction::Received, text));
            }
            Received::TooLong { limit, .. } => {
                let text = format!("a message longer than {limit} bytes");
                self.recorder
                    .write(&Entry::skipped(Direction::Received, text));
            }
            Received::SessionEnded | Received::SessionAway | Received::Closed(_) => {}
        }
        received
    }
}

/// Which way a message went, as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To the server.
    Sent,
    /// From the server.
    Received,
}

/// One line of a trace. `Debug` leaves the contents out.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// When, in UTC, as RFC 3339 with microseconds.
    pub time: String,
    /// Which way.
    pub direction: Direction,
    /// The message as it was on the wire, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<RawValue>>,
    /// What came in place of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

impl Entry {
    fn skipped(direction: Direction, text: String) -> Self {
        Self {
            time: now(),
            direction,
            message: None,
            skipped: Some(text),
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = |text: &str| text.len();
        f.debug_struct("Entry")
            .field("time", &self.time)
            .field("direction", &self.direction)
            .field(
                "message_bytes",
                &self.message.as_deref().map(|m| bytes(m.get())),
            )
            .field("skipped_bytes", &self.skipped.as_deref().map(bytes))
            .finish()
    }
}

#[derive(Clone)]
struct Recorder {
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl Recorder {
    fn record(&self, direction: Direction, bytes: &[u8]) {
        let json: Option<&RawValue> = serde_json::from_slice(bytes).ok();
        let message = json
            .filter(|json| json.get().starts_with('{'))
            .and_then(|json| RawValue::from_string(on_one_line(json.get())).ok());
        self.write(&match message {
            Some(message) => Entry {
                time: now(),
                direction,
                message: Some(message),
                skipped: None,
            },
            None => Entry::skipped(direction, String::from_utf8_lossy(bytes).into_owned()),
        });
    }

    fn write(&self, entry: &Entry) {
        let mut slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = slot.as_mut() else { return };
        let written = serde_json::to_string(entry)
            .map_err(std::io::Error::other)
            .and_then(|line| {
                writer.write_all(format!("{line}\n").as_bytes())?;
                writer.flush()
            });
        if let Err(error) = written {
            tracing::warn!(target: "mcp_client", %error, "the wire trace ends here");
            *slot = None;
        }
    }
}

/// Why a trace cannot be read on.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the trace: {reason}")]
pub struct TraceError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a trace back.
///
/// ```
/// # use mcp_client::trace;
/// let text = r#"{"time":"2026-07-28T09:30:00.000000Z","direction":"sent","message":{"id":1}}"#;
/// let entries: Result<Vec<_>, _> = trace::read(text.as_bytes()).collect();
/// assert_eq!(entries?[0].direction, trace::Direction::Sent);
/// # Ok::<(), trace::TraceError>(())
/// ```
pub fn read<R: BufRead>(reader: R) -> Reader<R> {
    Reader {
        lines: reader.lines(),
        line: 0,
    }
}

/// The entries of a trace, in order.
#[derive(Debug)]
pub struct Reader<R> {
    lines: std::io::Lines<R>,
    line: usize,
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.lines.next()?;
        self.line += 1;
        let line = self.line;
        let entry = text
            .map_err(|e| e.to_string())
            .and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()));
        Some(entry.map_err(|reason| TraceError { line, reason }))
    }
}

fn now() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    rfc3339(since.as_secs(), since.subsec_micros())
}

/// Days to dates by the civil calendar's 400-year cycle, with years that begin in March.
fn rfc3339(seconds: u64, micros: u32) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn times_are_dates_in_utc() {
        for (seconds, micros, expected) in [
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, 1, "2000-02-29T00:00:00.000001Z"),
            (1_709_251_199, 999_999, "2024-02-29T23:59:59.999999Z"),
            (1_785_231_000, 0, "2026-07-28T09:30:00.000000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"),
        ] {
            assert_eq!(rfc3339(seconds, micros), expected);
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
        let text = "{\"time\":\"t\",\"direction\":\"sent\",\"message\":{}}\nnonsense\n";
        let entries: Vec<_> = read(text.as_bytes()).collect();
        assert!(entries[0].is_ok());
        assert_eq!(entries[1].as_ref().unwrap_err().line, 2);
    }
}
