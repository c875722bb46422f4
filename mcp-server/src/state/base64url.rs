//! Base64url without padding, strict where we open.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// How many characters `bytes` bytes become.
pub(crate) const fn encoded_len(bytes: usize) -> usize {
    bytes / 3 * 4 + [0, 2, 3][bytes % 3]
}

/// How many bytes `characters` characters become.
pub(crate) const fn decoded_len(characters: usize) -> usize {
    characters / 4 * 3 + characters % 4 * 3 / 4
}

/// Decodes the one canonical form: no padding, no other alphabet, no white space, no stray bits in the last character.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// Decodes exactly `N` bytes.
pub(crate) fn decode_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let written = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
    (written == N).then_some(bytes)
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Encodes behind what is there.
pub(crate) fn append(text: &mut String, bytes: &[u8]) {
    URL_SAFE_NO_PAD.encode_string(bytes, text);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_the_canonical_form_decodes() {
        assert_eq!(decode("Zm8").unwrap(), b"fo");
        // Padding, white space, the other alphabet, a stray bit, an impossible length.
        for text in [
            "Zm8=", "Zm8\n", " Zm8", "Zm9", "-_+/", "Zm8=====", "A", "Zm\u{e9}",
        ] {
            assert_eq!(decode(text), None, "{text:?}");
        }
        assert_eq!(decode_array::<2>("Zm8"), Some(*b"fo"));
        assert_eq!(decode_array::<3>("Zm8"), None);
        assert_eq!(decode_array::<1>("Zm8"), None);
    }
}
