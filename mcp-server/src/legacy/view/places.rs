//! Where the things are that several revisions change.

use serde_json::Value;

use super::object::{Object, items, list, quoted};

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

/// Puts a tool's structured content into its content as text, unless it stands there already. Where the client sees the
/// structured content `as_well`, any text will do.
pub(super) fn tell_structured(result: &mut Object<'_>, as_well: bool) {
    let Some(json) = result.get("structuredContent") else {
        return;
    };
    let is_told = |block: &str| {
        let block = Object::parse(block).filter(|block| kind_of(block) == "text");
        let text = block.and_then(|block| block.text("text"));
        text.is_some_and(|text| as_well || text == json || value(&text) == value(json))
    };
    let mut blocks = result.get("content").and_then(items).unwrap_or_default();
    if !blocks.iter().any(|block| is_told(block)) {
        blocks.push(text_block(json, None).to_json().into());
        let content = list(&blocks);
        result.set("content", content);
    }
}

/// JSON by what it means; what is none is like no other.
fn value(json: &str) -> Result<Value, ()> {
    serde_json::from_str(json).map_err(drop)
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
