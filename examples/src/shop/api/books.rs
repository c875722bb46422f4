//! The shop's books: every rule about orders, quotes, refunds and visits, without HTTP.

use std::collections::HashMap;

use crate::shop::model::{
    Cents, Item, Order, POLICY_LIMIT, Quote, Refund, RefundStatus, Return, Visit,
};

/// All that the shop knows. It begins with three orders.
#[derive(Debug)]
pub(super) struct Books {
    orders: Vec<Order>,
    quotes: Vec<Quote>,
    refunds: Vec<Refund>,
    /// The refund that was made from a quote, both by id.
    refund_of_quote: HashMap<String, String>,
    returns: Vec<Return>,
    visits: HashMap<String, Visit>,
}

/// Why the shop does not do it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no such thing.
    NotFound(String),
    /// It is not in a state for this.
    Conflict(String),
    /// The sign-in is wrong.
    WrongSignIn,
    /// The sign-in is right, but somebody else was asked.
    SomebodyElse,
}

/// Who works here, with the PINs of the demo.
const CLERKS: [(&str, &str); 2] = [("lea", "2468"), ("tom", "1357")];

impl Books {
    pub(super) fn new() -> Self {
        let orders = [
            order(
                "O-2289",
                &[
                    ("KG-2010", "cast-iron casserole", 9500),
                    ("GD-3007", "raised bed", 8500),
                ],
            ),
            order(
                "O-1145",
                &[
                    ("KG-1043", "stand mixer", 28900),
                    ("GD-2216", "garden hose, 25 m", 5449),
                ],
            ),
            order("O-3310", &[("GD-1180", "pruning shears", 4290)]),
        ];
        Self {
            orders: orders.into(),
            quotes: Vec::new(),
            refunds: Vec::new(),
            refund_of_quote: HashMap::new(),
            returns: Vec::new(),
            visits: HashMap::new(),
        }
    }

    pub(super) fn order(&self, id: &str) -> Result<&Order, Refused> {
        let order = self.orders.iter().find(|order| order.id == id);
        order.ok_or_else(|| not_found("order", id))
    }

    /// A quote for the whole order, or for one article of it.
    pub(super) fn add_quote(
        &mut self,
        order_id: &str,
        sku: Option<&str>,
    ) -> Result<Quote, Refused> {
        let order = self.order(order_id)?;
        let amount = match sku {
            Some(sku) => item(order, sku)?.price_cents,
            None => order.total_cents,
        };
        let quote = Quote {
            id: format!("Q-{:04}", 501 + self.quotes.len()),
            order_id: order_id.to_owned(),
            amount_cents: amount,
            needs_confirmation: amount > POLICY_LIMIT,
        };
        self.quotes.push(quote.clone());
        Ok(quote)
    }

    pub(super) fn quote(&self, id: &str) -> Result<&Quote, Refused> {
        let quote = self.quotes.iter().find(|quote| quote.id == id);
        quote.ok_or_else(|| not_found("quote", id))
    }

    /// The refund of a quote. Asked a second time for the same quote, it gives the same refund.
    ///
    /// It does not add up the refunds of an order: the demo refunds some of them more than once.
    pub(super) fn refund_quote(&mut self, quote_id: &str) -> Result<Refund, Refused> {
        if let Some(refund_id) = self.refund_of_quote.get(quote_id).cloned() {
            return self.refund(&refund_id).cloned();
        }
        let quote = self.quote(quote_id)?;
        let refund = Refund {
            id: format!("R-{:04}", 111 + self.refunds.len()),
            order_id: quote.order_id.clone(),
            amount_cents: quote.amount_cents,
            status: match quote.needs_confirmation {
                true => RefundStatus::NeedsConfirmation,
                false => RefundStatus::Requested,
            },
        };
        self.refund_of_quote
            .insert(quote_id.to_owned(), refund.id.clone());
        self.refunds.push(refund.clone());
        Ok(refund)
    }

    pub(super) fn refund(&self, id: &str) -> Result<&Refund, Refused> {
        let refund = self.refunds.iter().find(|refund| refund.id == id);
        refund.ok_or_else(|| not_found("refund", id))
    }

    /// Moves a refund on, if it is where this step begins.
    pub(super) fn advance(
        &mut self,
        id: &str,
        from: RefundStatus,
        to: RefundStatus,
    ) -> Result<Refund, Refused> {
        let refund = self.refunds.iter_mut().find(|refund| refund.id == id);
        let refund = refund.ok_or_else(|| not_found("refund", id))?;
        if refund.status != from {
            return Err(Refused::Conflict(format!(
                "refund {id} is at `{}`, and only one at `{from}` can go on to `{to}`",
                refund.status
            )));
        }
        refund.status = to;
        Ok(refund.clone())
    }

    pub(super) fn add_return(&mut self, parcel: Return) -> Result<(), Refused> {
        item(self.order(&parcel.order_id)?, &parcel.sku)?;
        self.returns.push(parcel);
        Ok(())
    }

