//! What a resource function may return.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_core::{
    protocol::{BlobResourceContents, ReadResourceResult, ResourceContents, TextResourceContents},
    rpc::to_line,
};
use serde::Serialize;

use crate::{
    error::{IntoToolError, ToolError},
    function::Reply,
    outcome::{CallResult, Interrupt, Outcome, Reason},
    tool::Json,
};

/// What a resource function may return.
///
/// Text; bytes, which are sent as Base64; [`Json`]; `ResourceContents`, one or several; a
/// `ReadResourceResult` made by hand; an `Option` of these, where `None` means that there is no such
/// resource; a `Result` of these; an [`Outcome`] for resources that ask by hand.
///
/// Contents without a URI get that of the request; those without a MIME type that of the attribute.
///
/// Specification: server/resources, Resource Contents.
#[diagnostic::on_unimplemented(
    message = "a resource cannot return `{Self}`",
    label = "not a resource's contents",
    note = "return text, `Vec<u8>`, `Json(..)`, `ResourceContents`, an `Option` of one of these, or a `Result`"
)]
pub trait IntoResourceResult: Sized {
    /// Whether the resource may ask by hand.
    #[doc(hidden)]
    const BY_HAND: bool = false;

    /// Makes the result.
    ///
    /// # Errors
    ///
    /// The resource's own.
    fn into_resource_result(self) -> CallResult;
}

fn contents(contents: impl Into<ResourceContents>) -> CallResult {
    vec![contents.into()].into_resource_result()
}

impl IntoResourceResult for ReadResourceResult {
    fn into_resource_result(self) -> CallResult {
        Ok(Outcome::Complete(Reply::from(self)))
    }
}

macro_rules! text {
    ($($type:ty)*) => {$(
        impl IntoResourceResult for $type {
            fn into_resource_result(self) -> CallResult {
                contents(TextResourceContents::new("", self))
            }
        }
    )*};
}
text!(String &'static str Cow<'static, str>);

impl IntoResourceResult for &[u8] {
    fn into_resource_result(self) -> CallResult {
        contents(BlobResourceContents::new("", STANDARD.encode(self)))
    }
}

impl<const N: usize> IntoResourceResult for &[u8; N] {
    fn into_resource_result(self) -> CallResult {
        self.as_slice().into_resource_result()
    }
}

impl IntoResourceResult for Vec<u8> {
    fn into_resource_result(self) -> CallResult {
        self.as_slice().into_resource_result()
    }
}

impl<T: Serialize> IntoResourceResult for Json<T> {
    fn into_resource_result(self) -> CallResult {
        let json = to_line(&self.0).map_err(ToolError::from)?;
        contents(TextResourceContents {
            mime_type: Some("application/json".to_owned()),
            ..TextResourceContents::new("", json)
        })
    }
}

macro_rules! one {
    ($($type:ty)*) => {$(
        impl IntoResourceResult for $type {
            fn into_resource_result(self) -> CallResult {
                contents(self)
            }
        }
    )*};
}
one!(ResourceContents TextResourceContents BlobResourceContents);

impl IntoResourceResult for Vec<ResourceContents> {
    fn into_resource_result(self) -> CallResult {
        ReadResourceResult {
            contents: self,
            ..ReadResourceResult::default()
        }
        .into_resource_result()
    }
}

impl<R: IntoResourceResult> IntoResourceResult for Option<R> {
    const BY_HAND: bool = R::BY_HAND;

    fn into_resource_result(self) -> CallResult {
        match self {
            Some(result) => result.into_resource_result(),
            None => Err(Interrupt(Reason::NotFound)),
        }
    }
}

impl<R: IntoResourceResult, E: IntoToolError> IntoResourceResult for Result<R, E> {
    const BY_HAND: bool = R::BY_HAND;

    fn into_resource_result(self) -> CallResult {
        self.map_err(IntoToolError::into_tool_error)?
            .into_resource_result()
    }
}

impl<R: IntoResourceResult> IntoResourceResult for Outcome<R> {
    const BY_HAND: bool = true;

    fn into_resource_result(self) -> CallResult {
        match self {
            Self::Complete(result) => result.into_resource_result(),
            Self::InputRequired(input) => Ok(Outcome::InputRequired(input)),
        }
    }
}
