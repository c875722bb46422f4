//! Lists of known names in error texts, and the nearest one to a misspelt name.

/// ``OWNER HAS NO THING `given`: did you mean `near`? known are `a`, `b` and `c` ``
pub(crate) fn unknown(owner_and_thing: &str, given: &str, known: &[&str]) -> String {
    let hint = match nearest(given, known) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    format!(
        "{owner_and_thing} `{given}`: {hint}known are {}",
        list(known)
    )
}

/// `` `a`, `b` and `c` ``
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], "");
    let given = plain(given);
    // A third of the name may be wrong: fewer for short names, so that `x` is not taken for `url`.
    known
        .iter()
        .map(|name| (distance(&given, &plain(name)), *name))
        .filter(|(distance, name)| {
            *distance <= name.len().div_ceil(3).min(3) && *distance < given.len()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The edit distance of Levenshtein.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        assert_eq!(
            nearest("destructve", &["name", "destructive"]),
            Some("destructive")
        );
        assert_eq!(nearest("readOnly", &["read_only"]), Some("read_only"));
        assert_eq!(nearest("colour", &["name", "title", "timeout"]), None);
    }

    #[test]
    fn lists_read_as_a_sentence() {
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
