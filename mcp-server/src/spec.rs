//! What `#[tool]` says about a function, as constant data.
#![expect(missing_docs, reason = "most fields are the attribute's own keys")]

use std::time::Duration;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::{
    form::RenderedForm,
    parameters::{Shared, StructMember},
    tool::OutputSpec,
};

/// A tool, as its attribute and signature describe it.
#[derive(Debug)]
pub struct ToolSpec {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: Option<&'static str>,
    pub icons: &'static [IconSpec],
    pub annotations: AnnotationSpec,
    pub arguments: ArgumentsSpec,
    pub extra: Extra,
    /// Serves this schema verbatim, outside the dialect.
    pub input_schema: Option<fn() -> Value>,
    pub output: OutputSpec,
    pub states: &'static [StateSpec],
    pub markers: &'static [MarkerSpec],
    pub once: OnceSpec,
    pub timeout: Option<Duration>,
    pub location: Location,
}

/// An icon of a tool.
#[derive(Debug)]
pub struct IconSpec {
    pub src: &'static str,
    pub mime_type: Option<&'static str>,
    pub sizes: &'static [&'static str],
    pub theme: Option<&'static str>,
}

/// The hints of `ToolAnnotations`; `None` says nothing.
#[derive(Debug, Clone, Copy)]
pub struct AnnotationSpec {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// Makes a type's JSON Schema.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// Where a tool's arguments come from.
#[derive(Debug)]
pub enum ArgumentsSpec {
    /// The plain parameters of the signature.
    List(&'static [ArgumentSpec]),
    /// One struct, by `Args<T>`.
    Struct {
        schema: SchemaFn,
        /// The names that the struct reads, aliases among them, in order of declaration.
        members: fn() -> Vec<StructMember>,
    },
}

/// One plain parameter.
#[derive(Debug)]
pub struct ArgumentSpec {
    /// The name on the wire.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub description: Option<&'static str>,
    pub schema: SchemaFn,
    /// Whether it may be absent.
    pub optional: fn() -> bool,
    /// Its value where it is absent, if that can be shown.
    pub default: Option<fn() -> Option<Value>>,
    /// Bounds and other keywords, added to the type's schema.
    pub keywords: &'static [Keyword],
}

/// A keyword of a parameter's schema.
#[derive(Debug)]
pub struct Keyword {
    pub name: &'static str,
    pub value: fn() -> Value,
}

/// What to do with an argument that no parameter names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    Refuse,
    Ignore,
}

/// A `State<T>` parameter.
#[derive(Debug)]
pub struct StateSpec {
    pub parameter: &'static str,
    pub bind: fn(&Shared) -> Option<Box<dyn std::any::Any + Send + Sync>>,
    /// What `build()` says where it was not registered.
    pub missing: fn() -> String,
}

/// An `Elicit<T>` or `Resolve<T>` parameter.
#[derive(Debug)]
pub struct MarkerSpec {
    /// The parameter's name, which is the key of its input request.
    pub parameter: &'static str,
    /// Asked whatever the arguments are: `#[elicit]`.
    pub unconditional: bool,
    /// The form of an unconditional question.
    pub form: Option<fn() -> &'static RenderedForm>,
    /// What `build()` says against the marker's type.
    pub check: fn() -> Option<&'static str>,
}

/// What a tool does at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnceSpec {
    /// It may run as often as it is called.
    No,
    /// Once an exchange of questions and answers.
    Exchange,
    /// Once a key.
    Key,
}

/// Where the tool was declared, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Location {
    pub file: &'static str,
    pub line: u32,
}
