//! Server.

pub mod once;
pub mod state;
