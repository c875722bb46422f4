//! One fixture a rule: what the macros refuse, with the token that is underlined and what to write instead.
//!
//! The texts belong to the pinned compiler; after a change, read each one before `TRYBUILD=overwrite`.

#[test]
fn faults_are_explained_at_the_right_token() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
