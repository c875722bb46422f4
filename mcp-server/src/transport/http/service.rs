//! [`StreamableHttp`]: the endpoint, as a service that any HTTP server of this ecosystem can call.

use std::{
    convert::Infallible,
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context as Task, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, request::Parts};
use http_body::Body;
use mcp_core::rpc::code;
use tokio::time::sleep;
use tower_service::Service;

use super::{
    body::HttpBody,
    call::{Call, Calls},
    cors::{self, Cors},
    events::Events,
    guard::Guard,
    headers::Headers,
    negotiate::{Forms, negotiate},
    principal::{Identity, Principals},
    read::read,
    refusal::Refusal,
};
use crate::{
    dispatch::Accepted,
    legacy::http::Earlier,
    peer::Peer,
    running::{Answer, Answered},
    server::Server,
};

/// The longest time that an operator may set: a year, which is for ever and can still be added to the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A server's endpoint for Streamable HTTP.
///
/// It is a [`tower_service::Service`] for requests with any body, cheap to clone, so it goes into
/// any axum or hyper application; or [`serve`](Self::serve) it as it is. It needs a run time of tokio
/// with timers.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Says hello.
/// #[tool]
/// async fn hello() -> &'static str {
///     "hello"
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = Server::builder("demo", "1.0.0").tools(tools![hello]).build()?;
///
/// // In an application of its own, which says where the endpoint is and who may call.
/// let app: axum::Router = axum::Router::new()
///     .nest_service("/mcp", server.http().allowed_hosts(["mcp.example.com"]));
/// # let _ = app;
///
/// // Or by itself, at `/mcp`.
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let serving = tokio::spawn(server.http().serve_until(listener, async move {
///     let _ = stopped.await;
/// }));
/// # drop(stop);
/// # serving.await??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Who may call
///
/// Before a request's body is read, its `Host` and `Origin` are compared with what is allowed, so
/// that no page can reach the server by a name of its own. Without a list, loopback names are served
/// with any port, and loopback pages may call. Behind a proxy or under a public name, name the hosts
/// with [`allowed_hosts`](Self::allowed_hosts).
///
/// Specification: basic/transports/streamable-http.
#[derive(Clone)]
pub struct StreamableHttp(pub(crate) Arc<Endpoint>);

#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(super) guard: Guard,
    cors: Cors,
    pub(crate) principals: Principals,
    pub(crate) always_stream: bool,
    pub(crate) keep_alive: Duration,
    pub(super) read_timeout: Duration,
    /// Where it is served, without a slash at the end.
    pub(super) path: Box<str>,
    /// Whether requests for other paths come here, too.
    pub(crate) is_alone: bool,
    pub(crate) calls: Arc<Calls>,
    pub(crate) earlier: Earlier,
}

impl Server {
    /// The server as an endpoint for Streamable HTTP.
    pub fn http(&self) -> StreamableHttp {
        StreamableHttp(Arc::new(Endpoint {
            cors: Cors::new(self),
            server: self.clone(),
            guard: Guard::default(),
            principals: Principals::anonymous(),
            always_stream: false,
            keep_alive: Duration::from_secs(15),
            read_timeout: Duration::from_secs(75),
            path: "/mcp".into(),
            is_alone: false,
            calls: Arc::default(),
            earlier: Earlier::default(),
        }))
    }
}

impl StreamableHttp {
    /// Serves these hosts: names such as `mcp.example.com` with any port, or with the one that is
    /// given. `*` is any host.
    ///
    /// Where nothing is listed, loopback names are served, such as `localhost` and `127.0.0.1`, with
    /// any port. Loopback names are served in any case by a [`serve`](Self::serve) that listens on a
    /// loopback address.
    #[must_use]
    pub fn allowed_hosts<H: AsRef<str>>(self, hosts: impl IntoIterator<Item = H>) -> Self {
        self.with(|endpoint| {
            for host in hosts {
                endpoint.guard.allow_host(host.as_ref());
            }
        })
    }

    /// Lets pages of these origins call, such as `https://app.example.com`. `*` is any origin but
    /// `null`.
    ///
    /// Where loopback names are served, pages of loopback origins may call in any case. Requests
    /// without an origin do not come from a page of another site, and are not concerned.
    #[must_use]
    pub fn allowed_origins<O: AsRef<str>>(self, origins: impl IntoIterator<Item = O>) -> Self {
        self.with(|endpoint| {
            for origin in origins {
                endpoint.guard.allow_origin(origin.as_ref());
            }
        })
    }

    /// Takes each call's principal from a request extension of this type, which a layer in front of
    /// this service sets. Requests without one are anonymous; whether there may be any is for the
    /// layer to say.
    #[must_use]
    pub fn principal_from<T: Identity>(self) -> Self {
        self.with(|endpoint| endpoint.principals = Principals::from_extension::<T>())
    }

    /// Answers each request with a stream of events, where the client takes one. Otherwise an answer
    /// is one JSON message, unless the call sends something before it or takes long.
    #[must_use]
    pub fn always_stream(self, always: bool) -> Self {
        self.with(|endpoint| endpoint.always_stream = always)
    }

    /// How long a response may be silent. Then it becomes a stream, if it is none yet and the client
    /// takes one, and gets a comment. 15 s by default, which is less than what proxies wait.
    #[must_use]
    pub fn keep_alive(self, interval: Duration) -> Self {
        let interval = interval.clamp(Duration::from_millis(1), LONGEST);
        self.with(|endpoint| endpoint.keep_alive = interval)
    }

    /// How long a request's body may take to arrive. 75 s by default. Where this service is also what
    /// [serves](Self::serve), it holds for the headers as well, and a connection without a request is
    /// closed after it.
    #[must_use]
    pub fn read_timeout(self, time: Duration) -> Self {
        self.with(|endpoint| endpoint.read_timeout = time.min(LONGEST))
    }

    /// Where [`serve`](Self::serve) serves the endpoint, with or without a slash at the end. `/mcp`
    /// by default. An application that contains this service says so itself.
    #[must_use]
    pub fn path(self, path: &str) -> Self {
        let path = path.trim_matches('/');
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        self.with(|endpoint| endpoint.path = path.into())
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Endpoint)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    pub(super) fn respond<B>(&self, request: Request<B>) -> HttpFuture
    where
        B: Body + Send + 'static,
    {
        let endpoint = Arc::clone(&self.0);
        let (parts, body) = request.into_parts();
        HttpFuture(Box::pin(async move { endpoint.respond(parts, body).await }))
    }
}

impl<B> Service<Request<B>> for StreamableHttp
where
    B: Body + Send + 'static,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = HttpFuture;

    fn poll_ready(&mut self, _cx: &mut Task<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> HttpFuture {
        self.respond(request)
    }
}

impl fmt::Debug for StreamableHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamableHttp")
            .field("server", &self.0.server)
            .field("path", &self.0.path)
            .finish_non_exhaustive()
    }
}

