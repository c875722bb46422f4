//! Streamable HTTP: every request is a POST of its own, answered with one message or with a stream of
//! events that ends with it.
//!
//! Specification: basic/transports/streamable-http.
//!
//! A request that fails takes nothing with it: there is no connection that could break. To take a
//! request back is to close its stream. Servers of older revisions have more than that: see `legacy`.

mod authorize;
mod endpoint;
mod headers;
#[cfg(feature = "legacy")]
mod legacy;
mod post;
mod redirect;
mod sse;
mod stream;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::Policy;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

pub use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

pub use self::authorize::{Authorize, Challenge, Verdict};

use self::authorize::AuthorizeDyn;
use self::endpoint::Endpoint;
#[cfg(feature = "legacy")]
use crate::transport::Era;
use crate::transport::{
    DEFAULT_MAX_MESSAGE, MessageReceiver, MessageSender, Outgoing, Purpose, Received, Transport,
};

/// Messages that wait for the reader, which only sorts them; then the streams wait.
const QUEUE: usize = 64;

/// Reaches a server over HTTP or HTTPS.
///
/// ```no_run
/// # async fn example() -> Result<(), mcp_client::Error> {
/// use mcp_client::{Client, HttpTransport};
///
/// let server = HttpTransport::new("https://shop.example/mcp").header("x-tenant", "acme");
/// let client = Client::builder("support-host", "1.0.0").connect(server).await?;
/// # drop(client);
/// # Ok(())
/// # }
/// ```
///
/// Servers of older revisions are reached by the same URL, with the session that they may have and, of those of
/// 2024-11-05, with the stream that brings all answers (HTTP+SSE). A stream that such a server breaks off is taken
/// up again where it allows that.
///
/// Redirects are followed within the origin (scheme, host and port) and only with status 307 or 308;
/// any other is an error that names the target. `HTTP_PROXY` and its like are honoured.
pub struct HttpTransport {
    url: String,
    headers: Vec<(String, String)>,
    client: Option<reqwest::Client>,
    connect_timeout: Duration,
    max_message: usize,
    authorize: Option<Arc<dyn AuthorizeDyn>>,
}

impl HttpTransport {
    /// The server's endpoint, taken as it is: no slash is added to its path or removed from it.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Vec::new(),
            client: None,
            connect_timeout: Duration::from_secs(10),
            max_message: DEFAULT_MAX_MESSAGE,
            authorize: None,
        }
    }

    /// Adds a header to every request, such as `Authorization` with a token that never changes. The
    /// protocol's own headers cannot be set: they come from the message.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Puts credentials on every request.
    #[must_use]
    pub fn authorize(mut self, layer: impl Authorize) -> Self {
        self.authorize = Some(Arc::new(layer));
        self
    }

    /// Sends through an HTTP client of your own: with proxies, certificates, or a pool that several
    /// transports share. **It must not follow redirects** ([`Policy::none`]), which would take credentials
    /// along; a request that it redirected is an error.
    #[must_use]
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.client = Some(client);
        self
    }

    /// How long a connection may take to be made, TLS included; 10 seconds unless set. A client of your
    /// own has its own.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The longest message taken from the server, as a body or as one event, in bytes; 16 MiB unless
    /// set. The call that a longer one belongs to fails with [`Error::TooLong`](crate::Error::TooLong).
    #[must_use]
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.max_message = bytes;
        self
    }

    fn endpoint(self) -> io::Result<Endpoint> {
        let url = parse(&self.url)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let invalid = || invalid(format!("the header {name:?} cannot be sent"));
            let header = HeaderName::try_from(name).map_err(|_| invalid())?;
            if headers::is_of_the_protocol(&header) {
                continue;
            }
            let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
            value.set_sensitive(true);
            headers.append(header, value);
        }
        let client = match self.client {
            Some(client) => client,
            None => client(&url, self.connect_timeout)?,
        };
        Ok(Endpoint {
            url,
            client,
            headers,
            max_message: self.max_message,
            authorize: self.authorize,
        })
    }
}

fn parse(url: &str) -> io::Result<Url> {
    const IN_FULL: &str = "write it in full, such as http://127.0.0.1:3000/mcp";
    let no_url = |e| invalid(format!("the server's URL is invalid: {e}; {IN_FULL}"));
    let mut parsed = Url::parse(url).map_err(no_url)?;
    // It is never sent.
    parsed.set_fragment(None);
    match parsed.scheme() {
        "http" | "https" => Ok(parsed),
        other => Err(invalid(format!(
            "the server's URL must begin with https or http, not with {other}; {IN_FULL}"
        ))),
    }
}

