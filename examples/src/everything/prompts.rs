//! Prompts: text, arguments with completion, images and resources, and one that asks.

use mcp_server::{
    EmbeddedResource, PromptMessage, PromptSet, prelude::*, protocol::TextResourceContents,
};

use super::content::red_dot;

pub(super) fn prompts() -> PromptSet {
    prompts![
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
        test_input_required_result_prompt,
        test_dynamic_prompt,
    ]
}

/// A text.
#[prompt(title = "Simple prompt")]
async fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A text with two arguments; clients can propose values for both.
#[prompt]
async fn test_prompt_with_arguments(
    /// The first.
    #[complete("paris", "party", "test")]
    arg1: String,
    /// The second.
    #[complete(matching)]
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// Proposes what goes with the first argument.
async fn matching(typing: mcp_server::Completing) -> Vec<String> {
    let first = typing.argument("arg1").unwrap_or("something");
    vec![format!("{} of {first}", typing.value())]
}

/// A resource that the caller names, and a request to look at it.
#[prompt]
async fn test_prompt_with_embedded_resource(
    /// The resource's URI.
    #[serde(rename = "resourceUri")]
    resource_uri: String,
) -> [PromptMessage; 2] {
    let contents = TextResourceContents {
        mime_type: Some("text/plain".to_owned()),
        ..TextResourceContents::new(resource_uri, "Embedded resource content for testing.")
    };
    [
        PromptMessage::user(EmbeddedResource::new(contents)),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

/// An image, and a request to look at it.
#[prompt]
async fn test_prompt_with_image() -> [PromptMessage; 2] {
    [
        PromptMessage::user(red_dot()),
        PromptMessage::user("Please analyze the image above."),
    ]
}

#[derive(Deserialize, JsonSchema, Form)]
struct Background {
    context: String,
}

/// Asks what it is for, before there is a text.
#[prompt]
async fn test_input_required_result_prompt(
    #[elicit("What context should the prompt use?")] user_context: Resolve<Background>,
) -> String {
    format!("Use this context: {}", user_context.context)
}

/// Is there, or is not; see `test_trigger_prompt_change`.
#[prompt]
async fn test_dynamic_prompt() -> &'static str {
    "Here."
}
