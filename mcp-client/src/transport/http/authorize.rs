//! Where credentials come from.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

use crate::error::HandlerError;

/// How often one request is sent again after a challenge, whatever the layer says.
pub(super) const MAX_CHALLENGES: u32 = 3;

/// Puts credentials on requests and gets others when the server asks for them.
///
/// It is asked for every request, so a token that is refreshed in the background is used at once. A
/// token that never changes needs none of this: [`header`](super::HttpTransport::header) sets it.
///
/// A client is one caller's: what the server calls private is kept for it whatever the credentials are. For
/// another user connect another client, or [clear](crate::Client::clear_cache) what is kept.
///
/// ```no_run
/// use mcp_client::HandlerError;
/// use mcp_client::transport::http::{Authorize, Challenge, HeaderMap, Verdict};
///
/// struct Keyring;
///
/// impl Authorize for Keyring {
///     async fn authorize(&self, _url: &str, headers: &mut HeaderMap) -> Result<(), HandlerError> {
///         let token = std::env::var("SHOP_TOKEN")?;
///         headers.insert("authorization", format!("Bearer {token}").parse()?);
///         Ok(())
///     }
///
///     async fn challenged(&self, _challenge: Challenge<'_>) -> Verdict {
///         Verdict::GiveUp
///     }
/// }
/// ```
pub trait Authorize: Send + Sync + 'static {
    /// Adds to the headers of a request that is about to go to `url`.
    ///
    /// # Errors
    ///
    /// Why there are no credentials; the request then fails with it, unsent.
    fn authorize(
        &self,
        url: &str,
        headers: &mut HeaderMap,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send;

    /// The server refused a request. With [`Verdict::Retry`] it is sent again, up to three times,
    /// through [`authorize`](Self::authorize); with [`Verdict::GiveUp`] it fails with
    /// [`Error::Unauthorized`](crate::Error::Unauthorized).
    ///
    /// Requests run side by side: several may be challenged for the same stale token.
    fn challenged(&self, challenge: Challenge<'_>) -> impl Future<Output = Verdict> + Send;
}

/// A refusal: the status 401 or 403 and what came with it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Challenge<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The headers of the answer.
    pub headers: &'a HeaderMap,
}

impl<'a> Challenge<'a> {
    pub(super) fn new(status: u16, headers: &'a HeaderMap) -> Self {
        Self { status, headers }
    }

    /// What the server wants, from `WWW-Authenticate`; several such headers are joined by commas.
    #[must_use]
    pub fn www_authenticate(&self) -> Option<String> {
        let values = self.headers.get_all(WWW_AUTHENTICATE).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }
}

/// What to do about a [`Challenge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Send the request again: there are other credentials now.
    Retry,
    /// Let it fail.
    GiveUp,
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`Authorize`] behind a pointer.
pub(super) trait AuthorizeDyn: Send + Sync {
    fn authorize<'a>(
        &'a self,
        url: &'a str,
        headers: &'a mut HeaderMap,
    ) -> BoxFuture<'a, Result<(), HandlerError>>;

    fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> BoxFuture<'a, Verdict>;
}

impl<A: Authorize> AuthorizeDyn for A {
    fn authorize<'a>(
        &'a self,
        url: &'a str,
        headers: &'a mut HeaderMap,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(Authorize::authorize(self, url, headers))
    }

    fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> BoxFuture<'a, Verdict> {
        Box::pin(Authorize::challenged(self, challenge))
    }
}

impl fmt::Debug for dyn AuthorizeDyn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorize")
    }
}
