//! Where the notes of the `notes` example are kept: in memory, for as long as the server runs.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mcp_server::ToolError;

/// The notes, by id.
#[derive(Debug)]
pub struct Notes(Mutex<BTreeMap<String, String>>);

impl Notes {
    /// Three notes to begin with.
    ///
    /// # Errors
    ///
    /// Never; a store on disk would have some.
    pub fn load() -> Result<Self, Infallible> {
        let notes = [
            ("n-1", "Groceries"),
            ("n-2", "Ideas for the garden"),
            ("n-3", "Call the plumber"),
        ];
        let notes = notes.map(|(id, title)| (id.to_owned(), title.to_owned()));
        Ok(Self(Mutex::new(notes.into())))
    }

    /// All ids and titles, in order.
    pub fn list(&self) -> Vec<(String, String)> {
        let notes = self.notes();
        let pairs = notes.iter().map(|(id, title)| (id.clone(), title.clone()));
        pairs.collect()
    }

    /// The title of one note.
    ///
    /// # Errors
    ///
    /// There is no such note.
    pub fn title(&self, id: &str) -> Result<String, ToolError> {
        self.notes().get(id).cloned().ok_or_else(|| no_note(id))
    }

    /// Deletes one note.
    ///
    /// # Errors
    ///
    /// There is no such note.
    pub fn delete(&self, id: &str) -> Result<(), ToolError> {
        match self.notes().remove(id) {
            Some(_) => Ok(()),
            None => Err(no_note(id)),
        }
    }

    fn notes(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_note(id: &str) -> ToolError {
    ToolError::new(format!("there is no note {id}; list_notes tells the ids"))
}
