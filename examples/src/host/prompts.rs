//! `host prompts`, `host prompt` and `host complete`.

use std::process::ExitCode;

use mcp_client::{
    Client,
    protocol::{Completion, CompletionReference, GetPromptResult, Prompt},
};

use super::{
    Host,
    asking::Asking,
    call::shown,
    clean::{clean, clean_line},
    cli::{Complete, GetPrompt, Server},
    client,
};
use crate::AnyError;

pub(super) async fn list(host: &Host, server: &Server) -> Result<ExitCode, AnyError> {
    let list = async |client: &Client| client.list_prompts().await;
    let prompts = host.run(server, client(), list).await?;
    host.print(&prompts, || prompts.iter().map(describe).collect())
}

pub(super) async fn get(host: &Host, prompt: GetPrompt) -> Result<ExitCode, AnyError> {
    let asking = Asking::new(prompt.answers);
    let filled = host
        .run(&prompt.server, asking.client(), async |client| {
            client.get_prompt(prompt.name, &prompt.arguments).await
        })
        .await;
    asking.finish(&filled);
    let filled = filled?;
    let messages = messages(&filled)?;
    host.print(&filled, || messages)
}

pub(super) async fn complete(host: &Host, complete: Complete) -> Result<ExitCode, AnyError> {
    // Prompts have names, resources have URIs.
    let reference = match complete.of.contains("://") {
        true => CompletionReference::resource(complete.of),
        false => CompletionReference::prompt(complete.of),
    };
    let (argument, value) = (complete.argument, complete.value);
    let completion = host
        .run(&complete.server, client(), async |client| {
            let context = &complete.context;
            client.complete(reference, argument, value, context).await
        })
        .await?;
    host.print(&completion, || suggestions(&completion))
}

/// A prompt with its arguments, a line each.
fn describe(prompt: &Prompt) -> String {
    let mut heading = clean_line(&prompt.name);
    if let Some(title) = &prompt.title {
        heading += ": ";
        heading += &clean_line(title);
    }
    let mut lines = vec![heading];
    let description = clean(prompt.description.as_deref().unwrap_or_default());
    lines.extend(description.lines().map(|line| format!("    {line}")));
    for argument in prompt.arguments.iter().flatten() {
        let mut line = format!("    {}", clean_line(&argument.name));
        if argument.required != Some(true) {
            line += ", optional";
        }
        if let Some(description) = &argument.description {
            line += ": ";
            line += &clean_line(description);
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn messages(prompt: &GetPromptResult) -> Result<Vec<String>, serde_json::Error> {
    let messages = prompt.messages.iter();
    messages
        .map(|message| {
            let role = serde_json::to_value(message.role)?;
            let role = role.as_str().unwrap_or_default();
            Ok(format!("{role}: {}", shown(&message.content)?))
        })
        .collect()
}

fn suggestions(completion: &Completion) -> Vec<String> {
    let values = completion.values.iter();
    let mut lines: Vec<_> = values.map(|value| clean_line(value)).collect();
    if completion.has_more == Some(true) {
        lines.push("...".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_prompt_is_described_with_its_arguments() {
        let prompt: Prompt = serde_json::from_value(json!({
            "name": "review",
            "title": "Code\nreview",
            "description": "Reviews\u{1b}[1m code.",
            "arguments": [
                {"name": "code", "required": true, "description": "What to review."},
                {"name": "style"},
            ],
        }))
        .unwrap();
        let expected = "review: Code review\n    Reviews code.\n    code: What to review.\n    style, optional";
        assert_eq!(describe(&prompt), expected);
    }

    #[test]
    fn messages_say_whose_they_are_and_suggestions_that_there_are_more() {
        let prompt: GetPromptResult = serde_json::from_value(json!({
            "messages": [{"role": "assistant", "content": {"type": "text", "text": "hi\u{7}"}}]
        }))
        .unwrap();
        assert_eq!(messages(&prompt).unwrap(), ["assistant: hi"]);
        let completion = Completion {
            values: vec!["a\u{202e}".to_owned()],
            total: None,
            has_more: Some(true),
        };
        assert_eq!(suggestions(&completion), ["a", "..."]);
    }
}
