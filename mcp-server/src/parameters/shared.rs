//! [`State`]: what all calls of a server share.

use std::{
    any::{Any, TypeId, type_name},
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
pub trait StateParam: Clone + Send + Sync + 'static {
    /// What is registered, and how: the way out where it was not.
    fn missing() -> String;
}

impl<T: ?Sized + Send + Sync + 'static> StateParam for State<T> {
    fn missing() -> String {
        let name = type_name::<T>();
        let way_out = if name.starts_with("dyn ") {
            format!(".shared_state::<{}>(..)", without_paths(name))
        } else {
            ".state(..)".to_owned()
        };
        format!("no state of type `{name}` is registered; add `{way_out}` to the builder")
    }
}

/// `dyn shop::Stock` as it is written where `Stock` is in scope.
fn without_paths(name: &str) -> String {
    let is_name = |c: char| c == '_' || c == ':' || c.is_alphanumeric();
    let mut short = String::new();
    for part in name.split_inclusive(|c| !is_name(c)) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}

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

#[cfg(test)]
mod tests {
    use super::*;

    trait Stock: Send + Sync {}

    #[test]
    fn a_missing_state_is_named_by_what_is_registered() {
        assert_eq!(
            <State<u64>>::missing(),
            "no state of type `u64` is registered; add `.state(..)` to the builder"
        );
        let missing = <State<dyn Stock>>::missing();
        assert!(
            missing.ends_with("add `.shared_state::<dyn Stock>(..)` to the builder"),
            "{missing}"
        );
    }

    #[test]
    fn a_trait_object_keeps_its_arguments_and_bounds() {
        assert_eq!(
            without_paths("dyn shop::Stock<alloc::string::String> + core::marker::Send"),
            "dyn Stock<String> + Send"
        );
    }
}
