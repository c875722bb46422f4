//! Tools of narrower visibility, one re-exported.

use mcp_server::prelude::*;

/// Counts.
#[tool]
#[must_use]
pub fn count_items() -> i64 {
    3
}

/// Counts here only.
#[tool]
pub(crate) async fn count_here() -> String {
    std::future::ready(()).await;
    String::from("3")
}

/// Uses them, so that nothing is dead.
#[test]
fn the_functions_are_still_functions() {
    assert_eq!(count_items(), 3);
}

const _: fn() = || drop((count_here(), count_here {}));
