//! Whatever somebody is in the middle of typing: no panic, and the function comes back.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

use super::{Kind, free, methods};
use crate::form;

/// Every way to leave out one token, at any depth.
fn with_one_less(tokens: &TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut all = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let replaced = |replacement: Option<TokenTree>| -> TokenStream {
            let (before, after) = (&tokens[..index], &tokens[index + 1..]);
            before
                .iter()
                .cloned()
                .chain(replacement)
                .chain(after.iter().cloned())
                .collect()
        };
        all.push(replaced(None));
        if let TokenTree::Group(group) = token {
            let smaller = with_one_less(&group.stream()).into_iter();
            all.extend(
                smaller.map(|inner| replaced(Some(Group::new(group.delimiter(), inner).into()))),
            );
        }
    }
    all
}

fn item() -> TokenStream {
    quote! {
        /// Deletes.
        pub async fn delete(
            /// The id.
            #[serde(default = "id", alias = "a")] #[schemars(length(min = 1), extend("x" = [1]))] note_id: &str,
            notes: State<Notes>,
            #[elicit("Delete {note_id:>w$} ('{}')?", notes.title(&note_id)?, w = 3)] answer: Elicit<Confirm>,
            #[resolve(sure(answer).await?)] sure: Resolve<Option<Sure>>,
        ) -> Result<String, ToolError> { body. }
    }
}

#[test]
fn no_unfinished_function_panics_or_vanishes() {
    let keys = quote!(
        name = "x",
        once = key(note_id),
        timeout = "3s",
        icons("https://a", icon(src = "https://b", sizes = ["1x1"]))
    );
    for keys in with_one_less(&keys) {
        free(Kind::Tool, keys, item());
    }
    for item in with_one_less(&item()) {
        let given_back = free(Kind::Tool, keys.clone(), item.clone()).to_string();
        let has_body = item.to_string().contains("body .");
        assert_eq!(given_back.contains("body ."), has_body, "{given_back}");
    }
}

#[test]
fn no_unfinished_prompt_or_resource_panics_or_vanishes() {
    let keys = quote!(
        "note://{note_id}{?a}",
        mime_type = "text/plain",
        audience("user"),
        priority = 0.5,
        last_modified = "2025-01-12"
    );
    let item = quote! {
        async fn note(#[complete(ids)] note_id: &str, #[complete("a", "b")] #[header("A")] a: Option<u8>) -> String { body. }
    };
    for kind in [Kind::Prompt, Kind::Resource] {
        for keys in with_one_less(&keys) {
            free(kind, keys, item.clone());
        }
        for item in with_one_less(&item) {
            let given_back = free(kind, keys.clone(), item.clone()).to_string();
            let has_body = item.to_string().contains("body .");
            assert_eq!(given_back.contains("body ."), has_body, "{given_back}");
        }
    }
}

#[test]
fn no_unfinished_block_panics() {
    let item = item().to_string().replace("delete (", "delete (& self , ");
    let item: TokenStream = item.parse().expect("the same tokens and a receiver");
    let block = quote!(impl<T: Send, const N: usize> Shop<T, N> where T: Sync { const X: u8 = 1; #[tool(title = "T")] #item });
    for block in with_one_less(&block) {
        methods(Kind::Tool, quote!(crate = ::a), block);
    }
}

#[test]
fn no_unfinished_form_panics() {
    let form = quote! {
        #[serde(rename_all = "camelCase")] #[form(crate = ::a)]
        struct Confirm { #[form(title = "T", not_secret)] #[serde(rename = "a")] #[schemars(range(min = 1))] pin: Option<u8>, b: Vec<Choice> }
    };
    let choice = quote! {
        enum Choice { #[form(title = "T")] One, #[serde(rename(serialize = "a", deserialize = "b"))] Two(u8), Three { a: u8 } }
    };
    for item in with_one_less(&form)
        .into_iter()
        .chain(with_one_less(&choice))
    {
        form::derive(item);
    }
}
