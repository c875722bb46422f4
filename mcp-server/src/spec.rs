//! What `#[tool]`, `#[prompt]` and `#[resource]` say about a function, as data.
//!
//! It is made once, when the function is registered. What an attribute does not say is left as its constructor makes it, so that
//! an expansion has only what was written: each expression in it is paid for by every `cargo check` of the user's.
#![expect(missing_docs, reason = "most fields are the attribute's own keys")]

use std::{panic::Location, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    completion::{Completing, CompletionFuture},
    form::RenderedForm,
    parameters::{Shared, StructMember, missing_is_ok},
    tool::OutputSpec,
};

/// A function, as its attribute and signature describe it.
#[derive(Debug)]
pub struct FunctionSpec {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub description: Option<&'static str>,
    pub icons: &'static [IconSpec],
    pub kind: KindSpec,
    pub arguments: ArgumentsSpec,
    pub extra: Extra,
    pub output: OutputSpec,
    pub states: Box<[StateSpec]>,
    pub markers: Box<[MarkerSpec]>,
    pub once: OnceSpec,
    pub timeout: Option<Duration>,
    /// Where the function was declared, for messages.
    pub location: &'static Location<'static>,
}

/// What one kind of function has that others have not.
#[derive(Debug)]
pub enum KindSpec {
    Tool(ToolSpec),
    Prompt,
    Resource(ResourceSpec),
}

/// What a tool alone has.
#[derive(Debug, Default)]
pub struct ToolSpec {
    pub annotations: AnnotationSpec,
    /// Serves this schema verbatim, outside the dialect.
    pub input_schema: Option<fn() -> Value>,
}

/// What a resource, or a template of resources, alone has.
#[derive(Debug, Default)]
pub struct ResourceSpec {
    /// The URI, or a template of URIs.
    pub uri: &'static str,
    pub mime_type: Option<&'static str>,
    /// In bytes.
    pub size: Option<u64>,
    /// `user`, `assistant`.
    pub audience: &'static [&'static str],
    /// From 0 to 1.
    pub priority: Option<f64>,
    /// As in RFC 3339.
    pub last_modified: Option<&'static str>,
}

impl FunctionSpec {
    /// A tool whose attribute has no keys.
    #[track_caller]
    pub fn tool(
        name: &'static str,
        description: &'static str,
        arguments: ArgumentsSpec,
        output: OutputSpec,
    ) -> Self {
        let kind = KindSpec::Tool(ToolSpec::default());
        Self::new(kind, name, description, arguments, output)
    }

    /// A prompt whose attribute has no keys.
    #[track_caller]
    pub fn prompt(
        name: &'static str,
        description: &'static str,
        arguments: ArgumentsSpec,
        output: OutputSpec,
    ) -> Self {
        Self::new(KindSpec::Prompt, name, description, arguments, output)
    }

    /// A resource whose attribute has a URI alone.
    #[track_caller]
    pub fn resource(
        name: &'static str,
        description: &'static str,
        arguments: ArgumentsSpec,
        output: OutputSpec,
        uri: &'static str,
    ) -> Self {
        let kind = KindSpec::Resource(ResourceSpec {
            uri,
            ..ResourceSpec::default()
        });
        Self::new(kind, name, description, arguments, output)
    }

    #[track_caller]
    fn new(
        kind: KindSpec,
        name: &'static str,
        description: &'static str,
        arguments: ArgumentsSpec,
        output: OutputSpec,
    ) -> Self {
        Self {
            name,
            title: None,
            description: unless_empty(description),
            icons: &[],
            kind,
            arguments,
            extra: Extra::Refuse,
            output,
            states: Box::default(),
            markers: Box::default(),
            once: OnceSpec::No,
            timeout: None,
            location: Location::caller(),
        }
    }

    /// The kind, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            KindSpec::Tool(_) => "tool",
            KindSpec::Prompt => "prompt",
            KindSpec::Resource(_) => "resource",
        }
    }

    /// Whether arguments come as text: those of prompts, and the variables of a template.
    pub(crate) fn takes_text(&self) -> bool {
        !matches!(self.kind, KindSpec::Tool(_))
    }
}

/// An icon of a function.
#[derive(Debug)]
pub struct IconSpec {
    pub src: &'static str,
    pub mime_type: Option<&'static str>,
    pub sizes: &'static [&'static str],
    pub theme: Option<&'static str>,
}

/// The hints of `ToolAnnotations`; `None` says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnnotationSpec {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// Makes a type's JSON Schema.
pub(crate) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// Where a function's arguments come from.
#[derive(Debug)]
pub enum ArgumentsSpec {
    /// The plain parameters of the signature.
    List(Box<[ArgumentSpec]>),
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
    /// `Mcp-Param-..`: mirrored into this header, where there are headers.
    pub header: Option<&'static str>,
    /// What a client may propose while its user types.
    pub complete: Option<CompleteSpec>,
}

/// What a plain argument must be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument",
    label = "cannot be read from JSON, or does not describe itself",
    note = "derive both: `#[derive(Deserialize, JsonSchema)]`"
)]
pub trait ArgumentType: for<'de> Deserialize<'de> + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: for<'de> Deserialize<'de> + JsonSchema> ArgumentType for T {}

impl ArgumentSpec {
    /// A parameter without attributes.
    pub fn of<T: ArgumentType>(name: &'static str, description: &'static str) -> Self {
        Self {
            optional: missing_is_ok::<T>,
            ..Self::described_as::<T>(name, description)
        }
    }

    /// A parameter that `T` describes, and that must be there.
    pub fn described_as<T: JsonSchema>(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            description: unless_empty(description),
            schema: schema_of::<T>,
            optional: || false,
            default: None,
            keywords: &[],
            header: None,
            complete: None,
        }
    }
}

/// What no comment says is an empty text to the constructors: that is shorter in an expansion.
fn unless_empty(text: &'static str) -> Option<&'static str> {
    (!text.is_empty()).then_some(text)
}

/// A type's schema.
pub(crate) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Where proposals for an argument come from.
pub enum CompleteSpec {
    List(&'static [&'static str]),
    Function(fn(Completing) -> CompletionFuture),
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

/// What a function does at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnceSpec {
    /// It may run as often as it is called.
    No,
    /// Once an exchange of questions and answers.
    Exchange,
    /// Once a key.
    Key,
}
