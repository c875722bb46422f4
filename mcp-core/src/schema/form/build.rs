//! Forms made by hand.

use serde_json::Number;

use super::field::{
    BooleanField, ChoiceField, FieldKind, MultiChoiceField, NumberField, Options, StringField,
    StringFormat, TitledOption,
};
use super::model::{FormField, FormSchema};

/// One field while it is described; fields are required unless they say [`optional`](Self::optional).
#[derive(Debug, Clone)]
pub struct FieldBuilder<K> {
    title: Option<String>,
    description: Option<String>,
    required: bool,
    kind: K,
}

impl FormSchema {
    /// Adds a text field.
    #[must_use]
    pub fn string(
        self,
        name: impl Into<String>,
        describe: impl FnOnce(FieldBuilder<StringField>) -> FieldBuilder<StringField>,
    ) -> Self {
        self.with(name, StringField::default(), describe)
    }

    /// Adds a field for a whole number.
    #[must_use]
    pub fn integer(
        self,
        name: impl Into<String>,
        describe: impl FnOnce(FieldBuilder<NumberField>) -> FieldBuilder<NumberField>,
    ) -> Self {
        let kind = NumberField {
            integer: true,
            ..NumberField::default()
        };
        self.with(name, kind, describe)
    }

    /// Adds a field for any number.
    #[must_use]
    pub fn number(
        self,
        name: impl Into<String>,
        describe: impl FnOnce(FieldBuilder<NumberField>) -> FieldBuilder<NumberField>,
    ) -> Self {
        self.with(name, NumberField::default(), describe)
    }

    /// Adds a yes/no field.
    #[must_use]
    pub fn boolean(
        self,
        name: impl Into<String>,
        describe: impl FnOnce(FieldBuilder<BooleanField>) -> FieldBuilder<BooleanField>,
    ) -> Self {
        self.with(name, BooleanField::default(), describe)
    }

    /// Adds a choice of one of `options`: plain values, or pairs of value and title.
    #[must_use]
    pub fn choice<O>(
        self,
        name: impl Into<String>,
        options: O,
        describe: impl FnOnce(FieldBuilder<ChoiceField>) -> FieldBuilder<ChoiceField>,
    ) -> Self
    where
        O: IntoIterator,
        O::Item: Into<TitledOption>,
    {
        let kind = ChoiceField {
            options: Options::of(options.into_iter().map(Into::into).collect()),
            default: None,
        };
        self.with(name, kind, describe)
    }

    /// Adds a choice of any number of `options`: plain values, or pairs of value and title.
    #[must_use]
    pub fn multi_choice<O>(
        self,
        name: impl Into<String>,
        options: O,
        describe: impl FnOnce(FieldBuilder<MultiChoiceField>) -> FieldBuilder<MultiChoiceField>,
    ) -> Self
    where
        O: IntoIterator,
        O::Item: Into<TitledOption>,
    {
        let kind = MultiChoiceField {
            options: Options::of(options.into_iter().map(Into::into).collect()),
            min_items: None,
            max_items: None,
            default: None,
        };
        self.with(name, kind, describe)
    }

    fn with<K: Into<FieldKind>>(
        mut self,
        name: impl Into<String>,
        kind: K,
        describe: impl FnOnce(FieldBuilder<K>) -> FieldBuilder<K>,
    ) -> Self {
        let built = describe(FieldBuilder {
            title: None,
            description: None,
            required: true,
            kind,
        });
        let name = name.into();
        if built.required {
            self.required.push(name.clone());
        }
        self.fields.push(FormField {
            name,
            title: built.title,
            description: built.description,
            kind: built.kind.into(),
        });
        self
    }
}

impl<K> FieldBuilder<K> {
    /// What a host shows instead of the name.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What the field means.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The field may be left empty.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

impl FieldBuilder<StringField> {
    /// Least length, in Unicode code points.
    #[must_use]
    pub fn min_length(mut self, length: u64) -> Self {
        self.kind.min_length = Some(length);
        self
    }

    /// Greatest length, in Unicode code points.
    #[must_use]
    pub fn max_length(mut self, length: u64) -> Self {
        self.kind.max_length = Some(length);
        self
    }

    /// What the text must look like.
    #[must_use]
    pub fn format(mut self, format: StringFormat) -> Self {
        self.kind.format = Some(format);
        self
    }

    /// What the field starts with.
    #[must_use]
    pub fn default(mut self, value: impl Into<String>) -> Self {
        self.kind.default = Some(value.into());
        self
    }
}

impl FieldBuilder<NumberField> {
    /// Least value.
    #[must_use]
    pub fn minimum(mut self, value: impl Into<Number>) -> Self {
        self.kind.minimum = Some(value.into());
        self
    }

    /// Greatest value.
    #[must_use]
    pub fn maximum(mut self, value: impl Into<Number>) -> Self {
        self.kind.maximum = Some(value.into());
        self
    }

    /// What the field starts with.
    #[must_use]
    pub fn default(mut self, value: impl Into<Number>) -> Self {
        self.kind.default = Some(value.into());
        self
    }
}

impl FieldBuilder<BooleanField> {
    /// What the field starts with.
    #[must_use]
    pub fn default(mut self, value: bool) -> Self {
        self.kind.default = Some(value);
        self
    }
}

impl FieldBuilder<ChoiceField> {
    /// What is chosen at first.
    #[must_use]
    pub fn default(mut self, value: impl Into<String>) -> Self {
        self.kind.default = Some(value.into());
        self
    }
}

impl FieldBuilder<MultiChoiceField> {
    /// Least number of choices.
    #[must_use]
    pub fn min_items(mut self, count: u64) -> Self {
        self.kind.min_items = Some(count);
        self
    }

    /// Greatest number of choices.
    #[must_use]
    pub fn max_items(mut self, count: u64) -> Self {
        self.kind.max_items = Some(count);
        self
    }

    /// What is chosen at first.
    #[must_use]
    pub fn default<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.kind.default = Some(values.into_iter().map(Into::into).collect());
        self
    }
}

impl From<&str> for TitledOption {
    fn from(value: &str) -> Self {
        Self::from(value.to_owned())
    }
}

impl From<String> for TitledOption {
    fn from(value: String) -> Self {
        Self {
            title: value.clone(),
            value,
        }
    }
}

impl<V: Into<String>, T: Into<String>> From<(V, T)> for TitledOption {
    fn from((value, title): (V, T)) -> Self {
        Self {
            value: value.into(),
            title: title.into(),
        }
    }
}
