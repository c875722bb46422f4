//! [`Body`]: how a function is run, as the attributes put it together.
//!
//! Motivation: code that is written out for each function is checked anew with every edit of a user's, and a coroutine costs
//! the compiler ten times what the call of a generic function does. So whatever can be said by types is said by types here:
//! [`tool1`] and its like for tools that take plain arguments, [`body1`] and its like for those that take state and context as
//! well. [`asynchronous`] and [`blocking`] are for the rest.

use std::{
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
    task::{Context as Task, Poll},
};

use serde::Deserialize;

use super::{Function, Running};
use crate::{
    blocking::blocking as on_a_thread,
    call::{Call, CallParam},
    outcome::CallResult,
    parameters::{ArgsParam, ArgumentFault, Slots, StateParam},
    spec::{ArgumentSpec, ArgumentType, ArgumentsSpec, FunctionSpec},
    tool::{IntoToolResult, OutputSpec},
};

/// Runs a function.
pub(crate) type Body = Box<dyn Run>;

/// What `Fn(&Call) -> Running` is, without the two other ways to call it: a trait object of `Fn` has code for each.
pub trait Run: Send + Sync {
    /// Begins a call.
    fn run(&self, call: &Call) -> Running;
}

impl<F: Fn(&Call) -> Running + Send + Sync> Run for F {
    fn run(&self, call: &Call) -> Running {
        self(call)
    }
}

/// Tells a closure its signature.
fn body(run: impl Fn(&Call) -> Running + Send + Sync + 'static) -> Body {
    Box::new(run)
}

/// The body of an asynchronous function; `shared` is what a method is called on.
pub fn asynchronous<S>(shared: S, run: fn(S, Call) -> Running) -> Body
where
    S: Clone + Send + Sync + 'static,
{
    body(move |call| run(shared.clone(), call.clone()))
}

/// The body of a function that is not asynchronous, off the async threads.
pub fn blocking<S>(shared: S, run: fn(S, Call) -> CallResult) -> Body
where
    S: Clone + Send + Sync + 'static,
{
    body(move |call| {
        let (shared, call) = (shared.clone(), call.clone());
        Box::pin(on_a_thread(move || run(shared, call)))
    })
}

/// How many parameters the ready-made functions take.
const MOST: usize = 8;

/// What a call gives to the parameters, in their order.
#[derive(Debug)]
pub struct Given<'c> {
    call: &'c Call,
    slots: Slots<'c, MOST>,
    /// How many arguments and states were taken.
    arguments: usize,
    states: usize,
}

