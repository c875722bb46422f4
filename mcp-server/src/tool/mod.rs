//! What is a tool's alone: `input` and `output` have its schemas and what is compared with them, `schema`
//! what those have in common, `listing` what `tools/list` says; `returns` has what a function may give
//! back, `result` how that is written.

mod input;
mod listing;
mod output;
mod result;
mod returns;
mod schema;

pub(crate) use self::{
    input::{Input, InputSchema, unfit},
    listing::{definition, icons},
    output::{Output, OutputSchema},
    result::{ResultWriter, write_result},
    schema::standalone,
};
pub use self::{
    result::ToolResult,
    returns::{Audio, Image, IntoToolResult, Json, OutputSpec},
};
