//! Where one is in a schema.

/// A JSON pointer that grows on the way down and shrinks on the way up.
pub(super) struct Place(String);

impl Place {
    pub(super) fn root() -> Self {
        Self(String::with_capacity(64))
    }

    /// Goes down to a part; gives where to [`leave`](Self::leave) for.
    pub(super) fn enter(&mut self, steps: &[&str]) -> usize {
        let outside = self.0.len();
        for step in steps {
            self.0.push('/');
            escape(step, &mut self.0);
        }
        outside
    }

    pub(super) fn leave(&mut self, outside: usize) {
        self.0.truncate(outside);
    }

    pub(super) fn pointer(&self) -> &str {
        &self.0
    }
}

/// Writes a name as a step of a JSON pointer.
pub(super) fn escape(step: &str, pointer: &mut String) {
    if !step.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return pointer.push_str(step);
    }
    for c in step.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The name that a step of a JSON pointer means, or the pointer that an escaped pointer means.
pub(super) fn unescape(step: &str) -> String {
    let mut name = String::with_capacity(step.len());
    let mut rest = step.chars();
    while let Some(c) = rest.next() {
        let after = rest.as_str();
        match (c, after.as_bytes().first()) {
            ('~', Some(b'0')) => name.push('~'),
            ('~', Some(b'1')) => name.push('/'),
            _ => {
                name.push(c);
                continue;
            }
        }
        rest.next();
    }
    name
}
