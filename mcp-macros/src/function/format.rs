//! Reads a `format!` string: which arguments it shows, and which only give a width or a precision.
//!
//! Lenient: what is wrong with the string is for `format!` itself to say, at the right character.

/// A reference to an argument.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) enum Reference {
    Position(usize),
    Name(String),
}

/// The references of a string, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Arguments whose text is shown.
    pub(crate) shown: Vec<Reference>,
    /// Arguments used as `width$` or `.precision$` or `.*`: plain numbers.
    pub(crate) counts: Vec<Reference>,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Self {
        let mut template = Self::default();
        let mut next = 0;
        let mut rest = text;
        while let Some(start) = rest.find(['{', '}']) {
            let doubled = rest[start..].starts_with("{{") || rest[start..].starts_with("}}");
            let after = &rest[start + 1..];
            if doubled {
                rest = &after[1..];
                continue;
            }
            let Some(end) = after.find('}').filter(|_| rest[start..].starts_with('{')) else {
                rest = after;
                continue;
            };
            template.placeholder(&after[..end], &mut next);
            rest = &after[end + 1..];
        }
        template
    }

    fn placeholder(&mut self, content: &str, next: &mut usize) {
        let (argument, spec) = content.split_once(':').unwrap_or((content, ""));
        for count in counts(spec) {
            self.counts.push(match count {
                "*" => implicit(next),
                given => reference(given),
            });
        }
        self.shown.push(match argument.trim() {
            "" => implicit(next),
            given => reference(given),
        });
    }
}

fn implicit(next: &mut usize) -> Reference {
    *next += 1;
    Reference::Position(*next - 1)
}

fn reference(text: &str) -> Reference {
    text.parse()
        .map_or_else(|_| Reference::Name(text.to_owned()), Reference::Position)
}

/// The `width$` and `.precision$` of `[[fill]align][sign]['#']['0'][width]['.' precision][type]`.
fn counts(spec: &str) -> Vec<&str> {
    let is_align = |c: char| matches!(c, '<' | '^' | '>');
    let mut chars = spec.chars();
    let mut spec = match (chars.next(), chars.next()) {
        (Some(fill), Some(align)) if is_align(align) => &spec[fill.len_utf8() + 1..],
        (Some(align), _) if is_align(align) => &spec[1..],
        _ => spec,
    };
    spec = spec.trim_start_matches(['+', '-', '#']);
    // A leading zero is the padding flag, unless it is the argument of `0$`.
    if spec.starts_with('0') && !spec.starts_with("0$") {
        spec = &spec[1..];
    }
    let (width, precision) = spec.split_once('.').unwrap_or((spec, ""));
    let width = width.split_once('$').map(|(name, _)| name);
    let precision = match precision.split_once('$') {
        Some((name, _)) => Some(name),
        None => precision.starts_with('*').then_some("*"),
    };
    width.into_iter().chain(precision).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: usize) -> Reference {
        Reference::Position(position)
    }

    fn named(name: &str) -> Reference {
        Reference::Name(name.to_owned())
    }

    #[test]
    fn shown_arguments_in_order() {
        let template = Template::parse("Delete {note_id} ('{}')? {{no}} {0:?} {}");
        assert_eq!(template.shown, [named("note_id"), at(0), at(0), at(1)]);
        assert!(template.counts.is_empty());
    }

    #[test]
    fn widths_and_precisions_are_counts() {
        let template = Template::parse("{:>w$} {x:*^+#010.p$} {:1$} {:0$}");
        assert_eq!(template.counts, [named("w"), named("p"), at(1), at(0)]);
        assert_eq!(template.shown, [at(0), named("x"), at(1), at(2)]);
    }

    #[test]
    fn a_star_takes_the_next_argument_first() {
        let template = Template::parse("{:.*} {n:.*}");
        assert_eq!(template.counts, [at(0), at(2)]);
        assert_eq!(template.shown, [at(1), named("n")]);
    }

    #[test]
    fn broken_strings_do_not_panic() {
        for text in ["{", "}", "{a", "{:", "{:é^", "a}b{c}", "{}}"] {
            Template::parse(text);
        }
    }
}
