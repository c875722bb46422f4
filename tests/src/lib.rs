//! The crate of end-to-end tests. Here is what they share: peers that write by hand (`wire` messages, `web` HTTP, `earlier`
//! those of older revisions), tools that wait (`work`) and that ask (`inputs`), and the official schema (`official`). Here are also the hooks that
//! make the Rust code of the Markdown pages run as doc tests, and what that code shares.

pub mod earlier;
pub mod guide;
pub mod inputs;
pub mod official;
pub mod web;
pub mod wire;
pub mod work;

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
    prompts = "../../docs/src/prompts.md"
    resources = "../../docs/src/resources.md"
    completions = "../../docs/src/completions.md"
    asking = "../../docs/src/asking/README.md"
    asking_forms = "../../docs/src/asking/forms.md"
    asking_resolvers = "../../docs/src/asking/resolvers.md"
    asking_url = "../../docs/src/asking/url.md"
    asking_by_hand = "../../docs/src/asking/by-hand.md"
    asking_once = "../../docs/src/asking/once.md"
    errors = "../../docs/src/errors.md"
    state = "../../docs/src/state.md"
    layers = "../../docs/src/layers.md"
    limits = "../../docs/src/limits.md"
    extensions = "../../docs/src/extensions.md"
    subscriptions = "../../docs/src/subscriptions.md"
    client = "../../docs/src/client.md"
    testing = "../../docs/src/testing.md"
    stdio = "../../docs/src/stdio.md"
    http = "../../docs/src/http.md"
    revisions = "../../docs/src/revisions.md"
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

    /// The conversation in the first chapter is what server and client say.
    #[tokio::test]
    async fn the_messages_of_the_first_server_are_true() {
        use mcp_server::prelude::*;
        use serde_json::{Value, json};
        use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

        #[derive(Deserialize, JsonSchema, Form)]
        struct Confirm {
            /// Check to delete the note for good.
            confirm: bool,
        }

        /// Delete one note by id. Asks the user to confirm before deleting.
        #[tool(destructive, idempotent)]
        async fn delete_note(
            /// The note's id.
            note_id: String,
            #[elicit("Delete note {note_id} ('{}')? This cannot be undone.", "Groceries")]
            answer: Elicit<Confirm>,
        ) -> String {
            assert_eq!(answer.map(|form| form.confirm), Elicit::Accept(true));
            format!("Deleted note {note_id}.")
        }

        let page = fs::read_to_string(format!("{GUIDE}/first-server.md")).unwrap();
        let mut blocks = page
            .split("```json\n")
            .skip(1)
            .map(|block| block.split("```").next().unwrap())
            .map(|json| serde_json::from_str::<Value>(json).unwrap());

        let server = Server::builder("notes", "1.0.0")
            .tools(tools![delete_note])
            .build()
            .unwrap();
        let listed = tokio::task::spawn_blocking({
            let server = server.clone();
            move || crate::guide::list(&server)
        });
        assert_eq!(listed.await.unwrap()["delete_note"], blocks.next().unwrap());

        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            server.serve(reader, writer).await
        });
        let (reader, mut writer) = tokio::io::split(near);
        let mut lines = BufReader::new(reader).lines();
        let mut state = None;
        let mut rounds = 0;
        while let (Some(mut request), Some(expected)) = (blocks.next(), blocks.next()) {
            if let Some(state) = state.take() {
                request["params"]["requestState"] = state;
            }
            writer
                .write_all(format!("{request}\n").as_bytes())
                .await
                .unwrap();
            let line = lines.next_line().await.unwrap().unwrap();
            let mut answer: Value = serde_json::from_str(&line).unwrap();
            if let Some(given) = answer["result"].get_mut("requestState") {
                assert!(given.as_str().unwrap().starts_with("v1."));
                state = Some(std::mem::replace(given, json!("v1.AAAA")));
            }
            assert_eq!(answer, expected);
            rounds += 1;
        }
        assert_eq!(rounds, 2);
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
