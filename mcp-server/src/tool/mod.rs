//! What is a tool's alone: `input` and `output` have its schemas and what is compared with them, `schema`
//! what those have in common, `listing` what `tools/list` says; `returns` has what a function may give
//! back, `result` how that is written.

mod input;
mod listing;
mod output;
mod result;
mod returns;
mod schema;

use mcp_core::schema::{HeaderParameter, header_parameters};
use serde_json::Value;

pub(crate) use self::{
    input::{Alias, InputSchema, bounded_arguments, unfit},
    listing::icons,
    output::OutputSchema,
    result::{ResultWriter, write_result},
    schema::{join, standalone},
};
pub use self::{
    result::ToolResult,
    returns::{Audio, Image, IntoToolResult, Json, OutputSpec},
};

#[cfg(feature = "http")]
use crate::transport::http::HeaderParameters;
use crate::{
    faults::FunctionFaults,
    function::{Described, Kind},
    methods,
    spec::{FunctionSpec, KindSpec},
};

/// The kind of function that a tool is. Its methods are those that `dispatch` knows by itself.
pub(crate) static TOOL: Kind = Kind {
    describe,
    enter: |registry, _, entry, _| registry.tools.push(entry),
    write: methods::write_tool,
    methods: &[],
    complete: None,
};

fn describe(spec: &FunctionSpec, faults: &mut FunctionFaults<'_>) -> Option<Described> {
    let KindSpec::Tool(kind) = &spec.kind else {
        return None;
    };
    let (input, output) = (
        input::Input::of(spec, kind, faults),
        output::Output::of(spec, faults),
    );
    let (input, output) = (input?, output?);
    let json = listing::definition(
        spec,
        kind,
        &input.listed,
        &input.order,
        output.as_ref().map(|output| &output.listed),
    );
    let mirrored = mirrored(&input.listed, &json, faults);
    #[cfg(not(feature = "http"))]
    drop(mirrored);
    Some(Described {
        #[cfg(feature = "http")]
        headers: HeaderParameters::new(mirrored, input.compared.as_ref()),
        input: input.compared,
        bounds: None,
        output: output.map(|output| output.compared),
        json,
    })
}

/// Few tools have arguments that are mirrored into headers.
fn mirrored(input: &Value, json: &str, faults: &mut FunctionFaults<'_>) -> Vec<HeaderParameter> {
    let schema = input.as_object().filter(|_| json.contains("x-mcp-header"));
    let found = schema.map_or_else(|| Ok(Vec::new()), header_parameters);
    found.unwrap_or_else(|why| {
        faults.add(None, why);
        Vec::new()
    })
}
