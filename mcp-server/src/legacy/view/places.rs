//! Where the things are that several revisions change.

use serde_json::Value;

use super::super::object::{List, Object};
use crate::parameters::items;

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
pub(super) fn each_entry(method: &str, result: &mut Object, change: &mut dyn FnMut(&mut Object)) {
    if let Some(entries) = entries_of(method) {
        result.each(entries, change);
    }
}

/// Changes the content blocks of a tool's result, of a prompt's messages, or of a conversation in which every message has one.
pub(super) fn each_block(method: &str, holder: &mut Object, change: &mut dyn FnMut(&mut Object)) {
    match method {
        "tools/call" => holder.each("content", change),
        "prompts/get" | "sampling/createMessage" => holder.each("messages", &mut |message| {
            message.edit("content", change);
        }),
        _ => {}
    }
}

/// Puts a tool's structured content into its content as text, unless it stands there already. Where the client sees the
/// structured content `as_well`, any text will do.
pub(super) fn tell_structured(result: &mut Object, as_well: bool) {
    let Some(json) = result.get("structuredContent") else {
        return;
    };
    let mut content = List::default();
    for block in result.get("content").and_then(items).unwrap_or_default() {
        if tells(block, json, as_well) {
            return;
        }
        content.push(block);
    }
    content.push(&text_block(json, None).to_json());
    result.set("content", &content.into_json());
}

/// Whether a block says what this JSON does, or is a text at all where `any` will do.
fn tells(block: &str, json: &str, any: bool) -> bool {
    let block = Object::parse(block).filter(|block| block.is("type", "text"));
    let text = block.and_then(|block| block.text("text"));
    text.is_some_and(|text| any || text == json || value(&text) == value(json))
}

/// JSON by what it means; what is none is like no other.
fn value(json: &str) -> Result<Value, ()> {
    serde_json::from_str(json).map_err(drop)
}

/// A block of this text, with the annotations of another.
pub(super) fn text_block(text: &str, annotations: Option<&str>) -> Object {
    let mut block = Object::default();
    block.set("type", r#""text""#);
    block.set_text("text", text);
    if let Some(annotations) = annotations {
        block.set("annotations", annotations);
    }
    block
}
