//! What a tool function may return, and the result it becomes.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_core::{
    protocol::{
        AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, ResourceLink,
        TextContent,
    },
    rpc::to_line,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ToolResult, result::Content};
use crate::{
    error::{IntoToolError, ToolError},
    outcome::{CallResult, Outcome},
    prompt::IntoPromptResult,
    resource::IntoResourceResult,
    spec::{SchemaFn, schema_of},
};

/// What a tool function may return.
///
/// Text, numbers, `bool`, nothing; [`Json`] for structured results; [`Image`], [`Audio`] and the
/// content blocks of the protocol, one or several; a `CallToolResult` made by hand; a `Result` of
/// these; an [`Outcome`] for tools that ask by hand.
///
/// Specification: server/tools, Tool Result.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool's result",
    note = "wrap a serialisable value in `Json(..)`, or return text, content blocks, `CallToolResult`, or a `Result` of one of these"
)]
pub trait IntoToolResult: Sized {
    /// Whether the tool may ask by hand.
    #[doc(hidden)]
    const BY_HAND: bool = false;

    /// The schema of the structured result, if there is one.
    #[doc(hidden)]
    const OUTPUT: Option<SchemaFn> = None;

    /// Makes the result.
    ///
    /// # Errors
    ///
    /// The tool's own.
    fn into_tool_result(self) -> CallResult;
}

/// What a function's result is like, from its return type alone.
#[derive(Debug, Clone, Copy)]
pub struct OutputSpec {
    pub(crate) by_hand: bool,
    pub(crate) schema: Option<SchemaFn>,
}

impl OutputSpec {
    /// Reads it off the return type.
    pub fn of<R: IntoToolResult>() -> Self {
        Self {
            by_hand: R::BY_HAND,
            schema: R::OUTPUT,
        }
    }

    /// That of a prompt.
    pub fn of_prompt<R: IntoPromptResult>() -> Self {
        Self {
            by_hand: R::BY_HAND,
            schema: None,
        }
    }

    /// That of a resource.
    pub fn of_resource<R: IntoResourceResult>() -> Self {
        Self {
            by_hand: R::BY_HAND,
            schema: None,
        }
    }
}

/// A structured result, with an output schema and the same JSON as text.
///
/// What is no object on the wire (a number, a list) stands under the name `result`.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Stock {
///     /// How many are left.
///     left: u32,
/// }
///
/// /// Looks into the store.
/// #[tool(read_only)]
/// async fn stock(
///     /// The article.
///     sku: String,
/// ) -> Json<Stock> {
///     Json(Stock { left: sku.len() as u32 })
/// }
/// ```
///
/// Specification: server/tools, Structured Content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    const OUTPUT: Option<SchemaFn> = Some(schema_of::<T>);

    fn into_tool_result(self) -> CallResult {
        let json = to_line(&self.0).map_err(ToolError::from)?;
        complete(ToolResult::structured_json(json))
    }
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its bytes, not encoded.
    pub bytes: Vec<u8>,
    /// Such as `image/png`.
    pub mime_type: Cow<'static, str>,
}

impl From<Image> for ContentBlock {
    fn from(image: Image) -> Self {
        ImageContent::new(STANDARD.encode(image.bytes), image.mime_type).into()
    }
}

/// A sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audio {
    /// Its bytes, not encoded.
    pub bytes: Vec<u8>,
    /// Such as `audio/wav`.
    pub mime_type: Cow<'static, str>,
}

impl From<Audio> for ContentBlock {
    fn from(audio: Audio) -> Self {
        AudioContent::new(STANDARD.encode(audio.bytes), audio.mime_type).into()
    }
}

fn complete(result: ToolResult) -> CallResult {
    Ok(Outcome::Complete(result.into()))
}

fn text(text: impl Into<String>) -> CallResult {
    complete(ToolResult::text(text))
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> CallResult {
        text(self)
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> CallResult {
        text(self)
    }
}

impl IntoToolResult for Cow<'static, str> {
    fn into_tool_result(self) -> CallResult {
        text(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> CallResult {
        complete(ToolResult::default())
    }
}

macro_rules! shown_as_text {
    ($($type:ty)*) => {$(
        impl IntoToolResult for $type {
            fn into_tool_result(self) -> CallResult {
                text(self.to_string())
            }
        }
    )*};
}
shown_as_text!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

macro_rules! one_block {
    ($($type:ty)*) => {$(
        impl IntoToolResult for $type {
            fn into_tool_result(self) -> CallResult {
                complete(ToolResult {
                    content: Content::Blocks(vec![self.into()]),
                    ..ToolResult::default()
                })
            }
        }
    )*};
}
one_block!(ContentBlock TextContent ImageContent AudioContent ResourceLink EmbeddedResource Image Audio);

impl<B: Into<ContentBlock>> IntoToolResult for Vec<B> {
    fn into_tool_result(self) -> CallResult {
        complete(ToolResult {
            content: Content::Blocks(self.into_iter().map(Into::into).collect()),
            ..ToolResult::default()
        })
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> CallResult {
        complete(self.into())
    }
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> CallResult {
        complete(self)
    }
}

impl<R: IntoToolResult, E: IntoToolError> IntoToolResult for Result<R, E> {
    const BY_HAND: bool = R::BY_HAND;
    const OUTPUT: Option<SchemaFn> = R::OUTPUT;

    fn into_tool_result(self) -> CallResult {
        self.map_err(IntoToolError::into_tool_error)?
            .into_tool_result()
    }
}

impl<R: IntoToolResult> IntoToolResult for Outcome<R> {
    const BY_HAND: bool = true;
    const OUTPUT: Option<SchemaFn> = R::OUTPUT;

    fn into_tool_result(self) -> CallResult {
        match self {
            Self::Complete(result) => result.into_tool_result(),
            Self::InputRequired(input) => Ok(Outcome::InputRequired(input)),
        }
    }
}
