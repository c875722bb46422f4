//! What generated code calls. Not part of the API: it changes with the macros.
#![allow(missing_docs)]

use std::any::Any;
pub use std::{
    borrow::Cow,
    boxed::Box,
    clone::Clone,
    convert::{From, Into},
    default::Default,
    format_args,
    option::Option,
    result::Result,
    string::String,
    sync::Arc,
    time::Duration,
    vec,
    vec::Vec,
};

use schemars::JsonSchema;
pub use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
pub use serde_json::{Value, json};

use crate::{asking::Message, spec::schema_of};
pub use crate::{
    asking::{Ask, Asking, IntoAsk, Marker, Roots, Sampled, Shown, Slot},
    blocking::blocking as on_a_thread,
    call::CallParam,
    completion::{Completing, CompletionFuture, complete_with},
    error::{IntoToolError, ToolError},
    form::{FieldSpec, Form, FormCell, FormChoice, FormField, RenderedForm},
    function::{
        Function, IntoPromptSet, IntoResourceSet, IntoToolSet, Prompt, Prompts, Resource,
        Resources, Tool, Tools,
        body::{
            all_arguments, argument, argument_or_default, asynchronous, blocking, body0, body1,
            body2, body3, body4, body5, body6, body7, body8, bound_state, context, method0,
            method1, method2, method3, method4, method5, method6, method7, method8, tool0, tool1,
            tool2, tool3, tool4, tool5, tool6, tool7, tool8,
        },
    },
    outcome::{CallResult as Reply, Interrupt},
    parameters::{
        Args, ArgsParam, ArgumentFault, Shared, Slots, State, StateParam, StructMember, members_of,
        missing_is_ok,
    },
    prompt::IntoPromptResult,
    resource::{IntoResourceResult, PathVariable},
    spec::{
        AnnotationSpec, ArgumentSpec, ArgumentsSpec, CompleteSpec, Extra, FunctionSpec, IconSpec,
        Keyword, KindSpec, MarkerSpec, OnceSpec, ResourceSpec, StateSpec, ToolSpec,
    },
    tool::{IntoToolResult, OutputSpec},
};

/// The schema of the variable `{+name}`, whose type must stay in its folder.
pub fn path_schema_of<T: PathVariable + JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    schema_of::<T>(generator)
}

/// A struct's schema in full, for `Args`.
pub fn struct_schema_of<A: ArgsParam>(generator: &mut SchemaGenerator) -> Schema {
    A::Struct::json_schema(generator)
}

/// A struct's members, for `Args`.
pub fn struct_members_of<A: ArgsParam>() -> Vec<StructMember> {
    members_of::<A::Struct>()
}

/// For parameters with a default.
pub fn always() -> bool {
    true
}

/// The form of a value that is always asked for.
pub fn form_of<T: Form>() -> &'static RenderedForm {
    T::form()
}

/// A keyword's value.
pub fn value(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// A `State` parameter.
pub fn state<S: StateParam>(parameter: &'static str) -> StateSpec {
    StateSpec {
        parameter,
        bind: bind_state::<S>,
        missing: S::missing,
    }
}

fn bind_state<S: StateParam>(shared: &Shared) -> Option<Box<dyn Any + Send + Sync>> {
    shared.get::<S>().map(|state| Box::new(state) as _)
}

/// What `build()` says against a marker's type.
pub fn check_marker<M: Marker>() -> Option<&'static str> {
    let value = std::any::TypeId::of::<M::Value>();
    let no_refusal =
        value == std::any::TypeId::of::<Sampled>() || value == std::any::TypeId::of::<Roots>();
    (M::SHOWS_REFUSAL && no_refusal).then_some(
        "a completion or a list of roots cannot be declined; write `Resolve<..>` in place of `Elicit<..>`",
    )
}

/// The question of `#[elicit]`.
///
/// # Errors
///
/// None.
pub fn ask_form<T: Form>(message: std::fmt::Arguments<'_>) -> Result<Ask<T>, ToolError> {
    Ok(Ask::of_form(Message::of_marker(message)))
}

/// Converts what a resolver gives.
///
/// # Errors
///
/// The resolver's own.
pub fn into_ask<T, A: IntoAsk<T>>(ask: A) -> Result<Ask<T>, ToolError> {
    ask.into_ask()
}

/// Converts what a tool returns.
///
/// # Errors
///
/// The tool's own.
pub fn reply<R: IntoToolResult>(value: R) -> Reply {
    value.into_tool_result()
}

/// Converts what a prompt returns.
///
/// # Errors
///
/// The prompt's own.
pub fn prompt_reply<R: IntoPromptResult>(value: R) -> Reply {
    value.into_prompt_result()
}

/// Converts what a resource returns.
///
/// # Errors
///
/// The resource's own.
pub fn resource_reply<R: IntoResourceResult>(value: R) -> Reply {
    value.into_resource_result()
}

/// The key of a tool that runs once a key.
pub fn once_key(key: impl std::fmt::Display) -> String {
    key.to_string()
}

/// Tells whether a default can be shown, by whether its type serialises: the method that needs
/// fewer references is tried first.
#[derive(Debug)]
pub struct DefaultOf<F>(pub F);

/// A default that can be shown.
pub trait ShownDefault {
    fn shown(&self) -> Option<Value>;
}

impl<T: Serialize, F: Fn() -> T> ShownDefault for &DefaultOf<F> {
    fn shown(&self) -> Option<Value> {
        serde_json::to_value(self.0()).ok()
    }
}

/// A default that cannot: found only where [`ShownDefault`] is not.
pub trait HiddenDefault {
    fn shown(&self) -> Option<Value>;
}

impl<F> HiddenDefault for DefaultOf<F> {
    fn shown(&self) -> Option<Value> {
        None
    }
}

#[doc(hidden)]
#[macro_export]
macro_rules! __default_value {
    ($type:ty, $default:expr) => {{
        fn shown() -> $crate::__private::Option<$crate::__private::Value> {
            #[allow(unused_imports)]
            use $crate::__private::{HiddenDefault as _, ShownDefault as _};
            (&&$crate::__private::DefaultOf(|| -> $type { $default })).shown()
        }
        shown as fn() -> $crate::__private::Option<$crate::__private::Value>
    }};
}
pub use crate::__default_value as default_value;
