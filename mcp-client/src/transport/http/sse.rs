//! Server-sent events, as they come in: bytes to events.
//!
//! Specification: basic/transports/streamable-http, Receiving Messages, and the HTML standard, 9.2.6. Of an
//! ordinary event only its data matters. What else it says, older revisions read: where a stream can be taken
//! up again, and after which time.

use memchr::memchr2;

use crate::wire::IdScan;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// More than any name of a field that means something, with its colon.
const FIELD_NAME: usize = 16;

/// One event; it has something in it at least.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What kind it is; empty where it does not say.
    pub(super) name: Vec<u8>,
    /// Its position in the stream, as the server calls it.
    pub(super) id: Option<Vec<u8>>,
    /// How long to wait before the stream is opened again, in milliseconds.
    pub(super) retry: Option<u64>,
    /// Its data.
    pub(super) data: Vec<u8>,
}

impl Event {
    /// The data, if this is an event of the ordinary kind that has any.
    pub(super) fn into_message(self) -> Option<Vec<u8>> {
        let is_message = matches!(&self.name[..], b"" | b"message") && !self.data.is_empty();
        is_message.then_some(self.data)
    }
}

/// An event's data, or a line, was longer than the limit. The event was thrown away.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    /// The id in its data, if that is an answer to a request of this client.
    pub(super) id: Option<u64>,
}

/// Splits a stream into events. It may be cut anywhere: inside a character, between CR and LF.
#[derive(Debug)]
pub(super) struct Events {
    limit: usize,
    line: Vec<u8>,
    /// The event so far, from its lines.
    event: Event,
    has_data: bool,
    /// The event is beyond the limit, and is thrown away up to its end.
    skipping: Option<IdScan>,
    /// The beginning of the line was thrown away; was it data?
    rest: Option<bool>,
    after_cr: bool,
    at_beginning: bool,
}

impl Events {
    /// Takes events with up to `limit` bytes of data.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            skipping: None,
            rest: None,
            after_cr: false,
            at_beginning: true,
        }
    }

    /// Takes bytes off the front until an event is complete, and returns it. After an error it can be asked
    /// again: the events that follow are read.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, TooLong> {
        while let [first, rest @ ..] = *bytes {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                *bytes = rest;
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            let line = &bytes[..end.unwrap_or(bytes.len())];
            self.line.extend_from_slice(line);
            if self.rest.is_some() || self.line.len() > self.limit.saturating_add(FIELD_NAME) {
                self.skip_line();
            }
            let Some(end) = end else {
                *bytes = &[];
                break;
            };
            self.after_cr = bytes[end] == b'\r';
            *bytes = &bytes[end + 1..];
            if let Some(event) = self.end_line()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Whether the event that is being read is beyond the limit: [`next`](Self::next) says so at its end, which
    /// may never come.
    pub(super) fn is_too_long(&self) -> bool {
        self.skipping.is_some()
    }

    /// Throws away what there is of a line. Of data, the id is looked for.
    fn skip_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.skip();
        let (is_data, value) = match self.rest {
            Some(is_data) => (is_data, &line[..]),
            None => {
                let (field, value) = split(&line);
                (field == b"data", value)
            }
        };
        self.rest = Some(is_data);
        if let (true, Some(scan)) = (is_data, &mut self.skipping) {
            scan.feed(value);
        }
    }

    fn skip(&mut self) {
        if self.skipping.is_none() {
            let mut scan = IdScan::default();
            scan.feed(&std::mem::take(&mut self.event.data));
            self.skipping = Some(scan);
        }
    }

    /// A line is complete; an empty one ends the event.
    fn end_line(&mut self) -> Result<Option<Event>, TooLong> {
        if self.rest.take().is_some() {
            return Ok(None);
        }
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_beginning) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            self.has_data = false;
            return match self.skipping.take() {
                Some(scan) => Err(TooLong { id: scan.id() }),
                None => Ok((event != Event::default()).then_some(event)),
            };
        }
        let (field, value) = split(&line);
        match field {
            b"data" => self.take_data(value),
            b"event" => self.event.name = value.to_vec(),
            // A zero byte would end it for some: the standard has such an id ignored.
            b"id" if !value.contains(&0) => self.event.id = Some(value.to_vec()),
            b"retry" => {
                let digits = std::str::from_utf8(value).ok();
                let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                let retry = digits.and_then(|text| text.parse().ok());
                self.event.retry = retry.or(self.event.retry);
            }
            // A comment, or a field without a meaning.
            _ => {}
        }
        Ok(None)
    }

    fn take_data(&mut self, value: &[u8]) {
        if let Some(scan) = &mut self.skipping {
            return scan.feed(value);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push(b'\n');
        }
        self.event.data.extend_from_slice(value);
        if self.event.data.len() > self.limit {
            self.skip();
        }
    }
}

