//! The official schema and examples, where they are at hand, and the checks against them.

#![allow(dead_code, clippy::unwrap_used)] // Each test binary uses its own part.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The folder of the revision that this library speaks, below the one that `MCP_SPEC_DIR` names.
///
/// The specification is not part of this project. Without it, what needs it is skipped, and says so.
pub(crate) fn spec_dir() -> Option<PathBuf> {
    match std::env::var_os("MCP_SPEC_DIR") {
        Some(dir) => Some(PathBuf::from(dir).join("2026-07-28")),
        None => {
            eprintln!("skipped: MCP_SPEC_DIR does not say where the specification is");
            None
        }
    }
}

/// The official JSON schema.
pub(crate) struct Schema(Value);

impl Schema {
    /// Reads it, if it is at hand.
    pub(crate) fn load() -> Option<Self> {
        let path = spec_dir()?.join("schema.json");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Some(Self(serde_json::from_str(&text).unwrap()))
    }

    /// The names of all its definitions.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.0["$defs"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    }

    /// What is wrong with a value as the definition of this name.
    pub(crate) fn faults(&self, name: &str, value: &Value) -> Vec<String> {
        assert!(
            self.0["$defs"].get(name).is_some(),
            "the schema has no {name}"
        );
        let root = json!({
            "$schema": self.0["$schema"],
            "$ref": format!("#/$defs/{name}"),
            "$defs": self.0["$defs"],
        });
        let validator = jsonschema::validator_for(&root).unwrap();
        validator
            .iter_errors(value)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect()
    }

    /// Asserts that a value of ours is valid as the definition of this name.
    #[track_caller]
    pub(crate) fn assert_valid<T: Serialize + ?Sized>(&self, name: &str, value: &T) {
        let value = serde_json::to_value(value).unwrap();
        let faults = self.faults(name, &value);
        assert!(
            faults.is_empty(),
            "{name}: {value:#}\n{}",
            faults.join("\n")
        );
    }
}

/// Reads a message.
#[track_caller]
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Says why a text is no such message.
#[track_caller]
pub(crate) fn refusal<T: DeserializeOwned + Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).expect_err(text).to_string()
}

/// Asserts that a value is read and written without loss.
#[track_caller]
pub(crate) fn survives<T: DeserializeOwned + Serialize>(value: Value) {
    let parsed: T = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(parsed).unwrap(), value);
    let parsed: T = serde_json::from_str(&value.to_string()).unwrap();
    assert_eq!(serde_json::to_value(parsed).unwrap(), value);
}
