//! Output schemas: known by tool, compiled once, and checked against structured results.
//!
//! Specification: server/tools, Output Schema, and basic/index, JSON Schema Usage. The default
//! dialect is 2020-12; draft 4, 6, 7 and 2019-09 are taken where a schema says so. A `$ref` to another
//! document is never fetched: such a schema counts as unusable, and it affects its own tool alone.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

use jsonschema::Validator;
use mcp_core::protocol::Tool;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::budget::{self, Effort};

/// How long a finished call waits for the list of tools that its validation needs.
pub(crate) const LIST_PATIENCE: Duration = Duration::from_secs(5);

/// How long a check may take whose length a foreign schema decides.
const CHECK_PATIENCE: Duration = Duration::from_secs(2);

/// The stack for such a check, which goes down with the schema's references at every level of the
/// result. Most of it is never touched.
const CHECK_STACK: usize = 256 * 1024 * 1024;

/// How many faults an error names.
const SHOWN_FAULTS: usize = 5;

/// The output schemas of the tools that were listed; `None` for a tool without one.
#[derive(Debug, Default)]
pub(crate) struct OutputSchemas {
    known: Mutex<HashMap<String, Option<Arc<OutputSchema>>>>,
}

/// One schema, compiled when it is first needed.
pub(crate) struct OutputSchema {
    schema: Result<Value, String>,
    effort: OnceLock<Result<Effort, String>>,
    compiled: OnceLock<Result<Validator, String>>,
    /// A check took too long; there will be no other.
    given_up: AtomicBool,
}

impl OutputSchemas {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Option<Arc<OutputSchema>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a new list says. A schema that has not changed keeps its validator.
    pub(crate) fn replace(&self, listed: Vec<(String, Option<OutputSchema>)>) {
        let mut known = self.known();
        let mut before = std::mem::take(&mut *known);
        for (tool, schema) in listed {
            let unchanged = match (before.remove(&tool).flatten(), &schema) {
                (Some(old), Some(new)) if old.schema == new.schema => Some(old),
                _ => None,
            };
            known.insert(tool, unchanged.or_else(|| schema.map(Arc::new)));
        }
    }

    pub(crate) fn knows(&self, tool: &str) -> bool {
        self.known().contains_key(tool)
    }

    /// Stops asking about a tool that no list mentions.
    pub(crate) fn remember(&self, tool: &str) {
        self.known().entry(tool.to_owned()).or_insert(None);
    }

    /// Validates a structured result, given as JSON text.
    ///
    /// A check that takes too long is given up, and the result counts as valid: it is worth more
    /// than its validation.
    pub(crate) async fn validate(&self, tool: &str, structured: &str) -> Result<(), String> {
        let schema = self.known().get(tool).cloned().flatten();
        match schema {
            Some(schema) if schema.is_quick(structured) => schema.validate(structured),
            Some(schema) => schema.validate_aside(tool, structured).await,
            None => Ok(()),
        }
    }
}

impl OutputSchema {
    pub(crate) fn new(schema: Result<Value, String>) -> Self {
        Self {
            schema,
            effort: OnceLock::new(),
            compiled: OnceLock::new(),
            given_up: AtomicBool::new(false),
        }
    }

    fn effort(&self) -> &Result<Effort, String> {
        self.effort.get_or_init(|| {
            let schema = self.schema.as_ref().map_err(Clone::clone)?;
            budget::measure(schema)
        })
    }

    /// An unusable schema is noticed at once.
    fn is_quick(&self, structured: &str) -> bool {
        match self.effort() {
            Ok(effort) => effort.is_quick(structured.len()),
            Err(_) => true,
        }
    }

    /// Validates on a thread of its own and waits a moment for it. Nothing can stop the thread, but
    /// it holds nothing up, and each schema gets but one.
    async fn validate_aside(self: Arc<Self>, tool: &str, structured: &str) -> Result<(), String> {
        if self.given_up.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (done, checked) = mpsc::channel();
        let (schema, structured) = (Arc::clone(&self), structured.to_owned());
        let started = std::thread::Builder::new()
            .name("mcp-output-schema".to_owned())
            .stack_size(CHECK_STACK)
            .spawn(move || done.send(schema.validate(&structured)));
        let waiting = tokio::task::spawn_blocking(move || {
            started.ok()?;
            checked.recv_timeout(CHECK_PATIENCE).ok()
        });
        if let Ok(Some(checked)) = waiting.await {
            return checked;
        }
        self.given_up.store(true, Ordering::Relaxed);
        tracing::warn!(
            target: "mcp_client",
            tool,
            "checking a result against the output schema takes too long; results are not validated"
        );
        Ok(())
    }

