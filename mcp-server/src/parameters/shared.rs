//! [`State`]: what all calls of a server share.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    ops::Deref,
    sync::Arc,
};

/// Shared state, registered once with [`Builder::state`](crate::Builder::state) and handed to each
/// tool that names it.
///
/// It is bound when the server is built: a missing one is a fault there, not in a call. `T` may be a
/// trait object, registered with [`Builder::shared_state`](crate::Builder::shared_state).
pub struct State<T: ?Sized>(Arc<T>);

impl<T: ?Sized> State<T> {
    /// Wraps a value that is shared already.
    pub fn new(value: Arc<T>) -> Self {
        Self(value)
    }

    /// The shared value.
    pub fn into_inner(self) -> Arc<T> {
        self.0
    }
}

impl<T: ?Sized> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&&*self.0).finish()
    }
}

impl<T> From<T> for State<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

/// What `State` in a tool's signature must be.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `mcp_server::State`",
    label = "expected `mcp_server::State<T>`",
    note = "another crate's `State` is in scope under this name; write `mcp_server::State<T>` in full"
)]
pub trait StateParam: Clone + Send + Sync + 'static {}

impl<T: ?Sized + Send + Sync + 'static> StateParam for State<T> {}

/// All state that was registered, by type.
#[derive(Default)]
pub struct Shared(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Shared {
    /// Adds a value; gives `false` where one of that type is there already.
    pub(crate) fn insert<S: StateParam>(&mut self, state: S) -> bool {
        self.0.insert(TypeId::of::<S>(), Box::new(state)).is_none()
    }

    pub(crate) fn get<S: StateParam>(&self) -> Option<S> {
        self.0.get(&TypeId::of::<S>())?.downcast_ref::<S>().cloned()
    }
}
