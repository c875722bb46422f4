//! The answers of later rounds, where those are on the request that began the call.

use std::sync::OnceLock;

use mcp_core::rpc::RpcError;

use crate::asking::{InputResponses, Place};

/// What came after a request, round by round. It only grows, so that what was borrowed from it stays.
#[derive(Debug, Default)]
pub(crate) struct Later(OnceLock<Box<Answers>>);

/// The answers of one round, as `inputResponses` has them.
#[derive(Debug)]
pub(crate) struct Answers {
    json: String,
    places: Vec<Place>,
    later: Later,
}

impl Later {
    /// The answers of the last round that brought any.
    pub(crate) fn last(&self) -> Option<&Answers> {
        let mut last = self.0.get()?;
        while let Some(later) = last.later.0.get() {
            last = later;
        }
        Some(last)
    }

    /// How many bytes all of them have.
    pub(crate) fn len(&self) -> usize {
        let mut bytes = 0;
        let mut next = self.0.get();
        while let Some(answers) = next {
            bytes += answers.json.len();
            next = answers.later.0.get();
        }
        bytes
    }

    pub(crate) fn add(&self, answers: Answers) {
        let end = self.last().map_or(self, |last| &last.later);
        // Rounds follow each other, so nobody else adds any.
        let _ = end.0.set(Box::new(answers));
    }
}

/// In a loop: each round in the one before would take its part of the stack. Not for [`Later`] itself, which every request has
/// and most leave empty.
impl Drop for Answers {
    fn drop(&mut self) {
        let mut next = self.later.0.take();
        while let Some(mut answers) = next {
            next = answers.later.0.take();
        }
    }
}

impl Answers {
    /// # Errors
    ///
    /// Where it is no object of objects.
    pub(super) fn new(json: String) -> Result<Self, RpcError> {
        Ok(Self {
            places: InputResponses::find(&json)?,
            json,
            later: Later::default(),
        })
    }

    pub(crate) fn as_responses(&self) -> InputResponses<'_> {
        InputResponses::at(&self.json, &self.places)
    }
}
