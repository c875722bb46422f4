//! What a field can hold: text, a number, yes or no, one choice, several choices.

use serde_json::Number;

/// The kind of a field, with its constraints and default.
///
/// Specification: `PrimitiveSchemaDefinition`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    String(StringField),
    /// A number, possibly whole.
    Number(NumberField),
    /// Yes or no.
    Boolean(BooleanField),
    /// One of several strings.
    Choice(ChoiceField),
    /// Any number of several strings.
    MultiChoice(MultiChoiceField),
}

/// Text. Specification: `StringSchema`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StringField {
    /// Least length, in Unicode code points.
    pub min_length: Option<u64>,
    /// Greatest length, in Unicode code points.
    pub max_length: Option<u64>,
    /// What the text must look like.
    pub format: Option<StringFormat>,
    /// What the field starts with.
    pub default: Option<String>,
}

/// The formats that a form may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StringFormat {
    /// An e-mail address.
    Email,
    /// An absolute URI.
    Uri,
    /// A day of the calendar, such as `2026-02-28`.
    Date,
    /// A point in time with its offset, such as `2026-02-28T13:45:00Z`.
    DateTime,
}

/// A number. Specification: `NumberSchema`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberField {
    /// Whether only whole numbers fit.
    pub integer: bool,
    /// Least value.
    pub minimum: Option<Number>,
    /// Greatest value.
    pub maximum: Option<Number>,
    /// What the field starts with.
    pub default: Option<Number>,
}

/// Yes or no. Specification: `BooleanSchema`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BooleanField {
    /// What the field starts with.
    pub default: Option<bool>,
}

/// One choice. Specification: `SingleSelectEnumSchema`, `LegacyTitledEnumSchema`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoiceField {
    /// What can be chosen.
    pub options: Options,
    /// What is chosen at first.
    pub default: Option<String>,
}

/// Several choices. Specification: `MultiSelectEnumSchema`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultiChoiceField {
    /// What can be chosen. Multiple choices have no legacy form.
    pub options: Options,
    /// Least number of choices.
    pub min_items: Option<u64>,
    /// Greatest number of choices.
    pub max_items: Option<u64>,
    /// What is chosen at first.
    pub default: Option<Vec<String>>,
}

/// What can be chosen, in one of the spellings of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Options {
    /// Plain values: `enum`.
    Untitled(Vec<String>),
    /// Values with titles: `oneOf` or `anyOf` of `const` and `title`.
    Titled(Vec<TitledOption>),
    /// Values with titles beside them, as older servers send them: `enum` and `enumNames`.
    Legacy {
        /// The values.
        values: Vec<String>,
        /// The titles, by position.
        names: Vec<String>,
    },
}

/// A value with the title that a person sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitledOption {
    /// What the answer contains.
    pub value: String,
    /// What a person sees.
    pub title: String,
}

impl Options {
    /// Plain values, if all are their own title.
    pub(super) fn of(options: Vec<TitledOption>) -> Self {
        if options.iter().any(|option| option.title != option.value) {
            return Self::Titled(options);
        }
        let mut values = Vec::with_capacity(options.len());
        for option in options {
            values.push(option.value);
        }
        Self::Untitled(values)
    }

    /// The values, in order.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let (plain, titled): (&[String], &[TitledOption]) = match self {
            Self::Untitled(values) | Self::Legacy { values, .. } => (values, &[]),
            Self::Titled(options) => (&[], options),
        };
        plain
            .iter()
            .map(String::as_str)
            .chain(titled.iter().map(|option| option.value.as_str()))
    }

    /// What a person sees for a value: its title, or the value itself. `None` for what cannot be chosen.
    #[must_use]
    pub fn title_of(&self, value: &str) -> Option<&str> {
        match self {
            Self::Untitled(values) => values
                .iter()
                .find(|known| *known == value)
                .map(String::as_str),
            Self::Titled(options) => options
                .iter()
                .find(|option| option.value == value)
                .map(|option| option.title.as_str()),
            Self::Legacy { values, names } => {
                let place = values.iter().position(|known| known == value)?;
                names
                    .get(place)
                    .or_else(|| values.get(place))
                    .map(String::as_str)
            }
        }
    }

    /// Whether the value can be chosen.
    #[must_use]
    pub fn contains(&self, value: &str) -> bool {
        self.values().any(|known| known == value)
    }

    /// Gives values their titles; values without one are their own title.
    #[must_use]
    pub fn with_titles(self, titles: &[(&str, &str)]) -> Self {
        let mut options = Vec::new();
        for value in self.values() {
            let title = match titles.iter().find(|(known, _)| *known == value) {
                Some((_, title)) => title,
                None => self.title_of(value).unwrap_or(value),
            };
            options.push(TitledOption {
                value: value.to_owned(),
                title: title.to_owned(),
            });
        }
        Self::Titled(options)
    }
}

impl StringFormat {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// The format of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Email, Self::Uri, Self::Date, Self::DateTime];
        all.iter().find(|format| format.as_str() == name).copied()
    }
}

impl FieldKind {
    /// The options of a single or multiple choice.
    #[must_use]
    pub fn options(&self) -> Option<&Options> {
        match self {
            Self::Choice(field) => Some(&field.options),
            Self::MultiChoice(field) => Some(&field.options),
            _ => None,
        }
    }

    /// Gives the values of a single or multiple choice their titles; other kinds stay as they are.
    #[must_use]
    pub fn with_titles(self, titles: &[(&str, &str)]) -> Self {
        match self {
            Self::Choice(field) => Self::Choice(ChoiceField {
                options: field.options.with_titles(titles),
                ..field
            }),
            Self::MultiChoice(field) => Self::MultiChoice(MultiChoiceField {
                options: field.options.with_titles(titles),
                ..field
            }),
            other => other,
        }
    }
}

impl From<StringField> for FieldKind {
    fn from(field: StringField) -> Self {
        Self::String(field)
    }
}

impl From<NumberField> for FieldKind {
    fn from(field: NumberField) -> Self {
        Self::Number(field)
    }
}

impl From<BooleanField> for FieldKind {
    fn from(field: BooleanField) -> Self {
        Self::Boolean(field)
    }
}

impl From<ChoiceField> for FieldKind {
    fn from(field: ChoiceField) -> Self {
        Self::Choice(field)
    }
}

impl From<MultiChoiceField> for FieldKind {
    fn from(field: MultiChoiceField) -> Self {
        Self::MultiChoice(field)
    }
}
