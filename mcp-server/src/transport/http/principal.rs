//! Who calls, as a layer in front has found out.

use std::fmt;

use http::Extensions;

use crate::state::Principal;

/// Who calls: a request extension that an authentication layer sets, and this server trusts.
///
/// Name its type with [`StreamableHttp::principal_from`](super::StreamableHttp::principal_from), and each call's
/// principal is made of it.
///
/// ```
/// use mcp_server::Identity;
///
/// #[derive(Clone)]
/// struct User {
///     email: String,
/// }
///
/// impl Identity for User {
///     fn issuer(&self) -> &str {
///         "https://login.example"
///     }
///
///     fn subject(&self) -> &str {
///         &self.email
///     }
/// }
/// ```
pub trait Identity: Send + Sync + 'static {
    /// Who vouches for the subject: the token's `iss`.
    fn issuer(&self) -> &str;

    /// The user, as the issuer calls them: the token's `sub`. It must never be given to somebody else.
    fn subject(&self) -> &str;

    /// The client that acts for the user, where it is known: the token's `client_id` or `azp`.
    fn client(&self) -> Option<&str> {
        None
    }
}

/// Makes a principal of a request's extensions.
#[derive(Clone, Copy)]
pub(crate) struct Principals(fn(&Extensions) -> Principal);

impl Principals {
    pub(super) fn anonymous() -> Self {
        Self(|_| Principal::Anonymous)
    }

    pub(super) fn from_extension<T: Identity>() -> Self {
        Self(|extensions| match extensions.get::<T>() {
            None => Principal::Anonymous,
            Some(identity) => {
                Principal::caller(identity.issuer(), identity.subject(), identity.client())
            }
        })
    }

    pub(crate) fn of(self, extensions: &Extensions) -> Principal {
        (self.0)(extensions)
    }
}

impl fmt::Debug for Principals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principals").finish_non_exhaustive()
    }
}
