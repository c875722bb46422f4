//! What `tools/list` says: each tool's entry, and their division into pages.

use mcp_core::{
    protocol::{Icon, IconTheme, JsonObject, Tool as Definition, ToolAnnotations},
    rpc::write_json,
};
use serde_json::Value;

use super::BoundTool;
use crate::spec::ToolSpec;

/// The tool's entry in `tools/list`.
///
/// Specification: server/tools, Tool.
pub(super) fn definition(
    spec: &ToolSpec,
    input: &Value,
    order: &[&str],
    output: Option<&Value>,
) -> String {
    let hints = &spec.annotations;
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: hints.read_only,
        destructive_hint: hints.destructive,
        idempotent_hint: hints.idempotent,
        open_world_hint: hints.open_world,
    };
    let icons: Vec<Icon> = spec
        .icons
        .iter()
        .map(|icon| Icon {
            src: icon.src.to_owned(),
            mime_type: icon.mime_type.map(str::to_owned),
            sizes: (!icon.sizes.is_empty())
                .then(|| icon.sizes.iter().map(|size| (*size).to_owned()).collect()),
            theme: icon.theme.and_then(|theme| match theme {
                "light" => Some(IconTheme::Light),
                "dark" => Some(IconTheme::Dark),
                _ => None,
            }),
        })
        .collect();
    let tool = Definition {
        title: spec.title.map(str::to_owned),
        description: spec.description.map(str::to_owned),
        annotations: (annotations != ToolAnnotations::default()).then_some(annotations),
        icons: (!icons.is_empty()).then_some(icons),
        ..Definition::new(spec.name, JsonObject::new())
    };
    let mut json = serde_json::to_value(&tool).unwrap_or_default();
    let mut members = json.as_object_mut().map(std::mem::take).unwrap_or_default();
    members.remove("inputSchema");
    let mut out = Vec::new();
    out.push(b'{');
    for (name, value) in &members {
        write_json(&mut out, name);
        out.push(b':');
        write_json(&mut out, value);
        out.push(b',');
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

/// Writes a schema with its properties in the order of the parameters, in which a person would fill
/// them in.
fn write_in_order(out: &mut Vec<u8>, schema: &Value, order: &[&str]) {
    let (Some(members), Some(properties)) = (
        schema.as_object(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return write_json(out, schema);
    };
    let place = |name: &str| order.iter().position(|known| *known == name);
    let mut sorted: Vec<(&String, &Value)> = properties.iter().collect();
    sorted.sort_by_key(|(name, _)| place(name).unwrap_or(order.len()));
    out.extend_from_slice(br#"{"type":"object","properties":{"#);
    for (index, (name, value)) in sorted.into_iter().enumerate() {
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
