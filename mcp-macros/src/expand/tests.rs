//! Snapshots of what functions and forms become: the expansion is to stay small, data and one call.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::quote;

use crate::form;
use crate::function::{Kind, free, methods};

#[test]
fn synchronous_function_with_described_arguments() {
    let expanded = free(
        Kind::Tool,
        quote!(read_only, title = "Add", timeout = "2s"),
        quote! {
            /// Adds two numbers.
            pub fn add(
                /// One of them.
                #[schemars(range(min = 0))]
                a: i64,
                #[serde(default = "two", rename = "addend")]
                b: i64,
                r#type: &str,
            ) -> i64 { a + b }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn questions_that_depend_on_each_other() {
    let expanded = free(
        Kind::Tool,
        quote!(destructive, once = note_id),
        quote! {
            async fn delete_note(
                note_id: String,
                notes: State<Notes>,
                #[elicit("Delete {note_id} ('{}')?", notes.title(&note_id)?)] answer: Elicit<Confirm>,
                #[resolve(reason(&answer))] reason: Resolve<Reason>,
            ) -> Result<String, ToolError> { todo!() }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn methods_of_a_generic_type() {
    let expanded = methods(
        Kind::Tool,
        TokenStream::new(),
        quote! {
            impl<B: Backend> Shop<B> {
                /// Quotes.
                #[tool]
                async fn quote(&self, row: B::Row, ctx: &Context) -> String { self.text(row) }
            }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn prompt_with_completions() {
    let expanded = free(
        Kind::Prompt,
        quote!(title = "Review"),
        quote! {
            /// Reviews code.
            pub async fn review(
                #[complete("rust", "python")] language: &str,
                #[complete(frameworks)] framework: Option<String>,
                #[elicit("How strict?")] strictness: Elicit<Strictness>,
            ) -> Vec<PromptMessage> { todo!() }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn resource_with_a_template() {
    let expanded = free(
        Kind::Resource,
        quote!(
            "file:///{+path}{?line}",
            mime_type = "text/plain",
            audience("user"),
            priority = 0.5,
            last_modified = "2025-01-12T15:00:58Z"
        ),
        quote! {
            /// A file of the project.
            fn file(path: SafePath, line: Option<u32>, root: State<Root>) -> Result<String, ToolError> { todo!() }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn methods_of_another_kind_are_left_alone() {
    let expanded = methods(
        Kind::Resource,
        TokenStream::new(),
        quote! {
            #[tool]
            impl Shop {
                #[tool]
                fn quote(&self, #[header("Region")] region: String) -> String { region }

                #[resource("shop://orders", size = 12)]
                fn orders(&self) -> String { self.text() }
            }
        },
    );
    insta::assert_snapshot!(readable(expanded));
}

#[test]
fn forms_and_choices() {
    let form = form::derive(quote! {
        struct Return {
            #[form(title = "Why")]
            reason: Reason,
            note: Option<String>,
        }
    });
    let choice = form::derive(quote! {
        #[serde(rename_all = "snake_case")]
        enum Reason {
            #[form(title = "Damaged in transit")]
            DamagedInTransit,
            Other,
        }
    });
    insta::assert_snapshot!(readable(quote!(#form #choice)));
}

/// One line for each statement and field.
fn readable(tokens: TokenStream) -> String {
    let mut text = String::new();
    write(tokens, 0, true, &mut text);
    let mut joined = String::new();
    for line in text.lines() {
        // What closes or separates stays with the brace before it.
        if line.trim_start().starts_with([',', ';', ')', ']']) {
            joined.truncate(joined.trim_end().len());
            joined.push_str(line.trim());
        } else {
            joined.push_str(line.trim_end());
        }
        joined.push('\n');
    }
    joined
}

fn write(tokens: TokenStream, depth: usize, in_braces: bool, text: &mut String) {
    let mut glued = true;
    for token in tokens {
        let begins_line = text.is_empty() || text.ends_with('\n');
        if begins_line {
            text.push_str(&"    ".repeat(depth));
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => (" {\n", "}\n"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let is_brace = group.delimiter() == Delimiter::Brace;
                text.push_str(open);
                write(
                    group.stream(),
                    depth + usize::from(is_brace),
                    is_brace,
                    text,
                );
                if is_brace {
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(&"    ".repeat(depth));
                }
                text.push_str(close);
                glued = group.delimiter() != Delimiter::Parenthesis;
            }
            TokenTree::Punct(punct) => {
                let ends_line = match punct.as_char() {
                    ';' => true,
                    ',' => in_braces,
                    _ => false,
                };
                if matches!(punct.as_char(), '=' | '|' | '-') && !glued {
                    text.push(' ');
                }
                text.push(punct.as_char());
                if ends_line {
                    text.push('\n');
                } else if punct.spacing() == Spacing::Alone
                    && matches!(punct.as_char(), '=' | ',' | '>')
                {
                    text.push(' ');
                }
                glued = true;
            }
            word => {
                if !glued && !begins_line {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
                glued = false;
            }
        }
    }
}
