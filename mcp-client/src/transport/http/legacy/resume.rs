//! Taking a stream up again where it broke off.
//!
//! Specification: revision 2025-11-25, basic/transports, Resumability and Redelivery.

use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, Response};
use tokio::time::{Instant, sleep};

use super::Connection;
use super::session::{Accepts, Session};
use crate::transport::Failure;
use crate::transport::http::endpoint::{End, failed, is_stream};
use crate::transport::http::sse::Event;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How long to wait where the server does not say.
const RETRY: Duration = Duration::from_secs(1);

/// A server that says "at once" means soon.
const SHORTEST: Duration = Duration::from_millis(50);

/// How far attempts that bring nothing move apart.
const LONGEST: Duration = Duration::from_secs(60);

/// How many attempts that bring nothing follow each other before a request is given up.
pub(super) const MAX_FRUITLESS: u32 = 5;

/// A stream that lasted this long was worth the attempt, even if nothing came on it: what stands between
/// closes connections that are quiet.
const STEADY: Duration = Duration::from_secs(10);

/// A stream that ended sooner ended at once.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Longer than any id that makes sense.
const MAX_ID: usize = 4096;

/// Where in its stream a reader is, over several connections.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    last: Option<HeaderValue>,
    retry: Option<Duration>,
    fruitless: u32,
    /// How many streams in a row ended as soon as they were open, and had nothing to say.
    empty: u32,
    opened: Option<Instant>,
}

/// What a refused request may expect of another attempt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// A moment later it may.
    ForNow,
    /// The server does not know the session.
    NoSession,
    /// It will not.
    ForGood,
}

impl Cursor {
    /// Whether the server has said how it calls the reader's position.
    pub(super) fn has_position(&self) -> bool {
        self.last.is_some()
    }

    /// Begins at whatever comes next.
    pub(super) fn forget_position(&mut self) {
        self.last = None;
    }

    /// How many attempts brought nothing since something came.
    pub(super) fn fruitless(&self) -> u32 {
        self.fruitless
    }

    /// An event came.
    pub(super) fn pass(&mut self, event: &Event) {
        self.fruitless = 0;
        if let Some(retry) = event.retry {
            self.retry = Some(Duration::from_millis(retry));
        }
        if let Some(id) = &event.id {
            let usable = !id.is_empty() && id.len() <= MAX_ID;
            self.last = usable.then(|| HeaderValue::from_bytes(id).ok()).flatten();
        }
    }

    /// The stream has ended.
    pub(super) fn ended(&mut self) {
        if self.lasted() >= STEADY {
            self.fruitless = 0;
        }
        self.opened = None;
    }

    /// The stream has ended, and whoever listens has all the time in the world: one that ends at once again and
    /// again, and had no message, is opened ever more seldom, whatever pause the server asks for.
    pub(super) fn ended_for_listener(&mut self, had_message: bool) {
        self.empty = match self.lasted() < AT_ONCE && !had_message {
            true => self.empty.saturating_add(1),
            false => 0,
        };
        self.ended();
    }

    fn lasted(&self) -> Duration {
        let opened = self.opened.map(|opened| opened.elapsed());
        opened.unwrap_or_default()
    }

    /// Waits until the stream may be opened again.
    pub(super) async fn pause(&mut self) {
        sleep(self.delay()).await;
        self.fruitless += 1;
    }

    fn delay(&self) -> Duration {
        let retry = self.retry.unwrap_or(RETRY).max(SHORTEST);
        let in_vain = self.fruitless.max(self.empty.saturating_sub(1));
        let apart = retry.saturating_mul(2_u32.saturating_pow(in_vain.min(16)));
        apart.min(LONGEST.max(retry))
    }
}

impl Connection {
    /// Opens the stream at the cursor.
    pub(super) async fn get(
        &self,
        session: &Session,
        cursor: &mut Cursor,
    ) -> Result<Response, (Refused, End)> {
        let own = &self.endpoint.headers;
        let mut headers = session.headers(own, session.version, Accepts::Stream);
        if let Some(last) = &cursor.last {
            headers.insert(LAST_EVENT_ID, last.clone());
        }
        let url = &self.endpoint.url;
        let sent = self.send_in(session, Method::GET, url, headers, String::new());
        let end = match sent.await {
            Ok(response) if response.status().is_success() && is_stream(&response) => {
                cursor.opened = Some(Instant::now());
                return Ok(response);
            }
            Ok(response) => {
                let status = response.status();
                failed(status, format!("the server answered {status}"))
            }
            Err(end) => end,
        };
        Err((refused(&end, session.id.is_some()), end))
    }
}

