//! What is a prompt's alone: `listing` has what `prompts/list` says, `returns` what a function may give
//! back.

mod listing;
mod returns;

pub(crate) use self::listing::definition;
pub use self::returns::IntoPromptResult;
