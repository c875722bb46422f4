//! A library that forbids what careful crates forbid: no lint may fire in what the macros generate.
//!
//! Built by the tests of the workspace; that it builds is the test.

#![deny(warnings, missing_docs, unreachable_pub, unused, nonstandard_style)]
#![deny(
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    single_use_lifetimes
)]
#![deny(
    explicit_outlives_requirements,
    unit_bindings,
    unused_lifetimes,
    variant_size_differences
)]
#![deny(clippy::all, clippy::pedantic)]

mod inventory;
pub mod orders;

pub use inventory::count_items;