/// A line as the name of a field and its value.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let (field, value) = match memchr::memchr(b':', line) {
        Some(colon) => (&line[..colon], &line[colon + 1..]),
        None => (line, &[][..]),
    };
    (field, value.strip_prefix(b" ").unwrap_or(value))
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
                let message = event.into_message();
                found.extend(message.map(|data| String::from_utf8(data).unwrap()));
            }
            if events.is_too_long() {
                return Err(TooLong { id: None });
            }
        }
        Ok(found)
    }

    /// All events and all that were too long, in order.
    fn all(stream: &str, chunk: usize) -> Vec<Result<Event, TooLong>> {
        let mut events = Events::new(100);
        let mut found = Vec::new();
        for mut bytes in stream.as_bytes().chunks(chunk) {
            while let Some(event) = events.next(&mut bytes).transpose() {
                found.push(event);
            }
        }
        found
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
            assert_eq!(events(&long, 7), Err(TooLong { id: None }), "{long}");
        }
        let many = "data: 0123456789\n\n: x\n\n".repeat(100);
        assert_eq!(events(&many, 7).unwrap().len(), 100);
    }

    #[test]
    fn positions_and_pauses_are_read() {
        let stream = "id: a:1\nretry: 500\ndata: \n\nretry: 7\n\nretry: x\nretry:\nretry: -1\nretry: 99999999999999999999\n\nid: no\0t\nid\nevent: endpoint\ndata: /x\n\nid: lost\n";
        let event = |id: Option<&str>, retry, name: &str, data: &str| {
            Ok(Event {
                name: name.into(),
                id: id.map(Into::into),
                retry,
                data: data.into(),
            })
        };
        let expected = [
            event(Some("a:1"), Some(500), "", ""),
            event(None, Some(7), "", ""),
            event(Some(""), None, "endpoint", "/x"),
        ];
        for chunk in 1..=stream.len() {
            assert_eq!(all(stream, chunk), expected, "by {chunk}");
        }
    }

    #[test]
    fn what_follows_an_event_beyond_the_limit_is_read() {
        let filler = "x".repeat(200);
        let lines = "data: \"xxxxxxxxxxxxxxxxxxxx\",\n".repeat(10);
        for (long, id) in [
            (
                format!("data: {{\"id\":7,\"result\":\"{filler}\"}}\n\n"),
                Some(7),
            ),
            (
                format!("data: {{\"result\":\"{filler}\",\"id\":7}}\r\n\r\n"),
                Some(7),
            ),
            (
                format!("data: {{\"result\":[\n{lines}data: 1],\ndata: \"id\":7}}\n\n"),
                Some(7),
            ),
            (format!(":{{\"id\":7,\"{filler}\"\n\n"), None),
            (
                format!("data: [{{\"id\":7}},\"{filler}\"]\ndata: x\nid: 1\n\n"),
                None,
            ),
        ] {
            let stream = format!("{long}data: next\n\n");
            for chunk in 1..=stream.len() {
                let next = Event {
                    data: b"next".to_vec(),
                    ..Event::default()
                };
                assert_eq!(
                    all(&stream, chunk),
                    [Err(TooLong { id }), Ok(next)],
                    "{long} by {chunk}"
                );
            }
        }
    }
}