/// What a refusal says of another attempt.
pub(super) fn refused(end: &End, has_session: bool) -> Refused {
    let status = match end {
        End::Failed(Failure::Failed { status, .. }) => status,
        End::Failed(Failure::SessionEnded { .. }) => return Refused::NoSession,
        _ => return Refused::ForGood,
    };
    match status {
        // It could not be reached.
        None => Refused::ForNow,
        Some(404) if has_session => Refused::NoSession,
        // Timeouts; a stream that the server does not know to be broken; limits; a server that starts.
        Some(408 | 409 | 425 | 429 | 500 | 502..=599) => Refused::ForNow,
        Some(_) => Refused::ForGood,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::transport::http::endpoint::unsent;
    use crate::transport::http::legacy::lost::session_ended;

    fn event(id: Option<&str>, retry: Option<u64>) -> Event {
        Event {
            id: id.map(Into::into),
            retry,
            ..Event::default()
        }
    }

    #[test]
    fn the_position_is_the_last_one_that_the_server_named() {
        let mut cursor = Cursor::default();
        assert!(!cursor.has_position());
        cursor.pass(&event(Some("s1:4"), None));
        cursor.pass(&event(None, Some(7)));
        assert_eq!(cursor.last.as_ref().unwrap(), "s1:4");
        cursor.pass(&event(Some("é"), None));
        assert_eq!(cursor.last.as_ref().unwrap().as_bytes(), "é".as_bytes());
        // Neither an empty one nor one that cannot stand in a header can be asked for.
        for unusable in ["", "a\u{1}b", &"x".repeat(MAX_ID + 1)] {
            cursor.pass(&event(Some("s1:5"), None));
            cursor.pass(&event(Some(unusable), None));
            assert!(!cursor.has_position(), "{unusable:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_that_bring_nothing_move_apart() {
        let mut cursor = Cursor::default();
        assert_eq!(cursor.delay(), Duration::from_secs(1));
        cursor.pass(&event(None, Some(500)));
        let mut waited = Vec::new();
        for _ in 0..9 {
            let before = Instant::now();
            cursor.pause().await;
            waited.push(before.elapsed().as_millis());
        }
        let expected = [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000];
        assert_eq!(waited, expected);
        // What comes makes up for them, and so does a stream that lasted.
        cursor.pass(&event(Some("1"), None));
        assert_eq!(cursor.delay(), Duration::from_millis(500));
        cursor.pause().await;
        cursor.opened = Some(Instant::now());
        sleep(STEADY).await;
        cursor.ended();
        assert_eq!(cursor.fruitless(), 0);
        // The server's own wish is the least.
        cursor.pass(&event(None, Some(120_000)));
        assert_eq!(cursor.delay(), Duration::from_secs(120));
        cursor.pass(&event(None, Some(0)));
        assert_eq!(cursor.delay(), SHORTEST);
    }

    #[tokio::test(start_paused = true)]
    async fn a_listener_opens_streams_that_end_at_once_ever_more_seldom() {
        let mut cursor = Cursor::default();
        let mut stream = async |lasts: u64, had_message: bool| {
            cursor.opened = Some(Instant::now());
            // It has a position and asks to be opened at once, so that it does not count as fruitless.
            cursor.pass(&event(Some("1"), Some(0)));
            sleep(Duration::from_millis(lasts)).await;
            cursor.ended_for_listener(had_message);
            let before = Instant::now();
            cursor.pause().await;
            before.elapsed().as_millis()
        };
        let mut waited = Vec::new();
        for _ in 0..13 {
            waited.push(stream(10, false).await);
        }
        let expected = [
            50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000,
        ];
        assert_eq!(waited, expected);
        // A message makes up for it, and so does a stream that lasted a while.
        assert_eq!(stream(10, true).await, 50);
        assert_eq!(stream(10, false).await, 50);
        assert_eq!(stream(10, false).await, 100);
        assert_eq!(stream(1_000, false).await, 50);
        assert_eq!(stream(10, false).await, 50);
    }

    #[test]
    fn some_refusals_are_for_good() {
        let status = |status: u16| failed(status.try_into().unwrap(), String::new());
        for has_session in [false, true] {
            assert_eq!(
                refused(&unsent(String::new()), has_session),
                Refused::ForNow
            );
            for code in [200, 204, 400, 405, 406, 501] {
                assert_eq!(
                    refused(&status(code), has_session),
                    Refused::ForGood,
                    "{code}"
                );
            }
            for code in [408, 409, 429, 500, 502, 503, 504, 520] {
                assert_eq!(
                    refused(&status(code), has_session),
                    Refused::ForNow,
                    "{code}"
                );
            }
        }
        assert_eq!(refused(&status(404), false), Refused::ForGood);
        assert_eq!(refused(&status(404), true), Refused::NoSession);
        let ended = session_ended(String::new());
        assert_eq!(refused(&ended, true), Refused::NoSession);
    }
}
