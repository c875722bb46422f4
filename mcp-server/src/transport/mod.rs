//! Transports: they move messages and know no method.

mod io;
#[cfg(feature = "stdio")]
mod stdio;