/// Takes the value of a parameter.
pub(crate) type Take<T> = fn(&mut Given<'_>) -> Result<T, ArgumentFault>;

/// Takes a plain argument.
///
/// # Errors
///
/// Where it is absent, or of another type.
pub fn argument<T: for<'de> Deserialize<'de>>(given: &mut Given<'_>) -> Result<T, ArgumentFault> {
    given.arguments += 1;
    given.slots.get_json(given.arguments - 1)
}

/// Takes a plain argument with `#[serde(default)]`.
///
/// # Errors
///
/// Where it is of another type.
pub fn argument_or_default<T: for<'de> Deserialize<'de> + Default>(
    given: &mut Given<'_>,
) -> Result<T, ArgumentFault> {
    given.arguments += 1;
    given.slots.get_or(given.arguments - 1, T::default)
}

/// Takes all arguments, for `Args`.
///
/// # Errors
///
/// Where they do not fit.
pub fn all_arguments<A: ArgsParam>(given: &mut Given<'_>) -> Result<A, ArgumentFault> {
    given.call.arguments_struct()
}

/// Takes a state.
///
/// # Errors
///
/// None.
pub fn bound_state<S: StateParam>(given: &mut Given<'_>) -> Result<S, ArgumentFault> {
    given.states += 1;
    Ok(given.call.state(given.states - 1))
}

/// Takes the context.
///
/// # Errors
///
/// None.
pub fn context<C: CallParam>(given: &mut Given<'_>) -> Result<C, ArgumentFault> {
    Ok(C::from_call(given.call))
}

macro_rules! ready_made {
    ($tool:ident $made:ident $body:ident $method:ident $begin:ident $read:ident $take:ident $count:literal $($parameter:ident $index:literal)*) => {
        /// A tool that takes plain arguments, each with its name and its description.
        #[track_caller]
        #[allow(non_snake_case, reason = "the values are named as their types")]
        pub fn $tool<R, $($parameter,)* Fut>(
            function: fn($($parameter),*) -> Fut,
            name: &'static str,
            description: &'static str,
            arguments: [(&'static str, &'static str); $count],
        ) -> Function
        where
            R: IntoToolResult,
            $($parameter: ArgumentType + 'static,)*
            Fut: Future<Output = R> + Send + 'static,
        {
            let body = body(move |call| match $begin(call, function) {
                Ok(future) => future,
                Err(refused) => refused,
            });
            $made::<R, $($parameter),*>(name, description, arguments, body)
        }

        /// One function for all tools of these types.
        #[track_caller]
        #[inline(never)]
        #[allow(non_snake_case, reason = "the values are named as their types")]
        fn $made<R: IntoToolResult, $($parameter: ArgumentType),*>(
            name: &'static str,
            description: &'static str,
            [$($parameter),*]: [(&'static str, &'static str); $count],
            body: Body,
        ) -> Function {
            let arguments = ArgumentsSpec::List(Box::new([
                $(ArgumentSpec::of::<$parameter>($parameter.0, $parameter.1)),*
            ]));
            let output = OutputSpec::of::<R>();
            Function { spec: FunctionSpec::tool(name, description, arguments, output), body }
        }

        /// Apart from what makes it a trait object: the same machine code for all functions that are alike, and the linker
        /// sees one of them.
        #[inline(never)]
        #[allow(non_snake_case, reason = "the values are named as their types")]
        fn $begin<$($parameter: for<'de> Deserialize<'de>,)* Fut>(
            call: &Call,
            function: fn($($parameter),*) -> Fut,
        ) -> Result<Pin<Box<Replying<Fut>>>, Running> {
            let ($($parameter,)*) = $read(call).map_err(refused)?;
            Ok(Box::pin(Replying { future: function($($parameter),*) }))
        }

        /// One function for all tools that take arguments of these types.
        #[allow(unused_variables, reason = "where there are none")]
        fn $read<$($parameter: for<'de> Deserialize<'de>),*>(
            call: &Call,
        ) -> Result<($($parameter,)*), ArgumentFault> {
            let slots = call.arguments::<$count>()?;
            Ok(($(slots.get_json($index)?,)*))
        }

        /// The body of a tool that asks nothing and borrows nothing, with where its parameters come from.
        #[allow(non_snake_case, reason = "the values are named as their types")]
        pub fn $body<R, $($parameter,)* Fut>(
            function: fn($($parameter),*) -> Fut,
            takes: ($(Take<$parameter>,)*),
        ) -> Body
        where
            R: IntoToolResult,
            $($parameter: 'static,)*
            Fut: Future<Output = R> + Send + 'static,
        {
            body(move |call| match $take(call, takes) {
                Ok(($($parameter,)*)) => Box::pin(Replying { future: function($($parameter),*) }),
                Err(fault) => refused(fault),
            })
        }

        /// The same for a method.
        #[allow(non_snake_case, reason = "the values are named as their types")]
        pub fn $method<R, S, $($parameter,)* Fut>(
            receiver: &Arc<S>,
            function: fn(Arc<S>, $($parameter),*) -> Fut,
            takes: ($(Take<$parameter>,)*),
        ) -> Body
        where
            R: IntoToolResult,
            S: Send + Sync + 'static,
            $($parameter: 'static,)*
            Fut: Future<Output = R> + Send + 'static,
        {
            let receiver = Arc::clone(receiver);
            body(move |call| match $take(call, takes) {
                Ok(($($parameter,)*)) => {
                    let future = function(Arc::clone(&receiver), $($parameter),*);
                    Box::pin(Replying { future })
                }
                Err(fault) => refused(fault),
            })
        }

        #[allow(non_snake_case, reason = "the values are named as their types")]
        #[allow(unused_mut, unused_variables, reason = "where there are no parameters")]
        fn $take<$($parameter),*>(
            call: &Call,
            ($($parameter,)*): ($(Take<$parameter>,)*),
        ) -> Result<($($parameter,)*), ArgumentFault> {
            let mut given = Given::of(call)?;
            Ok(($($parameter(&mut given)?,)*))
        }
    };
}
// A line each: the compiler shows it below what it says against a user's type.
ready_made!(tool0 made0 body0 method0 begin0 read0 take0 0);
ready_made!(tool1 made1 body1 method1 begin1 read1 take1 1 A 0);
ready_made!(tool2 made2 body2 method2 begin2 read2 take2 2 A 0 B 1);
ready_made!(tool3 made3 body3 method3 begin3 read3 take3 3 A 0 B 1 C 2);
ready_made!(tool4 made4 body4 method4 begin4 read4 take4 4 A 0 B 1 C 2 D 3);
ready_made!(tool5 made5 body5 method5 begin5 read5 take5 5 A 0 B 1 C 2 D 3 E 4);
ready_made!(tool6 made6 body6 method6 begin6 read6 take6 6 A 0 B 1 C 2 D 3 E 4 G 5);
ready_made!(tool7 made7 body7 method7 begin7 read7 take7 7 A 0 B 1 C 2 D 3 E 4 G 5 H 6);
ready_made!(tool8 made8 body8 method8 begin8 read8 take8 8 A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7);

impl<'c> Given<'c> {
    fn of(call: &'c Call) -> Result<Self, ArgumentFault> {
        Ok(Self {
            call,
            slots: call.arguments()?,
            arguments: 0,
            states: 0,
        })
    }
}

#[cold]
fn refused(fault: ArgumentFault) -> Running {
    Box::pin(ready(Err(fault.into())))
}

pin_project_lite::pin_project! {
    /// A tool's own future, and then the result: there is one for each tool, so it is no state machine of its own.
    struct Replying<Fut> {
        #[pin]
        future: Fut,
    }
}

impl<R: IntoToolResult, Fut: Future<Output = R>> Future for Replying<Fut> {
    type Output = CallResult;

    fn poll(self: Pin<&mut Self>, cx: &mut Task<'_>) -> Poll<CallResult> {
        match self.project().future.poll(cx) {
            Poll::Ready(value) => Poll::Ready(value.into_tool_result()),
            Poll::Pending => Poll::Pending,
        }
    }
}
