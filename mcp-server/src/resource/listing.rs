//! What `resources/list` and `resources/templates/list` say of a resource.

use mcp_core::{
    protocol::{Annotations, Resource as Definition, ResourceTemplate, Role},
    rpc::to_line,
};

use super::Template;
use crate::{
    spec::{FunctionSpec, ResourceSpec},
    tool::icons,
};

/// The entry in `resources/list`, or in `resources/templates/list` where the URI is a template.
///
/// Specification: server/resources, Resource.
pub(crate) fn definition(spec: &FunctionSpec, kind: &ResourceSpec) -> String {
    let title = spec.title.map(str::to_owned);
    let description = spec.description.map(str::to_owned);
    let mime_type = kind.mime_type.map(str::to_owned);
    let (icons, annotations) = (icons(spec.icons), annotations(kind));
    let json = if Template::is_template(kind.uri) {
        to_line(&ResourceTemplate {
            title,
            description,
            mime_type,
            icons,
            annotations,
            ..ResourceTemplate::new(kind.uri, spec.name)
        })
    } else {
        to_line(&Definition {
            title,
            description,
            mime_type,
            icons,
            annotations,
            size: kind.size,
            ..Definition::new(kind.uri, spec.name)
        })
    };
    json.unwrap_or_default()
}

fn annotations(kind: &ResourceSpec) -> Option<Annotations> {
    let role = |name: &&str| match *name {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    };
    let annotations = Annotations {
        audience: (!kind.audience.is_empty())
            .then(|| kind.audience.iter().filter_map(role).collect()),
        priority: kind.priority,
        last_modified: kind.last_modified.map(str::to_owned),
    };
    (annotations != Annotations::default()).then_some(annotations)
}
