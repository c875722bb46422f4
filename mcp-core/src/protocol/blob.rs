//! Reading Base64 as peers write it: the standard alphabet with padding, or nearly.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD_LENIENT: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const URL_SAFE_LENIENT: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Text that should be Base64 and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidBase64(base64::DecodeError);

impl fmt::Display for InvalidBase64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the blob is not Base64: {}", self.0)
    }
}

impl std::error::Error for InvalidBase64 {}

/// The bytes that the text stands for. Some servers write the URL-safe alphabet or leave the padding out.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, InvalidBase64> {
    let engine = match text.contains(['-', '_']) {
        true => &URL_SAFE_LENIENT,
        false => &STANDARD_LENIENT,
    };
    engine.decode(text).map_err(InvalidBase64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn padding_and_alphabet_are_taken_as_they_come() {
        for text in ["+//+", "-__-"] {
            assert_eq!(decode(text).unwrap(), [0xfb, 0xff, 0xfe]);
        }
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            assert_eq!(decode(text).unwrap(), [0xfb, 0xff]);
        }
        assert!(decode("").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_base64_is_an_error() {
        for text in ["a", "+_8", "a b=", "\u{e9}"] {
            assert!(decode(text).is_err(), "{text}");
        }
    }
}
