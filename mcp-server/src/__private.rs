//! What generated code calls. Not part of the API: it changes with the macros.
#![allow(missing_docs)]

use std::{
    any::Any,
    pin::Pin,
    task::{Context, Poll},
};
pub use std::{
    borrow::Cow,
    boxed::Box,
    clone::Clone,
    convert::{From, Into},
    default::Default,
    file, format_args, line,
    marker::{Send, Sync},
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
use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};

use crate::asking::Message;
pub use crate::{
    asking::{Ask, Asking, IntoAsk, Marker, Roots, Sampled, Shown, Slot},
    blocking::blocking,
    call::{Call, CallParam},
    completion::{Completing, CompletionFuture, complete_with},
    error::{IntoToolError, ToolError},
    form::{FieldSpec, Form, FormCell, FormChoice, FormField, RenderedForm},
    function::{
        BoundMethod, Function, IntoPromptSet, IntoResourceSet, IntoToolSet, Prompt, Prompts,
        Resource, Resources, Running, Tool, Tools,
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
        Keyword, KindSpec, Location, MarkerSpec, OnceSpec, ResourceSpec, StateSpec, ToolSpec,
    },
    tool::{IntoToolResult, OutputSpec},
};

/// A type's schema.
pub fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

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

/// For parameters that must be there.
pub fn never() -> bool {
    false
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
pub const fn state<S: StateParam>(parameter: &'static str) -> StateSpec {
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
pub fn ask_form<T: Form>(message: std::fmt::Arguments<'_>) -> Ask<T> {
    Ask::of_form(Message::of_marker(message))
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

macro_rules! ready_made {
    ($($run:ident $begin:ident $read:ident: $count:literal, $($argument:ident $index:literal),+;)+) => {$(
        /// The body of a tool that takes owned arguments alone.
        pub fn $run<$($argument,)+ Fut, R>(call: Call, function: fn($($argument),+) -> Fut) -> Running
        where
            $($argument: for<'de> Deserialize<'de> + Send + 'static,)+
            Fut: Future<Output = R> + Send + 'static,
            R: IntoToolResult,
        {
            match $begin(call, function) {
                Ok(replying) => replying,
                Err(refused) => refused,
            }
        }

        /// Apart from what makes it a trait object: the same machine code for all functions that are alike, and the linker
        /// sees one of them.
        #[inline(never)]
        #[allow(non_snake_case, reason = "the values are named as their types")]
        fn $begin<$($argument,)+ Fut>(
            call: Call,
            function: fn($($argument),+) -> Fut,
        ) -> Result<Pin<Box<Replying<Fut>>>, Running>
        where
            $($argument: for<'de> Deserialize<'de>,)+
        {
            match $read(&call) {
                Ok(($($argument,)+)) => Ok(Box::pin(Replying { future: function($($argument),+) })),
                Err(fault) => Err(refused(fault)),
            }
        }

        /// One function for all tools that take arguments of these types.
        fn $read<$($argument: for<'de> Deserialize<'de>),+>(
            call: &Call,
        ) -> Result<($($argument,)+), ArgumentFault> {
            let slots = call.arguments::<$count>()?;
            Ok(($(slots.get_json($index)?,)+))
        }
    )+};
}
ready_made! {
    run1 begin1 read1: 1, A 0;
    run2 begin2 read2: 2, A 0, B 1;
    run3 begin3 read3: 3, A 0, B 1, C 2;
    run4 begin4 read4: 4, A 0, B 1, C 2, D 3;
    run5 begin5 read5: 5, A 0, B 1, C 2, D 3, E 4;
    run6 begin6 read6: 6, A 0, B 1, C 2, D 3, E 4, G 5;
    run7 begin7 read7: 7, A 0, B 1, C 2, D 3, E 4, G 5, H 6;
    run8 begin8 read8: 8, A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7;
}

fn refused(fault: ArgumentFault) -> Running {
    Box::pin(std::future::ready(Err(fault.into())))
}

pin_project_lite::pin_project! {
    /// A tool's own future, and then the result: there is one for each tool, so it is no state machine of its own.
    struct Replying<Fut> {
        #[pin]
        future: Fut,
    }
}

impl<R: IntoToolResult, Fut: Future<Output = R>> Future for Replying<Fut> {
    type Output = Reply;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reply> {
        match self.project().future.poll(cx) {
            Poll::Ready(value) => Poll::Ready(reply(value)),
            Poll::Pending => Poll::Pending,
        }
    }
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
