//! What the macros make of functions, methods and forms, seen by a client in the same process.
#![allow(missing_docs, clippy::unwrap_used, clippy::too_many_arguments)]

mod arguments;
mod asking;
mod completions;
mod forms;
mod host;
mod keys;
mod methods;
mod prompts;
mod resources;
mod text_bounds;
