//! What `tools/list` says: each tool's entry, and their division into pages.

use mcp_core::{
    protocol::{Icon, IconTheme, ToolAnnotations},
    rpc::write_json,
};
use serde::Serialize;
use serde_json::Value;

use super::BoundTool;
use crate::spec::{IconSpec, ToolSpec};

/// The tool's entry in `tools/list`.
///
/// Specification: server/tools, Tool.
pub(super) fn definition(
    spec: &ToolSpec,
    input: &Value,
    order: &[&str],
    output: Option<&Value>,
) -> String {
    let mut out = Vec::new();
    out.push(b'{');
    let hints = &spec.annotations;
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: hints.read_only,
        destructive_hint: hints.destructive,
        idempotent_hint: hints.idempotent,
        open_world_hint: hints.open_world,
    };
    if annotations != ToolAnnotations::default() {
        member(&mut out, "annotations", &annotations);
    }
    if let Some(description) = spec.description {
        member(&mut out, "description", description);
    }
    if !spec.icons.is_empty() {
        let icons: Vec<Icon> = spec.icons.iter().map(icon).collect();
        member(&mut out, "icons", &icons);
    }
    member(&mut out, "name", spec.name);
    if let Some(title) = spec.title {
        member(&mut out, "title", title);
    }
    out.extend_from_slice(br#""inputSchema":"#);
    write_in_order(&mut out, input, order);
    if let Some(output) = output {
        out.extend_from_slice(br#","outputSchema":"#);
        write_json(&mut out, output);
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}

/// Writes one of the first members.
fn member(out: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    write_json(out, name);
    out.push(b':');
    write_json(out, value);
    out.push(b',');
}

fn icon(icon: &IconSpec) -> Icon {
    Icon {
        src: icon.src.to_owned(),
        mime_type: icon.mime_type.map(str::to_owned),
        sizes: (!icon.sizes.is_empty())
            .then(|| icon.sizes.iter().map(|size| (*size).to_owned()).collect()),
        theme: icon.theme.and_then(|theme| match theme {
            "light" => Some(IconTheme::Light),
            "dark" => Some(IconTheme::Dark),
            _ => None,
        }),
    }
}

/// Writes a schema with its properties in the order of the parameters, in which a person would fill
/// them in.
fn write_in_order(out: &mut Vec<u8>, schema: &Value, order: &[&str]) {
    let (Some(members), Some(properties)) = (
        schema.as_object(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return write_json(out, schema);
    };
    let first = |place: &usize| !order[..*place].contains(&order[*place]);
    let ordered = (0..order.len())
        .filter(first)
        .filter_map(|place| properties.get_key_value(order[place]));
    let others = properties
        .iter()
        .filter(|(name, _)| !order.contains(&name.as_str()));
    out.extend_from_slice(br#"{"type":"object","properties":{"#);
    for (index, (name, value)) in ordered.chain(others).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_json(out, name);
        out.push(b':');
        write_json(out, value);
    }
    out.push(b'}');
    for (name, value) in members {
        if name != "type" && name != "properties" {
            out.push(b',');
            write_json(out, name);
            out.push(b':');
            write_json(out, value);
        }
    }
    out.push(b'}');
}

/// One page of `tools/list`: its entries, and where the next page begins.
#[derive(Debug)]
pub(crate) struct Page {
    /// The entries, separated by commas.
    pub(crate) json: String,
    pub(crate) next_cursor: Option<String>,
}

/// Divides the tools into pages.
///
/// A cursor names the first tool of its page, so that it means the same after a restart and on every
/// replica.
///
/// Specification: server/utilities/pagination.
pub(crate) fn pages(tools: &[BoundTool], size: usize) -> Vec<Page> {
    if tools.is_empty() {
        return vec![Page {
            json: String::new(),
            next_cursor: None,
        }];
    }
    let chunks: Vec<&[BoundTool]> = tools.chunks(size.max(1)).collect();
    chunks
        .iter()
        .enumerate()
        .map(|(index, chunk)| Page {
            json: chunk
                .iter()
                .map(|tool| tool.json.as_str())
                .collect::<Vec<_>>()
                .join(","),
            next_cursor: chunks
                .get(index + 1)
                .and_then(|next| next.first())
                .map(|first| cursor(first.spec.name)),
        })
        .collect()
}

/// The cursor of the page that begins with a tool.
pub(crate) fn cursor(name: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(name)
}
