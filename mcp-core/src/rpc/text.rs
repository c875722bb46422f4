//! Writes JSON strings: most text needs no escape, so eight bytes are looked at in one step.

/// Appends a string as JSON, quotes included.
///
/// ```
/// let mut out = Vec::new();
/// mcp_core::rpc::write_str(&mut out, "one \"line\"\n");
/// assert_eq!(out, br#""one \"line\"\n""#);
/// ```
#[inline] // Each call of a tool writes some.
pub fn write_str(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut rest = bytes;
    loop {
        let plain = plain_prefix(rest);
        out.extend_from_slice(&rest[..plain]);
        let Some((&byte, after)) = rest[plain..].split_first() else {
            break;
        };
        escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes at the beginning need no escape.
#[inline(always)]
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, _) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // With this bit turned over, a quote is below 0x21 as well as each control character, and a space is not. Bytes
        // above a marked one may be marked too, and those of 0x80 and more borrow nothing.
        let control_or_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
        let marked = (control_or_quote | backslash) & !word & HIGH;
        if marked != 0 {
            // The lowest mark is exact.
            return at + marked.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let tail = &bytes[at..];
    at + tail
        .iter()
        .position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))
        .unwrap_or(tail.len())
}

#[cold]
fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.push(DIGITS[usize::from(byte >> 4)]);
            out.push(DIGITS[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_str(&mut out, text);
        String::from_utf8(out).expect("a string of UTF-8")
    }

    #[test]
    fn every_byte_below_0x80_at_every_place_is_as_serde_json_writes_it() {
        for byte in 0..0x80_u8 {
            for place in 0..17 {
                let mut text = "a".repeat(17);
                text.replace_range(place..=place, &char::from(byte).to_string());
                assert_eq!(written(&text), serde_json::json!(text).to_string());
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_as_serde_json_writes_it(text in "(\\PC|[\\x00-\\x40\\\\é🎉]){0,60}") {
            prop_assert_eq!(written(&text), serde_json::json!(text).to_string());
        }
    }
}
