//! serde's `rename_all`: the names of fields and variants on the wire.

use syn::LitStr;

/// A rule of `rename_all`.
#[derive(Clone, Copy)]
pub(super) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    /// The rule by its name; serde itself says when there is none.
    pub(super) fn parse(name: &LitStr) -> Option<Self> {
        Some(match name.value().as_str() {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The name of a field, which is in snake case.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => name.split('_').map(capitalised).collect(),
            Self::Camel => uncapitalised(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The name of a variant, which is in Pascal case.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => uncapitalised(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// As serde does it: each capital begins a word.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (index, char) in name.char_indices() {
        if index > 0 && char.is_uppercase() {
            snake.push('_');
        }
        snake.push(char.to_ascii_lowercase());
    }
    snake
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + chars.as_str()
    })
}

fn uncapitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_lowercase().to_string() + chars.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected: serde's documentation of `rename_all`, and its own tests of these names.
    #[test]
    fn fields_as_serde_names_them() {
        let cases = [
            (Case::Upper, "VERY_TASTY"),
            (Case::Pascal, "VeryTasty"),
            (Case::Camel, "veryTasty"),
            (Case::Snake, "very_tasty"),
            (Case::ScreamingSnake, "VERY_TASTY"),
            (Case::Kebab, "very-tasty"),
            (Case::ScreamingKebab, "VERY-TASTY"),
        ];
        for (case, expected) in cases {
            assert_eq!(case.field("very_tasty"), expected);
        }
    }

    #[test]
    fn variants_as_serde_names_them() {
        let cases = [
            (Case::Lower, "verytasty"),
            (Case::Upper, "VERYTASTY"),
            (Case::Camel, "veryTasty"),
            (Case::Snake, "very_tasty"),
            (Case::ScreamingSnake, "VERY_TASTY"),
            (Case::Kebab, "very-tasty"),
            (Case::ScreamingKebab, "VERY-TASTY"),
        ];
        for (case, expected) in cases {
            assert_eq!(case.variant("VeryTasty"), expected);
        }
    }
}
