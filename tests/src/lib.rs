//! The crate of end-to-end tests. Here are the hooks that make the Rust code of the Markdown pages
//! run as doc tests, and what that code shares.

pub mod guide;

/// One empty module a page, so that each page's code runs as doc tests.
macro_rules! pages {
    ($($name:ident = $path:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($path)]
            pub mod $name {}
        )*

        /// The pages above, by their path.
        #[cfg(test)]
        const TESTED: &[&str] = &[$($path),*];
    };
}

pages! {
    readme = "../../README.md"
    architecture = "../../ARCHITECTURE.md"
    introduction = "../../docs/src/introduction.md"
    first_server = "../../docs/src/first-server.md"
    arguments = "../../docs/src/arguments.md"
    results = "../../docs/src/results.md"
    asking = "../../docs/src/asking/README.md"
    asking_forms = "../../docs/src/asking/forms.md"
    asking_resolvers = "../../docs/src/asking/resolvers.md"
    asking_url = "../../docs/src/asking/url.md"
    asking_by_hand = "../../docs/src/asking/by-hand.md"
    asking_once = "../../docs/src/asking/once.md"
    errors = "../../docs/src/errors.md"
    state = "../../docs/src/state.md"
    layers = "../../docs/src/layers.md"
    client = "../../docs/src/client.md"
    testing = "../../docs/src/testing.md"
    stdio = "../../docs/src/stdio.md"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::{fs, path::Path};

    use super::TESTED;

    const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src");

    /// Every page of the guide, by its path inside of it.
    fn pages(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                let page = path.strip_prefix(GUIDE).unwrap().to_str().unwrap();
                found.push(page.replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_page_is_in_the_summary_and_its_code_is_tested() {
        let summary = fs::read_to_string(format!("{GUIDE}/SUMMARY.md")).unwrap();
        let mut found = Vec::new();
        pages(Path::new(GUIDE), &mut found);
        assert!(found.len() > 10, "{found:?}");
        for page in found.iter().filter(|page| *page != "SUMMARY.md") {
            assert!(
                summary.contains(&format!("({page})")),
                "{page} is in no chapter"
            );
            let tested = format!("../../docs/src/{page}");
            assert!(TESTED.contains(&tested.as_str()), "{page} is not tested");
        }
    }

    #[test]
    fn every_block_says_its_language_and_none_is_ignored() {
        for page in TESTED {
            let text =
                fs::read_to_string(format!("{}/src/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
            let mut open = false;
            for line in text.lines().filter(|line| line.starts_with("```")) {
                if !open {
                    let language = line.trim_start_matches('`').split(',').next().unwrap();
                    let known = ["rust", "json", "toml", "text", "sh"];
                    assert!(known.contains(&language), "{page}: {line}");
                    assert!(!line.contains("ignore"), "{page}: {line}");
                }
                open = !open;
            }
            assert!(!open, "{page}: a block does not end");
        }
    }

    #[test]
    fn every_json_block_is_json() {
        for page in TESTED {
            let text =
                fs::read_to_string(format!("{}/src/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
            for block in text.split("```json\n").skip(1) {
                let json = block.split("```").next().unwrap();
                if let Err(error) = serde_json::from_str::<serde_json::Value>(json) {
                    panic!("{page}: {error} in\n{json}");
                }
            }
        }
    }
}
