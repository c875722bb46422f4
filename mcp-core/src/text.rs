//! Texts as such: which characters are not shown to a person, and lists of names.

use std::mem;

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

/// Puts names in order.
///
/// Each type that is sorted is some 5 KB of the standard library in every server: this is for all that are sorted by
/// text.
pub(crate) fn sort(names: &mut [&str]) {
    names.sort_unstable();
}

/// The places of the names that stand further up in the list already, in order.
pub(crate) fn repeats(names: &[&str]) -> Vec<usize> {
    let mut sorted = names.to_vec();
    sort(&mut sorted);
    let mut seen = vec![false; names.len()];
    let mut places = Vec::new();
    for (place, name) in names.iter().enumerate() {
        // Of those that are alike, the first in order stands for all.
        let alike = sorted.partition_point(|other| other < name);
        if mem::replace(&mut seen[alike], true) {
            places.push(place);
        }
    }
    places
}

/// Texts one after the other, with something between them.
pub(crate) fn joined(texts: &[impl AsRef<str>], between: &str) -> String {
    let mut joined = String::new();
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            joined.push_str(between);
        }
        joined.push_str(text.as_ref());
    }
    joined
}

/// Texts as names to be compared.
pub(crate) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_name_is_repeated_where_it_stands_further_up(names in prop::collection::vec("[ab]{0,3}", 0..40)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let expected: Vec<usize> = (0..names.len()).filter(|i| names[..*i].contains(&names[*i])).collect();
            prop_assert_eq!(repeats(&names), expected);
        }
    }

    #[test]
    fn each_repeat_has_its_place() {
        assert_eq!(repeats(&["b", "a", "b", "c", "b"]), [2, 4]);
    }

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
