//! What the tests of this module share.

use sha2::{Digest as _, Sha256};

use super::key::{Key, hex_digit};

mod fixture;
mod log;
mod shake;

pub(crate) use fixture::{Fixture, START, alice, arguments, begun, binding, ring};
pub(crate) use log::logged;
pub(crate) use shake::Shake128;

/// A fixed key, another for each number.
pub(crate) fn key(number: u64) -> Key {
    Key::from_bytes(Sha256::digest(number.to_be_bytes())).expect("a hash is no pattern")
}

/// The bytes that the hexadecimal digits stand for.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "an even number of digits");
    let digit = |digit| hex_digit(digit).expect("a hexadecimal digit");
    pairs
        .iter()
        .map(|[high, low]| digit(*high) << 4 | digit(*low))
        .collect()
}