/// A response on its way. Dropping it takes the request back.
pub struct HttpFuture(Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>);

impl Future for HttpFuture {
    type Output = Result<Response<HttpBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Task<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx).map(Ok)
    }
}

impl fmt::Debug for HttpFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFuture").finish_non_exhaustive()
    }
}

impl Endpoint {
    async fn respond<B: Body>(&self, parts: Parts, body: B) -> Response<HttpBody> {
        let origin = match self.guard.check(&parts.uri, &parts.headers) {
            Ok(origin) => origin,
            Err(refusal) => {
                let mut response = refusal.into_response();
                cors::vary(&mut response);
                return response;
            }
        };
        let mut response = if parts.method == Method::OPTIONS {
            self.cors.preflight(&origin)
        } else {
            match self.answer(parts, body).await {
                Ok(response) => response,
                Err(refusal) => refusal.into_response(),
            }
        };
        cors::mark(&mut response, origin);
        response
    }

    async fn answer<B: Body>(&self, parts: Parts, body: B) -> Result<Response<HttpBody>, Refusal> {
        self.check_path(parts.uri.path())?;
        if self.earlier.concerns(&parts.headers) {
            return Box::pin(self.answer_earlier(parts, body)).await;
        }
        let (forms, message) = self.receive(&parts, body).await?;
        self.answer_message(parts, forms, message).await
    }

    /// Reads the message of a POST.
    ///
    /// # Errors
    ///
    /// For another method, for forms of message or answer that there are not, and for a body past its limits.
    pub(crate) async fn receive<B: Body>(
        &self,
        parts: &Parts,
        body: B,
    ) -> Result<(Forms, Bytes), Refusal> {
        let forms = admit(parts)?;
        let limit = self.server.options().max_message_bytes;
        Ok((forms, read(body, limit, self.read_timeout).await?))
    }