    fn validate(&self, structured: &str) -> Result<(), String> {
        let validator = self.compiled.get_or_init(|| self.compile()).as_ref();
        let validator =
            validator.map_err(|reason| format!("the schema cannot be used: {reason}"))?;
        let value: Value = serde_json::from_str(structured).map_err(|e| e.to_string())?;
        let faults: Vec<String> = validator
            .iter_errors(&value)
            .take(SHOWN_FAULTS)
            .map(|fault| {
                let at = fault.instance_path().to_string();
                let text: String = fault.to_string().chars().take(200).collect();
                format!(
                    "at {}: {text}",
                    if at.is_empty() { "the root" } else { &at }
                )
            })
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("; "))
        }
    }

    fn compile(&self) -> Result<Validator, String> {
        let schema = self.schema.as_ref().map_err(Clone::clone)?;
        self.effort().as_ref().map_err(Clone::clone)?;
        jsonschema::options()
            .offline()
            .build(schema)
            .map_err(|e| e.to_string())
    }
}

impl fmt::Debug for OutputSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputSchema")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

/// Reads one entry of `tools/list`. An unusable output schema does not make the tool unusable.
pub(crate) fn read_tool(raw: &RawValue) -> Result<(Tool, Option<OutputSchema>), serde_json::Error> {
    match serde_json::from_str::<Tool>(raw.get()) {
        Ok(tool) => {
            let schema = tool.output_schema.clone();
            let schema = schema.map(|schema| OutputSchema::new(Ok(Value::Object(schema))));
            Ok((tool, schema))
        }
        Err(error) => {
            let mut members: Map<String, Value> = serde_json::from_str(raw.get())?;
            let Some(_) = members.remove("outputSchema") else {
                return Err(error);
            };
            let tool = serde_json::from_value(Value::Object(members))?;
            Ok((
                tool,
                Some(OutputSchema::new(Err("it is not a JSON object".to_owned()))),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn check(schema: Value, result: &str) -> Result<(), String> {
        OutputSchema::new(Ok(schema)).validate(result)
    }

    #[test]
    fn results_are_checked_and_the_place_is_named() {
        let schema = json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
        assert_eq!(check(schema.clone(), r#"{"total": 180.0}"#), Ok(()));
        let fault = check(schema, r#"{"total": "180"}"#).unwrap_err();
        assert!(fault.starts_with("at /total: "), "{fault}");
    }

    #[test]
    fn null_is_a_result() {
        assert_eq!(check(json!({"type": ["object", "null"]}), "null"), Ok(()));
        assert!(check(json!({"type": "object"}), "null").is_err());
    }

    #[test]
    fn another_document_is_never_fetched() {
        for reference in [
            "http://127.0.0.1:9/schema.json",
            "https://example.com/s",
            "file:///etc/passwd",
        ] {
            let fault = check(json!({"$ref": reference}), "{}").unwrap_err();
            assert!(fault.starts_with("the schema cannot be used"), "{fault}");
        }
    }

    #[test]
    fn local_references_and_older_dialects_work() {
        let local = json!({"$ref": "#/$defs/N", "$defs": {"N": {"type": "integer"}}});
        assert_eq!(check(local.clone(), "5"), Ok(()));
        assert!(check(local, "\"5\"").is_err());
        let draft7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]});
        assert!(check(draft7, "[\"x\"]").is_err());
    }

    #[test]
    fn an_unknown_dialect_is_refused() {
        let fault = check(
            json!({"$schema": "https://example.com/dialect", "type": "object"}),
            "{}",
        )
        .unwrap_err();
        assert!(fault.starts_with("the schema cannot be used"), "{fault}");
    }

    #[test]
    fn an_oversized_schema_is_refused() {
        let mut deep = json!({});
        for _ in 0..100 {
            deep = json!({"not": deep});
        }
        assert!(check(deep, "{}").unwrap_err().contains("64 levels"));
        let wide: Vec<Value> = (0..20_001).map(|_| json!(true)).collect();
        assert!(
            check(json!({"anyOf": wide}), "{}")
                .unwrap_err()
                .contains("20000 parts")
        );
    }

    #[test]
    fn a_schema_that_is_no_object_leaves_the_tool_in_the_list() {
        let raw = r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":true}"#;
        let raw: &RawValue = serde_json::from_str(raw).unwrap();
        let (tool, schema) = read_tool(raw).unwrap();
        assert_eq!((tool.name.as_str(), tool.output_schema), ("t", None));
        assert!(schema.unwrap().validate("{}").is_err());
    }

    #[test]
    fn a_validator_is_kept_while_its_schema_stays_the_same() {
        let schemas = OutputSchemas::default();
        let listed = |schema: Value| vec![("t".to_owned(), Some(OutputSchema::new(Ok(schema))))];
        schemas.replace(listed(json!({"type": "object"})));
        let first = schemas.known()["t"].clone().unwrap();
        schemas.replace(listed(json!({"type": "object"})));
        assert!(Arc::ptr_eq(&first, &schemas.known()["t"].clone().unwrap()));
        schemas.replace(listed(json!({"type": "array"})));
        assert!(!Arc::ptr_eq(&first, &schemas.known()["t"].clone().unwrap()));
        schemas.replace(Vec::new());
        assert!(!schemas.knows("t"));
    }

    #[tokio::test]
    async fn a_schema_that_refers_to_itself_is_checked_aside() {
        let schemas = OutputSchemas::default();
        let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
        schemas.replace(vec![("t".to_owned(), Some(OutputSchema::new(Ok(tree))))]);
        let valid = r#"{"children":[{"children":[]}]}"#;
        assert_eq!(schemas.validate("t", valid).await, Ok(()));
        let fault = schemas
            .validate("t", r#"{"children":[5]}"#)
            .await
            .unwrap_err();
        assert!(fault.starts_with("at /children/0: "), "{fault}");
    }

    /// `links` definitions, each of which refers to the next, and the last of them to `end`.
    fn chain(links: usize, end: Value) -> Value {
        let mut defs = Map::new();
        for link in 0..links {
            let next = json!({"$ref": format!("#/$defs/d{}", link + 1)});
            defs.insert(format!("d{link}"), next);
        }
        defs.insert(format!("d{links}"), end);
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    }

    #[tokio::test]
    async fn the_longest_chain_of_references_does_not_exhaust_the_stack() {
        assert_eq!(check(chain(240, json!({"type": "object"})), "{}"), Ok(()));

        let children = json!({"properties": {"a": {"$ref": "#"}}});
        let schemas = OutputSchemas::default();
        let schema = OutputSchema::new(Ok(chain(240, children)));
        schemas.replace(vec![("t".to_owned(), Some(schema))]);
        let deep = "{\"a\":".repeat(120) + "5" + &"}".repeat(120);
        assert_eq!(schemas.validate("t", &deep).await, Ok(()));
    }

    #[tokio::test]
    async fn a_check_that_takes_too_long_is_given_up_once() {
        // Two ways down at every level of the result, and neither of them fits at its end.
        let way = |name: &str| json!({"properties": {"a": {"$ref": "#"}}, "required": [name]});
        let schema = json!({"type": "object", "anyOf": [way("x"), way("y")]});
        let mut result = json!({});
        for _ in 0..60 {
            result = json!({"a": result, "x": 1, "y": 1});
        }
        let schemas = OutputSchemas::default();
        schemas.replace(vec![("t".to_owned(), Some(OutputSchema::new(Ok(schema))))]);
        let started = std::time::Instant::now();
        for _ in 0..3 {
            let checked = schemas.validate("t", &result.to_string()).await;
            assert_eq!(checked, Ok(()), "unvalidated");
        }
        assert!(started.elapsed() < CHECK_PATIENCE * 2);
    }
}
