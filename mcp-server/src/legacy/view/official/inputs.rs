//! What the newest revision has, with everything set that can be.

use mcp_core::protocol::{
    Annotations, AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, Icon,
    IconTheme, ImageContent, Meta, Resource, ResourceLink, Role, TextContent, TextResourceContents,
    Tool, ToolAnnotations,
};
use serde_json::{Map, Value, json};

pub(super) fn meta() -> Option<Meta> {
    let mut meta = Meta::new();
    meta.insert("com.example/own".to_owned(), json!({"deep": [1]}));
    Some(meta)
}

pub(super) fn result_meta() -> Option<Meta> {
    let mut meta = meta();
    meta.as_mut().unwrap().insert(
        "io.modelcontextprotocol/serverInfo".to_owned(),
        json!({"name": "s", "version": "1"}),
    );
    meta
}

pub(super) fn icons() -> Option<Vec<Icon>> {
    Some(vec![Icon {
        mime_type: Some("image/png".to_owned()),
        sizes: Some(vec!["48x48".to_owned()]),
        theme: Some(IconTheme::Dark),
        ..Icon::new("https://example.com/icon.png")
    }])
}

pub(super) fn annotations() -> Option<Annotations> {
    Some(Annotations {
        audience: Some(vec![Role::User, Role::Assistant]),
        priority: Some(0.5),
        last_modified: Some("2026-07-28T10:00:00Z".to_owned()),
    })
}

pub(super) fn resource() -> Resource {
    Resource {
        title: Some("The report".to_owned()),
        description: Some("What happened".to_owned()),
        mime_type: Some("text/plain".to_owned()),
        icons: icons(),
        annotations: annotations(),
        size: Some(9_007_199_254_740_993),
        meta: meta(),
        ..Resource::new("file:///report.txt", "report")
    }
}

pub(super) fn text_contents() -> TextResourceContents {
    TextResourceContents {
        uri: "file:///report.txt".to_owned(),
        mime_type: Some("text/plain".to_owned()),
        text: "t".to_owned(),
        meta: meta(),
    }
}

pub(super) fn blob_contents() -> BlobResourceContents {
    BlobResourceContents {
        uri: "file:///report.bin".to_owned(),
        mime_type: None,
        blob: "aGk=".to_owned(),
        meta: meta(),
    }
}

/// A block of each kind, once bare and once with everything.
pub(super) fn blocks() -> Vec<ContentBlock> {
    let mut blocks = vec![
        ContentBlock::text("bare"),
        ImageContent::new("aGk=", "image/png").into(),
        AudioContent::new("aGk=", "audio/wav").into(),
        ResourceLink::new("file:///a", "a").into(),
        EmbeddedResource::new(text_contents()).into(),
    ];
    blocks.push(
        TextContent {
            text: "t".to_owned(),
            annotations: annotations(),
            meta: meta(),
        }
        .into(),
    );
    blocks.push(
        ImageContent {
            annotations: annotations(),
            meta: meta(),
            ..ImageContent::new("aGk=", "image/png")
        }
        .into(),
    );
    blocks.push(
        AudioContent {
            annotations: annotations(),
            meta: meta(),
            ..AudioContent::new("aGk=", "audio/wav")
        }
        .into(),
    );
    blocks.push(ResourceLink::from(resource()).into());
    blocks.push(
        EmbeddedResource {
            annotations: annotations(),
            meta: meta(),
            ..EmbeddedResource::new(blob_contents())
        }
        .into(),
    );
    blocks
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

pub(super) fn tool(name: &str, output: Option<Value>) -> Tool {
    Tool {
        title: Some("A tool".to_owned()),
        description: Some("Does it".to_owned()),
        output_schema: output.map(object),
        icons: icons(),
        annotations: Some(ToolAnnotations {
            title: Some("Older title".to_owned()),
            read_only_hint: Some(true),
            destructive_hint: Some(false),
            idempotent_hint: Some(true),
            open_world_hint: Some(false),
        }),
        meta: meta(),
        ..Tool::new(
            name,
            object(json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {"any": true, "n": {"type": "integer", "minimum": 0}, "none": false},
                "required": ["n"],
                "additionalProperties": false,
                "$defs": {"x": {"type": "string"}},
            })),
        )
    }
}
