//! [`HttpBody`]: a response's body, which is ready or waits for the call that writes it.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context as Task, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::{
    call::Call,
    events::{COMMENT, Events, write_event},
};
use crate::legacy::http::Body as EarlierBody;

/// The body of a response: one message with a known length, or a stream of events.
///
/// Dropping a stream takes back the call that it reports on, but for clients of earlier revisions, which may take it up
/// again.
///
/// Specification: basic/transports/streamable-http, Receiving Messages.
pub struct HttpBody(Inner);

enum Inner {
    /// Not yet taken.
    Whole(Option<Bytes>),
    Stream(Box<Stream>),
    /// A stream of an earlier revision.
    Earlier(Box<EarlierBody>),
}

/// The events of a call that waits, and then its answer.
struct Stream {
    call: Call,
    events: Arc<Events>,
    /// When to write a comment.
    keep_alive: Interval,
    begun: bool,
    ended: bool,
}

impl HttpBody {
    fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Inner::Whole(Some(bytes.into())))
    }

    /// A response without a body.
    pub(crate) fn empty(status: StatusCode) -> Response<Self> {
        let mut response = Response::new(Self(Inner::Whole(None)));
        *response.status_mut() = status;
        response
    }

    /// One message.
    pub(crate) fn json(status: StatusCode, message: Vec<u8>) -> Response<Self> {
        let mut response = Response::new(Self::whole(message));
        *response.status_mut() = status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }

    /// All events of a call that has ended.
    pub(crate) fn events(mut events: Vec<u8>, message: &[u8]) -> Response<Self> {
        write_event(&mut events, message);
        stream_response(Self::whole(events))
    }

    /// The events of a call that waits.
    pub(super) fn stream(mut call: Call, events: Arc<Events>, every: Duration) -> Response<Self> {
        call.go_on_alone();
        let mut keep_alive = tokio::time::interval_at(Instant::now() + every, every);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        stream_response(Self(Inner::Stream(Box::new(Stream {
            call,
            events,
            keep_alive,
            begun: false,
            ended: false,
        }))))
    }

    /// A stream of an earlier revision.
    pub(crate) fn earlier(body: EarlierBody) -> Response<Self> {
        stream_response(Self(Inner::Earlier(Box::new(body))))
    }
}

fn stream_response(body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.reserve(4);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    // `no-transform` keeps proxies from compressing, for which they would hold events back.
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

impl Stream {
    fn poll(&mut self, cx: &mut Task<'_>) -> Poll<Option<Bytes>> {
        if self.ended {
            return Poll::Ready(None);
        }
        self.events.wake_up(cx.waker());
        let answer = self.call.poll(cx);
        let mut text = self.events.take();
        if let Poll::Ready(answer) = answer {
            self.ended = true;
            if let Some(answer) = answer {
                write_event(&mut text, &answer.message);
            }
        }
        let begun = std::mem::replace(&mut self.begun, true);
        if !text.is_empty() {
            return Poll::Ready(Some(text.into()));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        // Some proxies hold even the headers back until there is a byte of the body.
        if !begun || self.keep_alive.poll_tick(cx).is_ready() {
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        Poll::Pending
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = match &mut self.get_mut().0 {
            Inner::Whole(bytes) => Poll::Ready(bytes.take()),
            Inner::Stream(stream) => stream.poll(cx),
            Inner::Earlier(stream) => stream.poll(cx),
        };
        polled.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Inner::Whole(bytes) => bytes.is_none(),
            Inner::Stream(stream) => stream.ended,
            Inner::Earlier(stream) => stream.has_ended(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Inner::Stream(_) | Inner::Earlier(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Inner::Whole(_) => "whole",
            Inner::Stream(_) | Inner::Earlier(_) => "stream",
        };
        f.debug_tuple("HttpBody").field(&kind).finish()
    }
}
