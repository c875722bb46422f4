//! Protocol types.
