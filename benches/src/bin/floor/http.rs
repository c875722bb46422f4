//! The floor over HTTP: one handler on axum, or the same on bare hyper, at `/mcp` of 127.0.0.1 and the port in `PORT`.
//!
//! It checks the headers that the protocol asks to be checked: host and origin, media types, and those that mirror the
//! message. Answers are JSON.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::post;
use axum::serve::ListenerExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::answer::{Floor, Refusal};
use crate::request;

/// The largest message.
const LIMIT: usize = 4 << 20;

static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Serves on as many threads as there are cores, or on one with `RT=current`.
pub(crate) fn serve(kind: Option<&str>) -> io::Result<()> {
    let port = std::env::var("PORT").ok();
    let port = port.and_then(|port| port.parse().ok()).unwrap_or(8000);
    let mut runtime = match std::env::var("RT").as_deref() {
        Ok("current") => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let floor = Arc::new(Floor::new());
    runtime.enable_all().build()?.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        match kind {
            Some("axum") => on_axum(listener, floor).await,
            Some("hyper") => on_hyper(listener, floor).await,
            _ => Err(io::Error::other("it is `--http axum` or `--http hyper`")),
        }
    })
}

async fn on_axum(listener: TcpListener, floor: Arc<Floor>) -> io::Result<()> {
    let handler = async |State(floor): State<Arc<Floor>>, headers: HeaderMap, body: Bytes| {
        answer(&floor, &headers, &body).map(axum::body::Body::from)
    };
    let router = Router::new()
        .route("/mcp", post(handler))
        .layer(DefaultBodyLimit::max(LIMIT))
        .with_state(floor);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn on_hyper(listener: TcpListener, floor: Arc<Floor>) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let floor = Arc::clone(&floor);
        let service = service_fn(move |request: Request<Incoming>| {
            let floor = Arc::clone(&floor);
            async move {
                let (parts, body) = request.into_parts();
                let response = if parts.method != Method::POST || parts.uri.path() != "/mcp" {
                    plain(StatusCode::NOT_FOUND)
                } else {
                    match Limited::new(body, LIMIT).collect().await {
                        Ok(body) => answer(&floor, &parts.headers, &body.to_bytes()),
                        Err(_) => plain(StatusCode::PAYLOAD_TOO_LARGE),
                    }
                };
                Ok::<_, Infallible>(response.map(|bytes| Full::new(Bytes::from(bytes))))
            }
        });
        tokio::spawn(
            hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service),
        );
    }
}

fn answer(floor: &Floor, headers: &HeaderMap, body: &[u8]) -> Response<Vec<u8>> {
    if let Err(status) = acceptable(headers) {
        return plain(status);
    }
    let mut out = Vec::with_capacity(512);
    let answered = floor.answer(body, &mut out, |request| mirrored(headers, request));
    let mut response = Response::new(out);
    *response.status_mut() = match answered {
        Ok(()) if response.body().is_empty() => StatusCode::ACCEPTED,
        Ok(()) => StatusCode::OK,
        Err(-32601) => StatusCode::NOT_FOUND,
        Err(_) => StatusCode::BAD_REQUEST,
    };
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn plain(status: StatusCode) -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    *response.status_mut() = status;
    response
}

/// What is looked at before the message.
fn acceptable(headers: &HeaderMap) -> Result<(), StatusCode> {
    let host = text(headers, &header::HOST).ok_or(StatusCode::FORBIDDEN)?;
    let origin = text(headers, &header::ORIGIN);
    if !is_loopback(host)
        || origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_loopback))
    {
        return Err(StatusCode::FORBIDDEN);
    }
    if text(headers, &header::CONTENT_TYPE) != Some("application/json") {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let accept = text(headers, &header::ACCEPT).unwrap_or_default();
    if accept.contains("application/json") && accept.contains("text/event-stream") {
        Ok(())
    } else {
        Err(StatusCode::NOT_ACCEPTABLE)
    }
}

fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

/// Compares the headers that mirror the message.
fn mirrored(headers: &HeaderMap, request: &request::Request<'_>) -> Result<(), Refusal> {
    let differs = |name, value: Option<&str>| text(headers, name) != value;
    if differs(&VERSION, Some(&*request.params.meta.version))
        || differs(&METHOD, Some(&*request.method))
        || request.method == "tools/call" && differs(&NAME, request.params.name.as_deref())
    {
        return Err((-32020, "a header differs from the message"));
    }
    Ok(())
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
