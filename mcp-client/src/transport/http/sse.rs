//! Server-sent events, as they come in: bytes to the data of messages.
//!
//! Specification: basic/transports/streamable-http, Receiving Messages, and the HTML standard, 9.2.6. Of
//! an event only its data matters, and of the events only those named `message`, which is the name of
//! those without one. `id` and `retry` belong to streams that can be resumed, which these cannot.

use memchr::memchr2;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// More than any name of a field that means something, with its colon.
const FIELD_NAME: usize = 16;

/// An event's data, or a line, was longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Splits a stream into events. It may be cut anywhere: inside a character, between CR and LF.
#[derive(Debug)]
pub(super) struct Events {
    limit: usize,
    line: Vec<u8>,
    /// The data of the event so far, from its lines.
    data: Option<Vec<u8>>,
    /// The event is not for us.
    is_foreign: bool,
    after_cr: bool,
    at_beginning: bool,
}

impl Events {
    /// Takes events with up to `limit` bytes of data.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: None,
            is_foreign: false,
            after_cr: false,
            at_beginning: true,
        }
    }

    /// Takes bytes off the front until an event is complete, and returns its data.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Vec<u8>>, TooLong> {
        while let [first, rest @ ..] = *bytes {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                *bytes = rest;
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                *bytes = &[];
                self.check_line()?;
                break;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            *bytes = &bytes[end + 1..];
            self.check_line()?;
            if let Some(event) = self.end_line()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn check_line(&self) -> Result<(), TooLong> {
        match self.line.len() > self.limit.saturating_add(FIELD_NAME) {
            true => Err(TooLong),
            false => Ok(()),
        }
    }

    /// A line is complete; an empty one ends the event.
    fn end_line(&mut self) -> Result<Option<Vec<u8>>, TooLong> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_beginning) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            let is_foreign = std::mem::take(&mut self.is_foreign);
            let data = self.data.take();
            return Ok(data.filter(|data| !is_foreign && !data.is_empty()));
        }
        let (field, value) = match memchr::memchr(b':', &line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (&line[..], &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                match &mut self.data {
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                    None => self.data = Some(value.to_vec()),
                }
                if self
                    .data
                    .as_ref()
                    .is_some_and(|data| data.len() > self.limit)
                {
                    return Err(TooLong);
                }
            }
            b"event" => self.is_foreign = !matches!(value, b"" | b"message"),
            // A comment, or a field without a meaning here.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn events(stream: &str, chunk: usize) -> Result<Vec<String>, TooLong> {
        let mut events = Events::new(100);
        let mut found = Vec::new();
        for mut bytes in stream.as_bytes().chunks(chunk) {
            while let Some(event) = events.next(&mut bytes)? {
                found.push(String::from_utf8(event).unwrap());
            }
        }
        Ok(found)
    }

    /// The stream is cut in every way, characters and line ends included.
    fn check(stream: &str, expected: &[&str]) {
        for chunk in 1..=stream.len() {
            assert_eq!(
                events(stream, chunk).unwrap(),
                expected,
                "{stream:?} by {chunk}"
            );
        }
    }

    #[test]
    fn lines_end_in_three_ways() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = "data: a\n\ndata: b\n\n".replace('\n', end);
            check(&stream, &["a", "b"]);
        }
        check("data: a\r\n\ndata: b\n\r\n", &["a", "b"]);
    }

    #[test]
    fn the_data_of_several_lines_belongs_together() {
        check("data: {\ndata:\"a\": 1\ndata:  }\n\n", &["{\n\"a\": 1\n }"]);
        check("data\ndata\n\n", &["\n"]);
    }

    #[test]
    fn comments_and_other_fields_mean_nothing() {
        check(
            ": hello\n:\nid: 7\nretry: 500\ndata: é🎉\nunknown: x\ndatax: y\n data: z\n\n",
            &["é🎉"],
        );
    }

    #[test]
    fn other_events_are_not_for_us() {
        check(
            "event: ping\ndata: x\n\nevent: message\ndata: a\n\nevent:\ndata: b\n\ndata: y\nevent: endpoint\n\ndata: c\n\n",
            &["a", "b", "c"],
        );
    }

    #[test]
    fn events_without_data_are_none() {
        check("\n\nid: 1\n\ndata:\n\ndata: \n\n", &[]);
    }

    #[test]
    fn a_byte_order_mark_may_stand_at_the_beginning_alone() {
        check(
            "\u{feff}data: a\n\n\u{feff}data: b\n\ndata: c\n\n",
            &["a", "c"],
        );
    }

    #[test]
    fn an_event_that_does_not_end_is_none() {
        check("data: a\n\ndata: b\n", &["a"]);
        check("data: a", &[]);
    }

    #[test]
    fn the_limit_is_on_the_data() {
        let fits = format!("data: {}\n\n", "x".repeat(100));
        assert_eq!(events(&fits, 7).unwrap().len(), 1);
        for long in [
            format!("data: {}\n\n", "x".repeat(101)),
            "data: 0123456789\n".repeat(10) + "\n",
            "x".repeat(200),
            format!(":{}", "x".repeat(200)),
        ] {
            assert_eq!(events(&long, 7), Err(TooLong), "{long}");
        }
        let many = "data: 0123456789\n\n: x\n\n".repeat(100);
        assert_eq!(events(&many, 7).unwrap().len(), 100);
    }
}
