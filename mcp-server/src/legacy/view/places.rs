//! Where the things are that several revisions change.

use super::object::{Object, quoted};

/// The member of a list's result in which its entries stand.
pub(super) fn entries_of(method: &str) -> Option<&'static str> {
    match method {
        "tools/list" => Some("tools"),
        "prompts/list" => Some("prompts"),
        "resources/list" => Some("resources"),
        "resources/templates/list" => Some("resourceTemplates"),
        _ => None,
    }
}

/// Changes the entries of a list's result.
pub(super) fn each_entry(
    method: &str,
    result: &mut Object<'_>,
    change: impl FnMut(&mut Object<'_>),
) {
    if let Some(entries) = entries_of(method) {
        result.each(entries, change);
    }
}

/// Changes the content blocks of a tool's result, of a prompt's messages, or of a conversation in which every message has one.
pub(super) fn each_block(
    method: &str,
    holder: &mut Object<'_>,
    mut change: impl FnMut(&mut Object<'_>),
) {
    match method {
        "tools/call" => holder.each("content", change),
        "prompts/get" | "sampling/createMessage" => holder.each("messages", |message| {
            message.edit("content", &mut change);
        }),
        _ => {}
    }
}

/// What a block is.
pub(super) fn kind_of(block: &Object<'_>) -> String {
    block.text("type").unwrap_or_default()
}

/// A block of this text, with the annotations of another.
pub(super) fn text_block<'a>(text: &str, annotations: Option<&str>) -> Object<'a> {
    let mut block = Object::default();
    block.set("type", r#""text""#);
    block.set("text", quoted(text));
    if let Some(annotations) = annotations {
        block.set("annotations", annotations.to_owned());
    }
    block
}
