//! Splits a byte stream into lines with a limit on their length.
//!
//! Specification: basic/transports/stdio. One message a line. Tolerated on top, because servers
//! do it: a byte order mark, CRLF, blank lines, a last line without its newline.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::transport::Received;
use crate::wire::IdScan;

/// The longest line that is kept unless the transport is told otherwise: 16 MiB.
pub const DEFAULT_MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line was taken.
const KEEP_CAPACITY: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines. Cancel safe: what was read stays in the buffer.
pub(super) struct Lines<R> {
    reader: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the next line begins, and up to where no newline was found.
    start: usize,
    scanned: usize,
    /// Set while the rest of an over-long line is thrown away.
    skipping: Option<IdScan>,
    at_beginning: bool,
    ended: Option<String>,
}

/// Without the buffer: it holds messages.
impl<R: std::fmt::Debug> std::fmt::Debug for Lines<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("reader", &self.reader)
            .field("limit", &self.limit)
            .field("buffered", &self.buffer.len())
            .finish_non_exhaustive()
    }
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            skipping: None,
            at_beginning: true,
            ended: None,
        }
    }

    pub(super) async fn next(&mut self) -> Received {
        loop {
            if let Some(received) = self.take_buffered() {
                return received;
            }
            if let Some(reason) = &self.ended {
                return Received::Closed(reason.clone());
            }
            self.make_room();
            match self.reader.read_buf(&mut self.buffer).await {
                Ok(0) => self.ended = Some("the server closed its output".to_owned()),
                Ok(_) => {}
                Err(error) => self.ended = Some(format!("reading failed: {error}")),
            }
        }
    }

    /// The next line that is not blank, if all of it has been read.
    fn take_buffered(&mut self) -> Option<Received> {
        loop {
            let unscanned = self.buffer.get(self.scanned..).unwrap_or_default();
            let (end, next) = match memchr::memchr(b'\n', unscanned) {
                Some(offset) => (self.scanned + offset, self.scanned + offset + 1),
                None => {
                    self.scanned = self.buffer.len();
                    self.drop_if_too_long();
                    if self.ended.is_none()
                        || (self.start == self.buffer.len() && self.skipping.is_none())
                    {
                        return None;
                    }
                    // The stream ended inside a line.
                    (self.buffer.len(), self.buffer.len())
                }
            };
            let line = &self.buffer[self.start..end];
            let received = if let Some(mut scan) = self.skipping.take() {
                scan.feed(line);
                Some(Received::TooLong {
                    id: scan.id(),
                    limit: self.limit,
                })
            } else if line.len() > self.limit {
                let mut scan = IdScan::default();
                scan.feed(line);
                Some(Received::TooLong {
                    id: scan.id(),
                    limit: self.limit,
                })
            } else {
                let line = match line.strip_prefix(BYTE_ORDER_MARK) {
                    Some(rest) if self.at_beginning => rest,
                    _ => line,
                };
                let line = line.trim_ascii();
                (!line.is_empty()).then(|| Received::Message(line.to_vec()))
            };
            self.at_beginning = false;
            self.start = next;
            self.scanned = next;
            if received.is_some() {
                return received;
            }
        }
    }

    fn drop_if_too_long(&mut self) {
        if self.skipping.is_none() && self.buffer.len() - self.start <= self.limit {
            return;
        }
        let scan = self.skipping.get_or_insert_default();
        scan.feed(&self.buffer[self.start..]);
        self.buffer = Vec::new();
        self.start = 0;
        self.scanned = 0;
    }

    fn make_room(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
        } else {
            self.buffer.drain(..self.start);
        }
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.len() < KEEP_CAPACITY {
            self.buffer.shrink_to(KEEP_CAPACITY);
        }
        self.buffer.reserve(8 * 1024);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::AsyncWriteExt;

    use super::*;

    async fn all(bytes: &[u8], limit: usize, chunk: usize) -> (Vec<Vec<u8>>, usize) {
        let (mut writer, reader) = tokio::io::duplex(64);
        let bytes = bytes.to_vec();
        tokio::spawn(async move {
            for part in bytes.chunks(chunk) {
                writer.write_all(part).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        let mut lines = Lines::new(reader, limit);
        let (mut messages, mut dropped) = (Vec::new(), 0);
        loop {
            match lines.next().await {
                Received::Message(line) => messages.push(line),
                Received::TooLong { limit: named, .. } => {
                    assert_eq!(named, limit);
                    dropped += 1;
                }
                Received::Closed(_) => return (messages, dropped),
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn marks_line_ends_and_blank_lines_are_tolerated() {
        let input = "\u{feff}{\"a\":1}\r\n\n  \r\n{\"b\":2}\n{\"c\":\"é🎉\"}".as_bytes();
        for chunk in [1, 2, 3, 1000] {
            let (messages, dropped) = all(input, 100, chunk).await;
            assert_eq!(
                messages,
                [
                    &b"{\"a\":1}"[..],
                    b"{\"b\":2}",
                    "{\"c\":\"é🎉\"}".as_bytes()
                ]
            );
            assert_eq!(dropped, 0);
        }
    }

    #[tokio::test]
    async fn an_over_long_line_is_skipped_once_and_the_next_one_is_read() {
        let input = format!("{}\n{{\"next\":1}}\n", "x".repeat(1000));
        for chunk in [1, 7, 1000, 5000] {
            let (messages, dropped) = all(input.as_bytes(), 100, chunk).await;
            assert_eq!(messages, [b"{\"next\":1}"]);
            assert_eq!(dropped, 1);
        }
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_kept() {
        let (messages, dropped) = all(b"0123456789\n", 10, 3).await;
        assert_eq!((messages, dropped), (vec![b"0123456789".to_vec()], 0));
        let (messages, dropped) = all(b"0123456789a\n", 10, 3).await;
        assert_eq!((messages, dropped), (vec![], 1));
    }

    #[tokio::test]
    async fn memory_stays_bounded_while_a_line_never_ends() {
        let (mut writer, reader) = tokio::io::duplex(64 * 1024);
        let mut lines = Lines::new(reader, 1024);
        let feed = tokio::spawn(async move {
            for _ in 0..1024 {
                writer.write_all(&[b'x'; 64 * 1024]).await.unwrap();
            }
            writer.write_all(b"\n{}\n").await.unwrap();
        });
        assert!(matches!(
            lines.next().await,
            Received::TooLong {
                id: None,
                limit: 1024
            }
        ));
        assert!(
            lines.buffer.capacity() <= 2 * KEEP_CAPACITY,
            "{}",
            lines.buffer.capacity()
        );
        assert!(matches!(lines.next().await, Received::Message(line) if line == b"{}"));
        feed.await.unwrap();
    }

    #[tokio::test]
    async fn an_over_long_answer_names_its_request() {
        let (mut writer, reader) = tokio::io::duplex(64);
        let mut lines = Lines::new(reader, 50);
        tokio::spawn(async move {
            let text = format!(
                "{{\"id\":31,\"result\":{{\"x\":\"{}\"}}}}\n",
                "y".repeat(500)
            );
            writer.write_all(text.as_bytes()).await.unwrap();
        });
        assert!(matches!(
            lines.next().await,
            Received::TooLong {
                id: Some(31),
                limit: 50
            }
        ));
        assert!(matches!(lines.next().await, Received::Closed(_)));
    }
}
