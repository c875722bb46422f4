//! Base64url without padding: in place where we seal, strict where we open.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// How many characters `bytes` bytes become.
pub(crate) const fn encoded_len(bytes: usize) -> usize {
    bytes / 3 * 4 + [0, 2, 3][bytes % 3]
}

/// How many bytes `characters` characters become.
pub(crate) const fn decoded_len(characters: usize) -> usize {
    characters / 4 * 3 + characters % 4 * 3 / 4
}

/// Encodes the last `bytes` bytes of the buffer over its part from `start`, which must be `encoded_len(bytes)` long.
///
/// Sealing works in one buffer: the bytes stand at the end, the text grows from the front and reaches a byte only after
/// it was read, since four characters take the place of at most four bytes.
pub(crate) fn encode_in_place(buffer: &mut [u8], start: usize, bytes: usize) {
    debug_assert_eq!(buffer.len() - start, encoded_len(bytes));
    let (mut read, mut write) = (buffer.len() - bytes, start);
    while read < buffer.len() {
        let taken = (buffer.len() - read).min(3);
        let mut group = [0; 3];
        group[..taken].copy_from_slice(&buffer[read..read + taken]);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for place in 0..=taken {
            buffer[write + place] = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
        }
        read += taken;
        write += taken + 1;
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn in_place_is_what_the_crate_writes() {
        let bytes: Vec<u8> = (0..=255).map(|n: u8| n.wrapping_mul(37)).collect();
        for length in 0..bytes.len() {
            let bytes = &bytes[..length];
            let mut buffer = b"v1.".to_vec();
            buffer.resize(3 + encoded_len(length), 0);
            let tail = buffer.len() - length;
            buffer[tail..].copy_from_slice(bytes);
            encode_in_place(&mut buffer, 3, length);
            assert_eq!(buffer[3..], *encode(bytes).as_bytes(), "{length}");
            assert_eq!(decoded_len(buffer.len() - 3), length);
        }
    }

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
