//! The form itself: its fields in order, and which of them must be answered.

use super::field::FieldKind;

/// The schema of a form: the fields in the order in which they were declared, and the required ones.
///
/// Specification: client/elicitation, Requested Schema.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FormSchema {
    /// The fields, in order of declaration.
    pub fields: Vec<FormField>,
    /// Names of the fields that an answer must contain.
    pub required: Vec<String>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FormField {
    /// The key of the field in the answer.
    pub name: String,
    /// What a host shows instead of the name.
    pub title: Option<String>,
    /// What the field means.
    pub description: Option<String>,
    /// What can be entered.
    pub kind: FieldKind,
}

impl FormSchema {
    /// A form without fields: a bare confirmation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field of this name, to be changed.
    pub fn field_mut(&mut self, name: &str) -> Option<&mut FormField> {
        self.fields.iter_mut().find(|field| field.name == name)
    }

    /// Whether an answer must contain the field.
    #[must_use]
    pub fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// Puts the fields into the order of `names`; fields that it does not mention keep their order and come last.
    ///
    /// Derived schemas list their properties by name: whoever knows the declaration restores its order here.
    #[must_use]
    pub fn in_order(mut self, names: &[&str]) -> Self {
        put_in_order(&mut self.fields, names, |field| &field.name);
        put_in_order(&mut self.required, names, |name| name);
        self
    }
}

/// The names of fields, in their order.
pub(super) fn names_of(fields: &[FormField]) -> Vec<&str> {
    let mut names = Vec::with_capacity(fields.len());
    for field in fields {
        names.push(field.name.as_str());
    }
    names
}

/// Puts what has one of these names first, in their order.
fn put_in_order<T>(items: &mut Vec<T>, names: &[&str], name_of: fn(&T) -> &str) {
    let mut placed = 0;
    for name in names {
        for at in placed..items.len() {
            if name_of(&items[at]) == *name {
                let item = items.remove(at);
                items.insert(placed, item);
                placed += 1;
                break;
            }
        }
    }
}

impl FormField {
    /// A field without title and description.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: impl Into<FieldKind>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            kind: kind.into(),
        }
    }
}
