//! [`Args`]: all arguments as one struct.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// Takes all of a tool's arguments as one struct of the user's.
///
/// For arguments with defaults, flattening or other serde attributes that a parameter cannot carry.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Search {
///     /// What to look for.
///     text: String,
///     /// At most this many results.
///     #[serde(default = "ten")]
///     limit: u32,
/// }
///
/// fn ten() -> u32 {
///     10
/// }
///
/// /// Searches the notes.
/// #[tool(read_only)]
/// async fn search(args: Args<Search>) -> String {
///     format!("{} results for {}", args.limit, args.text)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Args<T>(pub T);

impl<T> Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What `Args` in a tool's signature must be.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `mcp_server::Args` of a struct that can be read",
    label = "expected `mcp_server::Args<T>` with `T: Deserialize + JsonSchema`"
)]
pub trait ArgsParam: Sized {
    type Struct: DeserializeOwned + JsonSchema;
    fn wrap(value: Self::Struct) -> Self;
}

impl<T: DeserializeOwned + JsonSchema> ArgsParam for Args<T> {
    type Struct = T;

    fn wrap(value: T) -> Self {
        Self(value)
    }
}
