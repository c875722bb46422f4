//! What `tools/list` says of a tool.

use mcp_core::{
    protocol::{Icon, IconTheme, ToolAnnotations},
    rpc::{write_json, write_str},
};
use serde::Serialize;
use serde_json::Value;

use crate::spec::{FunctionSpec, IconSpec, ToolSpec};

/// The tool's entry in `tools/list`.
///
/// Specification: server/tools, Tool.
pub(crate) fn definition(
    spec: &FunctionSpec,
    kind: &ToolSpec,
    input: &Value,
    order: &[&str],
    output: Option<&Value>,
) -> String {
    let mut out = Vec::new();
    out.push(b'{');
    let hints = &kind.annotations;
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
        text(&mut out, "description", description);
    }
    if let Some(icons) = icons(spec.icons) {
        member(&mut out, "icons", &icons);
    }
    text(&mut out, "name", spec.name);
    if let Some(title) = spec.title {
        text(&mut out, "title", title);
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
    write_str(out, name);
    out.push(b':');
    write_json(out, value);
    out.push(b',');
}

/// Writes one of the first members, a string.
fn text(out: &mut Vec<u8>, name: &str, value: &str) {
    write_str(out, name);
    out.push(b':');
    write_str(out, value);
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
        write_str(out, name);
        out.push(b':');
        write_json(out, value);
    }
    out.push(b'}');
    for (name, value) in members {
        if name != "type" && name != "properties" {
            out.push(b',');
            write_str(out, name);
            out.push(b':');
            write_json(out, value);
        }
    }
    out.push(b'}');
}

/// The icons of a function, if it has any.
pub(crate) fn icons(specs: &[IconSpec]) -> Option<Vec<Icon>> {
    (!specs.is_empty()).then(|| specs.iter().map(icon).collect())
}
