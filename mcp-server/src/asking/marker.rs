//! The marker types that a tool puts on a parameter to have a person answer it.

use std::ops::Deref;

/// What the user answered to a question: all three outcomes, for the tool to tell apart.
///
/// On a tool's parameter it needs an attribute that says what to ask: `#[elicit("..")]` or
/// `#[resolve(..)]`. There is no short way to the value, so that no refusal is taken for consent.
///
/// Specification: client/elicitation, Response Actions.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// struct Confirm {
///     /// Check to empty the cart.
///     confirm: bool,
/// }
///
/// /// Empties the cart, after asking.
/// #[tool(destructive)]
/// async fn empty_cart(
///     #[elicit("Empty the cart?")] answer: Elicit<Confirm>,
/// ) -> &'static str {
///     match answer {
///         Elicit::Accept(Confirm { confirm: true }) => "The cart is empty.",
///         Elicit::Accept(_) | Elicit::Decline => "The cart was kept.",
///         Elicit::Cancel => "The form was closed; the cart was kept.",
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an answer may be a refusal: look at all three outcomes"]
pub enum Elicit<T> {
    /// The user sent the form, or the resolver had the value at hand.
    Accept(T),
    /// The user said no.
    Decline,
    /// The user closed the form without a choice.
    Cancel,
}

impl<T> Elicit<T> {
    /// The same answer with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Elicit<U> {
        match self {
            Self::Accept(value) => Elicit::Accept(f(value)),
            Self::Decline => Elicit::Decline,
            Self::Cancel => Elicit::Cancel,
        }
    }
}

/// A value that a resolver found or a person gave.
///
/// A refusal ends the call before the tool's body runs; see [`Elicit`] for the other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolve<T>(pub T);

impl<T> Resolve<T> {
    /// The value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Resolve<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// How a question ended.
#[derive(Debug)]
pub enum Settlement<V> {
    Value(V),
    Declined,
    Cancelled,
}

/// Why a refusal ends the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Declined,
    Cancelled,
}

impl Refusal {
    /// What the model is told.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Declined => "the user declined; do not ask again",
            Self::Cancelled => "the user closed the form; ask again later",
        }
    }
}

/// A parameter type whose value a person or a resolver gives.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a marker of `mcp_server`",
    label = "expected `mcp_server::Elicit<T>` or `mcp_server::Resolve<T>`"
)]
pub trait Marker: Sized + Send {
    type Value: Send + 'static;

    /// Whether the outcomes of a refusal reach the body.
    const SHOWS_REFUSAL: bool;

    fn settle(settlement: Settlement<Self::Value>) -> Result<Self, Refusal>;
}

impl<T: Send + 'static> Marker for Elicit<T> {
    type Value = T;

    const SHOWS_REFUSAL: bool = true;

    fn settle(settlement: Settlement<T>) -> Result<Self, Refusal> {
        Ok(match settlement {
            Settlement::Value(value) => Self::Accept(value),
            Settlement::Declined => Self::Decline,
            Settlement::Cancelled => Self::Cancel,
        })
    }
}

impl<T: Send + 'static> Marker for Resolve<T> {
    type Value = T;

    const SHOWS_REFUSAL: bool = false;

    fn settle(settlement: Settlement<T>) -> Result<Self, Refusal> {
        match settlement {
            Settlement::Value(value) => Ok(Self(value)),
            Settlement::Declined => Err(Refusal::Declined),
            Settlement::Cancelled => Err(Refusal::Cancelled),
        }
    }
}
