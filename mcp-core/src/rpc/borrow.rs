//! Borrows optional strings: derived code borrows a `Cow<str>`, but copies an `Option` of one.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

/// For `#[serde(deserialize_with = "..")]` on an `Option<Cow<str>>`: copies only what has escapes.
///
/// # Errors
///
/// Where the value is neither a string nor `null`.
pub fn optional_str<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

    let text = Option::<Text<'a>>::deserialize(deserializer)?;
    Ok(text.map(|Text(text)| text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Holder<'a> {
        #[serde(borrow, default, deserialize_with = "optional_str")]
        text: Option<Cow<'a, str>>,
    }

    fn read(json: &str) -> Option<Cow<'_, str>> {
        serde_json::from_str::<Holder<'_>>(json).ok()?.text
    }

    #[test]
    fn only_what_has_escapes_is_copied() {
        assert!(matches!(
            read(r#"{"text":"plain"}"#),
            Some(Cow::Borrowed("plain"))
        ));
        assert!(matches!(read(r#"{"text":"a\\b"}"#), Some(Cow::Owned(_))));
        assert_eq!(read(r#"{"text":null}"#), None);
        assert_eq!(read("{}"), None);
    }
}
