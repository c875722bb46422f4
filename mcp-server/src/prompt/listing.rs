//! What `prompts/list` says of a prompt.

use mcp_core::{
    protocol::{Prompt as Definition, PromptArgument},
    rpc::to_line,
};
use serde_json::Value;

use crate::{
    spec::{ArgumentSpec, ArgumentsSpec, FunctionSpec},
    tool::{icons, standalone},
};

/// The prompt's entry in `prompts/list`.
///
/// Specification: server/prompts, Prompt.
pub(crate) fn definition(spec: &FunctionSpec) -> String {
    let arguments = match &spec.arguments {
        ArgumentsSpec::List(list) => list.iter().map(of_parameter).collect(),
        ArgumentsSpec::Struct { schema, members } => {
            // A schema has them by name; a person fills them in as they are declared.
            let mut others = of_schema(&standalone(*schema));
            let mut arguments = Vec::with_capacity(others.len());
            for member in members() {
                if let Some(place) = others.iter().position(|other| other.name == member.name) {
                    arguments.push(others.remove(place));
                }
            }
            arguments.append(&mut others);
            arguments
        }
    };
    let prompt = Definition {
        title: spec.title.map(str::to_owned),
        description: spec.description.map(str::to_owned),
        arguments: (!arguments.is_empty()).then_some(arguments),
        icons: icons(spec.icons),
        ..Definition::new(spec.name)
    };
    to_line(&prompt).unwrap_or_default()
}

fn of_parameter(argument: &ArgumentSpec) -> PromptArgument {
    PromptArgument {
        description: argument.description.map(str::to_owned),
        required: Some(!(argument.optional)()),
        ..PromptArgument::new(argument.name)
    }
}

/// The members of a struct, off its schema.
fn of_schema(schema: &Value) -> Vec<PromptArgument> {
    let required = |name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|required| required == name))
    };
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    properties
        .iter()
        .map(|(name, property)| PromptArgument {
            title: property["title"].as_str().map(str::to_owned),
            description: property["description"].as_str().map(str::to_owned),
            required: Some(required(name)),
            ..PromptArgument::new(name)
        })
        .collect()
}
