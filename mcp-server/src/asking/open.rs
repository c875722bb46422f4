//! A question of a parameter, on its way through a round: what the walk knows of it, and what pins it.

use std::sync::OnceLock;

use super::{
    exchange::Exchange,
    question::{Message, Question},
};
use crate::{
    spec::{FunctionSpec, MarkerSpec},
    state::Digest,
};

/// A question that is about to be looked up or shown.
pub(super) struct Open<'s> {
    pub(super) marker: &'s MarkerSpec,
    pub(super) pin: &'s OnceLock<Digest>,
    /// No parameter asks beside or after it, so its answer is needed in this round alone, unless a layer asks too.
    pub(super) is_last: bool,
    pub(super) depends_on: &'s [usize],
    pub(super) at_most: Option<u32>,
    pub(super) has_fallback: bool,
}

impl Open<'_> {
    /// What the question is pinned by. One that is the same in each call is digested once.
    pub(super) fn digest(
        &self,
        question: &Question,
        spec: &FunctionSpec,
        exchange: &Exchange,
    ) -> Digest {
        match question.message {
            Message::Fixed(_) if self.depends_on.is_empty() => {
                let pin = *self.pin.get_or_init(|| question.digest(&[]));
                debug_assert_eq!(pin, question.digest(&[]), "the question of each call");
                pin
            }
            _ => question.digest(&self.pins(spec, exchange)),
        }
    }

    /// The recorded answers that led to it.
    pub(super) fn pins<'e>(&self, spec: &FunctionSpec, exchange: &'e Exchange) -> Vec<&'e [u8]> {
        self.depends_on
            .iter()
            .map(|index| {
                exchange
                    .payload
                    .answers
                    .get(spec.markers[*index].parameter)
                    .map_or(&b""[..], |recorded| recorded.value.as_bytes())
            })
            .collect()
    }
}