    /// Begins a visit to the payment page, or tells how far it is.
    pub(super) fn visit(&mut self, id: &str, clerk: &str) -> Result<Visit, Refused> {
        if CLERKS.iter().all(|(known, _)| *known != clerk) {
            return Err(not_found("clerk", clerk));
        }
        let visit = self.visits.entry(id.to_owned()).or_insert_with(|| Visit {
            clerk: clerk.to_owned(),
            signed_in: false,
        });
        match visit.clerk == clerk {
            true => Ok(visit.clone()),
            false => Err(Refused::SomebodyElse),
        }
    }

    pub(super) fn has_visit(&self, id: &str) -> Result<(), Refused> {
        match self.visits.contains_key(id) {
            true => Ok(()),
            false => Err(not_found("visit", id)),
        }
    }

    /// Ends a visit. Who finishes it must be who was asked: the page's address alone opens nothing,
    /// or whoever gets hold of it could connect an account of their own.
    pub(super) fn sign_in(&mut self, visit: &str, clerk: &str, pin: &str) -> Result<(), Refused> {
        self.has_visit(visit)?;
        if !CLERKS.contains(&(clerk, pin)) {
            return Err(Refused::WrongSignIn);
        }
        match self.visits.get_mut(visit) {
            Some(visit) if visit.clerk == clerk => {
                visit.signed_in = true;
                Ok(())
            }
            _ => Err(Refused::SomebodyElse),
        }
    }
}

fn order(id: &str, items: &[(&str, &str, u32)]) -> Order {
    let items: Vec<Item> = items
        .iter()
        .map(|&(sku, name, price)| Item {
            sku: sku.to_owned(),
            name: name.to_owned(),
            price_cents: Cents(price),
        })
        .collect();
    Order {
        id: id.to_owned(),
        total_cents: Cents(items.iter().map(|item| item.price_cents.0).sum()),
        items,
    }
}

fn item<'a>(order: &'a Order, sku: &str) -> Result<&'a Item, Refused> {
    let item = order.items.iter().find(|item| item.sku == sku);
    item.ok_or_else(|| not_found("article of this order", sku))
}

fn not_found(what: &str, id: &str) -> Refused {
    Refused::NotFound(format!("there is no {what} {id}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn refund(books: &mut Books, order: &str, sku: Option<&str>) -> Refund {
        let quote = books.add_quote(order, sku).unwrap();
        books.refund_quote(&quote.id).unwrap()
    }

    #[test]
    fn the_orders_cost_what_they_should() {
        let books = Books::new();
        for (id, total) in [("O-2289", 18000), ("O-1145", 34349), ("O-3310", 4290)] {
            assert_eq!(books.order(id).unwrap().total_cents, Cents(total));
        }
        assert!(item(books.order("O-1145").unwrap(), "KG-1043").is_ok());
    }

    #[test]
    fn refunds_above_the_limit_are_held_and_counted_from_111() {
        let mut books = Books::new();
        let held = refund(&mut books, "O-2289", None);
        assert_eq!(held.id, "R-0111");
        assert_eq!(held.status, RefundStatus::NeedsConfirmation);
        let small = refund(&mut books, "O-1145", Some("GD-2216"));
        assert_eq!(small.id, "R-0112");
        assert_eq!(small.status, RefundStatus::Requested);
    }

    #[test]
    fn exactly_the_limit_is_not_above_it() {
        let mut books = Books::new();
        books.orders.push(order("O-1", &[("A", "a", 15000)]));
        books.orders.push(order("O-2", &[("A", "a", 15001)]));
        assert!(!books.add_quote("O-1", None).unwrap().needs_confirmation);
        assert!(books.add_quote("O-2", None).unwrap().needs_confirmation);
    }

    #[test]
    fn a_quote_is_refunded_once() {
        let mut books = Books::new();
        let quote = books.add_quote("O-2289", None).unwrap();
        let first = books.refund_quote(&quote.id).unwrap();
        assert_eq!(books.refund_quote(&quote.id).unwrap(), first);
    }

    #[test]
    fn only_a_held_refund_is_confirmed_or_cancelled() {
        use RefundStatus::{Cancelled, NeedsConfirmation, Requested};
        for to in [Requested, Cancelled] {
            let mut books = Books::new();
            let id = refund(&mut books, "O-2289", None).id;
            let moved = books.advance(&id, NeedsConfirmation, to).unwrap();
            assert_eq!(moved.status, to);
            for again in [Requested, Cancelled] {
                let refused = books.advance(&id, NeedsConfirmation, again).unwrap_err();
                assert!(matches!(refused, Refused::Conflict(_)), "{refused:?}");
            }
        }
    }

    #[test]
    fn a_visit_is_finished_by_who_was_asked() {
        let mut books = Books::new();
        assert!(!books.visit("v", "lea").unwrap().signed_in);
        assert_eq!(books.sign_in("v", "lea", "1357"), Err(Refused::WrongSignIn));
        assert_eq!(
            books.sign_in("v", "tom", "1357"),
            Err(Refused::SomebodyElse)
        );
        assert_eq!(books.visit("v", "tom"), Err(Refused::SomebodyElse));
        assert!(!books.visit("v", "lea").unwrap().signed_in);
        books.sign_in("v", "lea", "2468").unwrap();
        assert!(books.visit("v", "lea").unwrap().signed_in);
    }
}