    /// Responds to a message of today, or to one that is of no era.
    ///
    /// # Errors
    ///
    /// Where there is no message to respond with.
    pub(crate) async fn answer_message(
        &self,
        parts: Parts,
        forms: Forms,
        message: Bytes,
    ) -> Result<Response<HttpBody>, Refusal> {
        let events = Arc::new(Events::new(forms.events));
        let (accepted, message) = self.accept(parts, message, &events).await;
        // The acknowledgement of a subscription, be it empty.
        if events.has_lost() {
            return Err(Refusal::new(
                StatusCode::NOT_ACCEPTABLE,
                "a subscription is answered with `text/event-stream`, and the header `Accept` \
                 has it not",
            ));
        }
        let is = match accepted {
            Accepted::Answered(is) => is,
            Accepted::Running(running) => {
                let call = Call::new(running, &self.calls);
                return self.wait(call, events, forms).await;
            }
            // A cancellation is for requests of the same connection, and here each has its own.
            Accepted::Noted | Accepted::Cancel(_) => {
                return Ok(HttpBody::empty(StatusCode::ACCEPTED));
            }
            Accepted::Unasked => {
                return Err(Refusal::new(
                    StatusCode::BAD_REQUEST,
                    "no request of this server's waits for a response here",
                ));
            }
        };
        Ok(self.whole(Answer { message, is }, &events, forms))
    }

    fn check_path(&self, path: &str) -> Result<(), Refusal> {
        if self.is_alone && *path.strip_suffix('/').unwrap_or(path) != *self.path {
            return Err(Refusal::new(
                StatusCode::NOT_FOUND,
                format!(
                    "there is nothing here; the endpoint is `{}`",
                    self.shown_path()
                ),
            ));
        }
        Ok(())
    }

    pub(super) fn shown_path(&self) -> &str {
        if self.path.is_empty() {
            "/"
        } else {
            &self.path
        }
    }

    /// Hands the message to the server, which polls the call once.
    async fn accept(
        &self,
        parts: Parts,
        message: Bytes,
        events: &Arc<Events>,
    ) -> (Accepted, Vec<u8>) {
        let peer = Peer {
            principal: self.principals.of(&parts.extensions),
            outgoing: events.clone(),
            extensions: (!parts.extensions.is_empty()).then(|| Arc::new(parts.extensions)),
        };
        let headers = Headers(&parts.headers);
        let mut out = Vec::with_capacity(512);
        let accepted = poll_fn(|cx| {
            let accepted = self.server.accept(&message, &peer, &headers, cx, &mut out);
            Poll::Ready(accepted)
        });
        (accepted.await, out)
    }

    /// The response of a call that waits: its answer or, where something comes before that, a stream.
    async fn wait(
        &self,
        mut call: Call,
        events: Arc<Events>,
        forms: Forms,
    ) -> Result<Response<HttpBody>, Refusal> {
        if !forms.json || forms.events && self.always_stream {
            return Ok(HttpBody::stream(call, events, self.keep_alive));
        }
        let mut silence = pin!(forms.events.then(|| sleep(self.keep_alive)));
        let answered = poll_fn(|cx| {
            events.wake_up(cx.waker());
            if let Poll::Ready(answer) = call.poll(cx) {
                return Poll::Ready(Some(answer));
            }
            let silence = silence.as_mut().as_pin_mut();
            if !events.is_empty() || silence.is_some_and(|silence| silence.poll(cx).is_ready()) {
                return Poll::Ready(None);
            }
            Poll::Pending
        });
        match answered.await {
            None => Ok(HttpBody::stream(call, events, self.keep_alive)),
            Some(Some(answer)) => Ok(self.whole(answer, &events, forms)),
            Some(None) => Err(Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the call was given up; call again",
            )),
        }
    }

    /// The response of an answer that is there.
    fn whole(&self, answer: Answer, events: &Events, forms: Forms) -> Response<HttpBody> {
        let status = status(answer.is);
        if status == StatusCode::OK && forms.events {
            let sent = events.take();
            if !sent.is_empty() || self.always_stream || !forms.json {
                return HttpBody::events(sent, &answer.message);
            }
        }
        HttpBody::json(status, answer.message)
    }
}

/// What is looked at before the body.
fn admit(parts: &Parts) -> Result<Forms, Refusal> {
    if parts.method != Method::POST {
        return Err(Refusal::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "each message is a POST: this version has neither sessions nor streams apart from answers",
        ));
    }
    negotiate(&parts.headers)
}

/// The status of an answer that no stream has begun for.
///
/// Specification: basic/transports/streamable-http, Request Metadata. Where it says nothing, the
/// error is the message's affair alone: a proxy must not take a tool's failure for the server's.
fn status(answer: Answered) -> StatusCode {
    match answer {
        Answered::Error(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Answered::Error(
            code::PARSE_ERROR
            | code::INVALID_REQUEST
            | code::INVALID_PARAMS
            | code::HEADER_MISMATCH
            | code::MISSING_REQUIRED_CLIENT_CAPABILITY
            | code::UNSUPPORTED_PROTOCOL_VERSION,
        ) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
