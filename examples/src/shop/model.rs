//! What the shop deals in: orders, quotes, refunds and returns, as its API and its tools give them.

use std::fmt;

use mcp_server::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An amount of money in cents; shown with two digits, such as `180.00`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Cents(pub u32);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Refunds above this are held until a lead has confirmed them.
pub const POLICY_LIMIT: Cents = Cents(15000);

/// One article of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// The article number.
    pub sku: String,
    /// What it is.
    pub name: String,
    /// What it cost, in cents.
    pub price_cents: Cents,
}

/// An order that was paid and shipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    /// The order's id, such as `O-2289`.
    pub id: String,
    /// The articles.
    pub items: Vec<Item>,
    /// What all of it cost, in cents.
    pub total_cents: Cents,
}

/// What a refund would come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The quote's id, for issue_refund.
    pub id: String,
    /// The order's id.
    pub order_id: String,
    /// The amount, in cents.
    pub amount_cents: Cents,
    /// Whether a lead must confirm the refund.
    pub needs_confirmation: bool,
}

/// A refund. It is made from a quote, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refund {
    /// The refund's id, such as `R-0111`.
    pub id: String,
    /// The order's id.
    pub order_id: String,
    /// The amount, in cents.
    pub amount_cents: Cents,
    /// How far it is.
    pub status: RefundStatus,
}

/// How far a refund is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// Held until a lead confirms it.
    NeedsConfirmation,
    /// Requested from the payment provider.
    Requested,
    /// Cancelled by the lead.
    Cancelled,
    /// Paid out.
    Paid,
}

/// As on the wire, such as `requested`.
impl fmt::Display for RefundStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A parcel that came back, and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Return {
    /// The order's id.
    pub(crate) order_id: String,
    /// The article number.
    pub(crate) sku: String,
    /// Why it came back.
    pub(crate) reason: Reason,
    /// Whether it goes back on the shelf.
    pub(crate) restock: bool,
    /// What else there is to know.
    pub(crate) note: Option<String>,
}

/// Why a parcel comes back. It is also a choice in the form of `record_return`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Form)]
pub(crate) enum Reason {
    #[serde(rename = "damaged in transit")]
    DamagedInTransit,
    #[serde(rename = "wrong item sent")]
    WrongItemSent,
    #[serde(rename = "missing part")]
    MissingPart,
    #[serde(rename = "arrived late")]
    ArrivedLate,
    #[serde(rename = "changed mind")]
    ChangedMind,
}

/// As in the form.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A visit to the payment page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visit {
    /// Who was asked to go there, and who alone may sign in there.
    pub(crate) clerk: String,
    /// Whether the clerk has signed in.
    pub(crate) signed_in: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_two_digits() {
        for (cents, shown) in [
            (0, "0.00"),
            (5, "0.05"),
            (18000, "180.00"),
            (34349, "343.49"),
        ] {
            assert_eq!(Cents(cents).to_string(), shown);
        }
    }

    #[test]
    fn a_status_is_shown_as_on_the_wire() {
        assert_eq!(RefundStatus::Requested.to_string(), "requested");
        assert_eq!(Reason::ArrivedLate.to_string(), "arrived late");
    }
}
