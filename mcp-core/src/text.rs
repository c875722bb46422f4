//! Which characters of a foreign text are not shown to a person.

/// Whether a character is a control character, invisible, or turns the direction of the text around it.
///
/// A text with such characters can show something other than what it says. The joiners of emoji are among them; variation
/// selectors, which only choose between two pictures, are not.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_turns_text_is_told_from_what_is_read() {
        // Fillers of Hangul, a zero-width space, an override of the direction, a tag.
        for c in "\0\u{1b}\u{85}\u{115f}\u{3164}\u{ffa0}\u{200b}\u{202e}\u{e0041}".chars() {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in "aé 日한ع🎉\u{fe0f}\u{0301}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
