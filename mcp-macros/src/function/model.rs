//! A function after all checks: what the expansion prints.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Ident, LitStr, Path, Type, Visibility};

use super::Kind;

/// A checked tool, prompt or resource.
pub(crate) struct Function {
    pub(crate) keys: Keys,
    pub(crate) name: String,
    pub(crate) ident: Ident,
    pub(crate) is_async: bool,
    pub(crate) receiver: Receiver,
    /// Copied to everything that is generated.
    pub(crate) cfgs: Vec<Attribute>,
    /// The function is deprecated; only the user's own calls are to warn.
    pub(crate) deprecated: bool,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Words>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) once: Once,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) ignores_extra: bool,
    /// `None` where no return type is written.
    pub(crate) output: Option<Type>,
    pub(crate) parameters: Vec<Parameter>,
}

/// What describes a function or an argument.
pub(crate) enum Words {
    /// Its comment, which is not empty.
    Comment(String),
    /// `description = ..`, whatever that is.
    Given(Expr),
}

/// The kind, with the keys that only it has.
pub(crate) enum Keys {
    Tool {
        hints: Hints,
        input_schema: Option<Expr>,
    },
    Prompt,
    Resource(Resource),
}

impl Keys {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Tool { .. } => Kind::Tool,
            Self::Prompt => Kind::Prompt,
            Self::Resource(_) => Kind::Resource,
        }
    }
}

/// What `#[resource(..)]` alone says.
pub(crate) struct Resource {
    /// The URI, or the template of it.
    pub(crate) uri: LitStr,
    pub(crate) mime_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) audience: Vec<String>,
    pub(crate) priority: Option<f64>,
    pub(crate) last_modified: Option<String>,
}

impl Resource {
    /// Whether nothing else is said of it.
    pub(crate) fn has_uri_alone(&self) -> bool {
        self.mime_type.is_none()
            && self.size.is_none()
            && self.audience.is_empty()
            && self.priority.is_none()
            && self.last_modified.is_none()
    }
}

/// The struct that stands for a free function in the type namespace.
pub(crate) struct Handle {
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    /// `crate = path`.
    pub(crate) krate: Option<Path>,
}

/// What the function is called on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// A free function.
    None,
    /// `&self`.
    Reference,
    /// `self: Arc<Self>`.
    Shared,
}

/// The four annotations of a tool, as far as they are given.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl Hints {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One icon of `icons(..)`.
#[derive(Clone)]
pub(crate) struct Icon {
    pub(crate) src: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) sizes: Vec<String>,
    pub(crate) theme: Option<String>,
}

/// `once` and `once = key`.
pub(crate) enum Once {
    No,
    Exchange,
    Key(Expr),
}

/// A parameter of the function, in order.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    /// As declared.
    pub(crate) ty: Type,
    pub(crate) role: Role,
    /// A resolver or the once key reads it, so a local of its name must exist.
    pub(crate) mentioned: bool,
}

/// Where a parameter's value comes from.
pub(crate) enum Role {
    /// A plain argument, or a variable of the resource's template.
    Argument(Box<Argument>),
    /// `Args<T>`, all arguments as one `T`.
    Arguments,
    /// `State<T>`.
    State,
    /// `Context`, or `&Context` with the type behind the reference.
    Context { referenced: Option<Type> },
    /// `Elicit<T>` and `Resolve<T>`.
    Marker(Marker),
}

/// A plain argument.
pub(crate) struct Argument {
    /// On the wire.
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) description: Option<Words>,
    /// `&str`: decoded as text that may be borrowed.
    pub(crate) is_str: bool,
    /// The value when the argument is missing.
    pub(crate) default: Option<Default>,
    pub(crate) deserialize_with: Option<Path>,
    /// `#[schemars(with = "T")]`: described as another type.
    pub(crate) described_as: Option<Type>,
    pub(crate) keywords: Vec<Keyword>,
    /// `#[header("Region")]`.
    pub(crate) header: Option<LitStr>,
    /// `#[complete(..)]`.
    pub(crate) complete: Option<Complete>,
    /// The variable `{+path}`, whose value has slashes: its type must keep them in a folder.
    pub(crate) is_path: bool,
}

/// What a person typing the argument is offered.
pub(crate) enum Complete {
    /// Those of a fixed list that fit.
    List(Vec<String>),
    /// What a function finds.
    Function(Path),
}

/// `#[serde(default)]` and `#[serde(default = "path")]`.
pub(crate) enum Default {
    Trait,
    Path(Path),
}

/// A schema keyword with its value: tokens of type `serde_json::Value`.
pub(crate) struct Keyword {
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// A keyword's value.
pub(crate) enum Value {
    /// Anything that serialises.
    Of(Expr),
    /// Several things that serialise, as an array.
    List(Vec<Expr>),
    /// JSON as in `serde_json::json!`.
    Json(TokenStream),
}

/// A marker parameter and its question.
pub(crate) struct Marker {
    /// The key of its input request.
    pub(crate) name: String,
    /// `#[elicit]`: asked whatever the arguments are.
    pub(crate) unconditional: bool,
    /// An expression that converts to `Ask<T>`.
    pub(crate) question: Question,
    /// Parameters (by index) of the earlier markers that the question mentions.
    pub(crate) after: Vec<usize>,
}

/// What an attribute says about a marker.
pub(crate) enum Question {
    /// `#[elicit("message", arguments)]`, with the arguments of `format!` ready for printing.
    Message {
        message: LitStr,
        arguments: Vec<FormatArgument>,
    },
    /// `#[resolve(expr)]`.
    Resolver(TokenStream),
}

/// An argument of a question's `format!`.
pub(crate) struct FormatArgument {
    pub(crate) name: Option<Ident>,
    pub(crate) value: TokenStream,
    /// Shown to a person, so control characters are stripped. Not for widths and precisions.
    pub(crate) shown: bool,
}
