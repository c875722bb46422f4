//! A listener in front of the endpoint.
//!
//! Motivation: what may take long is bounded for each connection by itself, so that slow and silent
//! clients cost a socket and little memory, and stop nobody else.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as Task, Poll},
    time::Duration,
};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::{TcpListener, TcpStream, ToSocketAddrs},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    body::HttpBody,
    service::{HttpFuture, StreamableHttp},
};
use crate::server::Server;

/// The largest block of headers.
const HEAD: usize = 64 * 1024;

/// How often a connection of HTTP/2 is asked whether there is still somebody.
const PING: Duration = Duration::from_secs(20);

/// How long nothing is accepted where the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

impl Server {
    /// Serves Streamable HTTP at `/mcp` of this address, until the server's
    /// [`Shutdown`](crate::Shutdown) begins or the future is dropped.
    ///
    /// On a loopback address the hosts are loopback names; on any other say with
    /// [`http`](Self::http) and [`allowed_hosts`](StreamableHttp::allowed_hosts) which are served.
    ///
    /// # Errors
    ///
    /// Where the address cannot be listened on.
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> io::Result<()> {
        self.http().serve(address).await
    }
}

impl StreamableHttp {
    /// Serves the endpoint at this address, over HTTP/1.1 and HTTP/2, until the server's
    /// [`Shutdown`](crate::Shutdown) begins or the future is dropped.
    ///
    /// # Errors
    ///
    /// Where the address cannot be listened on.
    pub async fn serve(self, address: impl ToSocketAddrs) -> io::Result<()> {
        let listener = TcpListener::bind(address).await?;
        self.serve_until(listener, std::future::pending()).await
    }

    /// Serves the endpoint on a listener until `shutdown` ends, and then begins the server's
    /// [`Shutdown`](crate::Shutdown), in case it has not begun: nothing is accepted any more,
    /// subscriptions end with their result, and calls may finish.
    ///
    /// Calls that have claimed something are waited for within
    /// [`claimed_grace`](crate::Builder::claimed_grace), without their clients.
    ///
    /// # Errors
    ///
    /// Where the listener's own address cannot be told.
    pub async fn serve_until(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let address = listener.local_addr()?;
        let loopback = address.ip().is_loopback();
        let http = self.with(|endpoint| {
            endpoint.is_alone = true;
            endpoint.guard.listens_on_loopback(loopback);
        });
        let hosts = http.0.guard.hosts();
        tracing::info!(%address, path = http.0.shown_path(), hosts, "serving Streamable HTTP");
        if hosts == "none" {
            tracing::warn!(
                %address,
                "every request will be refused: this is no loopback address, and no hosts are \
                 allowed; name them with `allowed_hosts`"
            );
        }
        let begun = http.0.server.shutdown();
        let mut begun = pin!(begun.begun());
        let mut shutdown = pin!(shutdown);
        let end = poll_fn(|cx| match shutdown.as_mut().poll(cx) {
            Poll::Pending => begun.as_mut().poll(cx),
            ended => ended,
        });
        // Not generic from here on, so that it is compiled once.
        Connections::new(http).run(listener, pin!(end)).await;
        Ok(())
    }
}

/// The open connections of a listener.
struct Connections {
    http: StreamableHttp,
    builder: Arc<Builder<TokioExecutor>>,
    tasks: JoinSet<()>,
}

impl Connections {
    fn new(http: StreamableHttp) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(http.0.read_timeout)
            .max_buf_size(HEAD);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING);
        Self {
            http,
            builder: Arc::new(builder),
            tasks: JoinSet::new(),
        }
    }

    async fn run(
        mut self,
        listener: TcpListener,
        mut shutdown: Pin<&mut (dyn Future<Output = ()> + Send)>,
    ) {
        while let Some(accepted) = self.next(&listener, shutdown.as_mut()).await {
            match accepted {
                Ok(stream) => self.open(stream),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted for now");
                    if timeout(PAUSE, shutdown.as_mut()).await.is_ok() {
                        break;
                    }
                }
            }
        }
        drop(listener);
        self.close().await;
    }

    /// The next connection; none once the server is to end.
    async fn next(
        &mut self,
        listener: &TcpListener,
        mut shutdown: Pin<&mut (dyn Future<Output = ()> + Send)>,
    ) -> Option<io::Result<TcpStream>> {
        poll_fn(|cx| {
            if shutdown.as_mut().poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            while let Poll::Ready(Some(_)) = self.tasks.poll_join_next(cx) {}
            listener
                .poll_accept(cx)
                .map(|accepted| Some(accepted.map(|(stream, _)| stream)))
        })
        .await
    }

    fn open(&mut self, stream: TcpStream) {
        // The last small piece of a stream would wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        self.tasks.spawn(connection(
            stream,
            self.http.clone(),
            Arc::clone(&self.builder),
        ));
    }

    /// Lets calls finish, each kind within its grace period.
    async fn close(mut self) {
        let options = self.http.0.server.options().clone();
        self.http.0.server.shutdown().begin();
        let drained = async { while self.tasks.join_next().await.is_some() {} };
        let _ = timeout(options.drain_grace, drained).await;
        // What is left is dropped, but for calls that have claimed something.
        self.tasks.shutdown().await;
        self.http.0.earlier.end();
        let left = &self.http.0.calls;
        if timeout(options.claimed_grace, left.ended()).await.is_err() {
            tracing::warn!(
                calls = left.working(),
                "calls were still under way after the grace period"
            );
        }
    }
}

/// Whether only one client has gone before its connection was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}

/// Serves one connection until its client closes it.
async fn connection(stream: TcpStream, http: StreamableHttp, builder: Arc<Builder<TokioExecutor>>) {
    let shutdown = http.0.server.shutdown();
    let begun = Arc::new(AtomicBool::new(false));
    // From its first byte on, HTTP has limits of its own.
    let mut silence = pin!(sleep(http.0.read_timeout));
    let mut waits = true;
    let requests = Requests {
        http,
        begun: Arc::clone(&begun),
    };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), requests));
    let mut closed = pin!(shutdown.begun());
    let mut is_closing = false;
    poll_fn(|cx: &mut Task<'_>| {
        if !is_closing && closed.as_mut().poll(cx).is_ready() {
            is_closing = true;
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(served) = connection.as_mut().poll(cx) {
            if let Err(error) = served {
                tracing::debug!(error, "a connection ended early");
            }
            return Poll::Ready(());
        }
        if waits {
            waits = !begun.load(Ordering::Relaxed);
        }
        if waits && silence.as_mut().poll(cx).is_ready() {
            tracing::debug!("a connection without a request was closed");
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// The requests of one connection.
struct Requests {
    http: StreamableHttp,
    /// Whether there was one.
    begun: Arc<AtomicBool>,
}

impl hyper::service::Service<Request<Incoming>> for Requests {
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = HttpFuture;

    fn call(&self, request: Request<Incoming>) -> HttpFuture {
        self.begun.store(true, Ordering::Relaxed);
        self.http.respond(request)
    }
}