fn client(url: &Url, connect_timeout: Duration) -> io::Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .connect_timeout(connect_timeout)
        // Servers of common SDKs close connections that were idle for 5 seconds. A request on one that
        // is just being closed would fail, and could not be repeated: it may have been read.
        .pool_idle_timeout(Duration::from_secs(4))
        // A peer that is gone is noticed on a stream that is quiet for hours.
        .tcp_keepalive(Duration::from_secs(60))
        .user_agent(concat!("mcp-client/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // Redirects stay within the origin, so the system's certificates, which may be missing, are
        // of no use.
        builder = builder.tls_certs_only([]);
    }
    builder
        .build()
        .map_err(|e| invalid(format!("no HTTP client: {}", endpoint::chain(&e))))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

impl Transport for HttpTransport {
    type Sender = HttpSender;
    type Receiver = HttpReceiver;

    async fn open(self) -> io::Result<(HttpSender, HttpReceiver)> {
        let endpoint = Arc::new(self.endpoint()?);
        let (up, received) = mpsc::channel(QUEUE);
        let sender = HttpSender {
            #[cfg(feature = "legacy")]
            legacy: legacy::Connection::new(&endpoint, &up),
            endpoint,
            up,
            tasks: JoinSet::new(),
            in_flight: HashMap::new(),
        };
        Ok((sender, HttpReceiver { received }))
    }

    fn mirrors_metadata(&self) -> bool {
        true
    }

    fn remembered_as(&self) -> Option<String> {
        public(&self.url)
    }
}

/// A URL without what may be secret in it.
fn public(url: &str) -> Option<String> {
    let mut url = parse(url).ok()?;
    // A URL without a host has no place for them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    Some(url.into())
}

/// Without the values of headers, which are secrets, and without what stands in the URL beside the
/// host and path.
impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers = self.headers.iter().map(|(name, _)| name);
        f.debug_struct("HttpTransport")
            .field("url", &public(&self.url).unwrap_or_default())
            .field("headers", &headers.collect::<Vec<_>>())
            .field("connect_timeout", &self.connect_timeout)
            .field("max_message", &self.max_message)
            .finish_non_exhaustive()
    }
}

/// Starts a task for each message.
#[derive(Debug)]
pub struct HttpSender {
    endpoint: Arc<Endpoint>,
    up: mpsc::Sender<Received>,
    /// Those of requests end with the id.
    tasks: JoinSet<Option<u64>>,
    in_flight: HashMap<u64, AbortHandle>,
    #[cfg(feature = "legacy")]
    legacy: Arc<legacy::Connection>,
}

impl HttpSender {
    fn end_request(&mut self, id: u64) {
        if let Some(task) = self.in_flight.remove(&id) {
            task.abort();
        }
    }
}

impl MessageSender for HttpSender {
    async fn send(&mut self, message: Outgoing) -> io::Result<()> {
        while let Some(finished) = self.tasks.try_join_next() {
            if let Ok(Some(id)) = finished {
                self.in_flight.remove(&id);
            }
        }
        #[cfg(feature = "legacy")]
        if message.metadata.era != Era::Modern {
            self.send_in_session(message).await;
            return Ok(());
        }
        match message.purpose {
            Purpose::Request(id) => {
                let (endpoint, up) = (Arc::clone(&self.endpoint), self.up.clone());
                let task = self.tasks.spawn(async move {
                    endpoint.post(id, message, &up).await;
                    Some(id)
                });
                self.in_flight.insert(id, task);
            }
            // Specification: basic/patterns/cancellation. The closed stream says it all.
            Purpose::Cancel(id) => self.end_request(id),
            // Only in sessions.
            Purpose::Notification | Purpose::Response => {}
        }
        Ok(())
    }

    async fn close(mut self) {
        self.tasks.shutdown().await;
        #[cfg(feature = "legacy")]
        self.legacy.close().await;
    }
}

/// Collects what comes back for all requests.
#[derive(Debug)]
pub struct HttpReceiver {
    received: mpsc::Receiver<Received>,
}

impl MessageReceiver for HttpReceiver {
    async fn receive(&mut self) -> Received {
        let closed = || Received::Closed("this client closed it".to_owned());
        self.received.recv().await.unwrap_or_else(closed)
    }
}
