//! Newline-delimited framing without I/O: bytes in, lines out.
//!
//! Specification: basic/transports/stdio.

/// How much room a reader offers at the least, in bytes, once a first one was filled.
const ROOM: usize = 64 * 1024;

/// The room at first, in bytes: enough for a client that waits for its answers.
const FIRST: usize = 4 * 1024;

/// Splits a byte stream into messages.
///
/// A line longer than the limit is skipped to its newline and reported once; its bytes are freed.
/// Carriage returns before the newline, a byte order mark on the first line and blank lines are
/// passed over.
///
/// ```
/// use mcp_core::rpc::{Line, LineBuffer};
///
/// let mut lines = LineBuffer::new(1024);
/// let bytes = b"{}\r\n\n{\"a\":1}\n";
/// lines.room()[..bytes.len()].copy_from_slice(bytes);
/// lines.filled(bytes.len());
/// assert_eq!(lines.next_line(), Some(Line::Message(b"{}")));
/// assert_eq!(lines.next_line(), Some(Line::Message(b"{\"a\":1}")));
/// assert_eq!(lines.next_line(), None);
/// ```
#[derive(Debug)]
pub struct LineBuffer {
    buffer: Vec<u8>,
    /// The bytes not yet given out.
    start: usize,
    end: usize,
    /// Up to here there is no newline.
    searched: usize,
    limit: usize,
    /// Inside a line that was too long.
    skipping: bool,
    /// No line has been seen yet.
    first: bool,
}

/// What [`LineBuffer::next_line`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// One message's bytes, without the line's end.
    Message(&'a [u8]),
    /// A line longer than the limit, in bytes; its content is gone.
    TooLong {
        /// The limit in force, in bytes.
        limit: usize,
    },
}

impl LineBuffer {
    /// A buffer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: vec![0; FIRST],
            start: 0,
            end: 0,
            searched: 0,
            limit,
            skipping: false,
            first: true,
        }
    }

    /// A buffer without room, to stand in for one that is lent out.
    #[inline]
    pub fn empty() -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            searched: 0,
            limit: 0,
            skipping: false,
            first: false,
        }
    }

    /// Where the next bytes go; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        if self.end == self.buffer.len() && self.buffer.len() < ROOM {
            self.buffer.resize(ROOM, 0);
        }
        if self.start == self.end {
            (self.start, self.end, self.searched) = (0, 0, 0);
            if self.buffer.len() > 4 * ROOM {
                self.buffer = vec![0; ROOM];
            }
        }
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.searched -= self.start;
                self.start = 0;
            }
            if self.buffer.len() - self.end < ROOM / 2 {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        &mut self.buffer[self.end..]
    }

    /// Says that the first `count` bytes of [`room`](Self::room) now hold input.
    #[inline]
    pub fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// The next line, once all of it is there.
    #[inline]
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]) else {
                self.searched = self.end;
                if self.skipping {
                    self.start = self.end;
                } else if self.end - self.start > self.limit {
                    self.skipping = true;
                    self.start = self.end;
                    return Some(Line::TooLong { limit: self.limit });
                }
                return None;
            };
            let line = self.start..self.searched + at;
            self.start = line.end + 1;
            self.searched = self.start;
            if self.skipping {
                self.skipping = false;
                continue;
            }
            if line.len() > self.limit {
                return Some(Line::TooLong { limit: self.limit });
            }
            let first = std::mem::take(&mut self.first);
            let trimmed = trim(&self.buffer[line.clone()], first);
            if trimmed.is_empty() {
                continue;
            }
            let from =
                line.start + (trimmed.as_ptr().addr() - self.buffer[line.start..].as_ptr().addr());
            return Some(Line::Message(&self.buffer[from..from + trimmed.len()]));
        }
    }

    /// What is left after the last newline, when the stream has ended.
    pub fn rest(&mut self) -> Option<Line<'_>> {
        let line = self.start..self.end;
        (self.start, self.searched) = (self.end, self.end);
        if self.skipping || line.is_empty() {
            return None;
        }
        let trimmed = trim(&self.buffer[line], self.first);
        (!trimmed.is_empty()).then_some(Line::Message(trimmed))
    }
}

#[inline]
fn trim(line: &[u8], first: bool) -> &[u8] {
    let line = match line.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) if first => rest,
        _ => line,
    };
    line.trim_ascii()
}

#[cfg(test)]
mod tests;
