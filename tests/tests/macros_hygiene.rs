//! The macros where nothing of a prelude is in scope, and where the user's names look like the macros' own.

#![allow(missing_docs, dead_code, clippy::too_many_arguments)]

mod forms {
    #![no_implicit_prelude]

    use ::mcp_server::Form;
    // What the derive of schemars does not name in full.
    use ::schemars::{self, JsonSchema};
    use ::serde::Deserialize;
    use ::std::convert::{From as _, Into as _};

    #[derive(Deserialize, JsonSchema, Form)]
    pub(crate) struct Confirm {
        pub(crate) confirm: bool,
        pub(crate) size: Size,
    }

    #[derive(Deserialize, JsonSchema, Form)]
    pub(crate) enum Size {
        #[form(title = "Small one")]
        Small,
        Large,
    }
}

fn schema() -> serde_json::Value {
    serde_json::json!({"type": "object"})
}

mod bare {
    #![no_implicit_prelude]

    use crate::forms::{Confirm, Size};
    use ::mcp_server::{Ask, Completing, Context, Elicit, Resolve, State, prompt, resource, tool};
    use ::std::option::Option;
    use ::std::string::{String, ToString as _};
    use ::std::vec::Vec;

    /// Takes everything that a tool can take.
    #[tool(once = note_id, input_schema = crate::schema())]
    pub(crate) async fn everything(
        note_id: String,
        text: &str,
        #[serde(default)] limit: u32,
        #[serde(default = "ten")]
        #[schemars(range(min = 1), example = 2, extend("x-unit" = "notes"))]
        count: u32,
        shared: State<String>,
        ctx: &Context,
        #[elicit("Keep {note_id}, {text}, {limit}?")] answer: Elicit<Confirm>,
        #[resolve(resolver(ctx, answer))] second: Resolve<Confirm>,
    ) -> String {
        let _ = (text, limit, count, shared, ctx, answer, second);
        note_id
    }

    fn ten() -> u32 {
        10
    }

    fn resolver(_: &Context, _: &Elicit<Confirm>) -> Ask<Confirm> {
        Ask::ready(Confirm {
            confirm: true,
            size: Size::Large,
        })
    }

    /// Takes everything that a prompt can take.
    #[prompt(once = note_id, extra = "ignore")]
    pub(crate) async fn every_prompt(
        note_id: String,
        #[complete("a", "b")] text: &str,
        #[complete(texts)] more: Option<u32>,
        shared: State<String>,
        #[elicit("Keep {note_id}, {text}?")] answer: Elicit<Confirm>,
    ) -> String {
        let _ = (text, more, shared, answer);
        note_id
    }

    async fn texts(_: Completing) -> Vec<String> {
        Vec::new()
    }

    /// Takes everything that a resource can take.
    #[resource(
        "note://{note_id}/text{?limit,count}",
        mime_type = "text/plain",
        audience("user"),
        priority = 1,
        last_modified = "2025-01-12"
    )]
    pub(crate) fn every_resource(
        #[complete(texts)] note_id: String,
        limit: Option<u32>,
        #[serde(default = "ten")] count: u32,
        ctx: &Context,
        #[elicit("Show {note_id}?")] answer: Elicit<Confirm>,
    ) -> String {
        let _ = (limit, count, ctx, answer);
        note_id
    }

    /// Has a header.
    #[tool]
    pub(crate) async fn with_header(#[header("Region")] region: &str) -> String {
        region.to_string()
    }

    pub(crate) struct Shop;

    #[tool]
    #[prompt]
    #[resource]
    impl Shop {
        /// Advertises.
        #[prompt]
        pub(crate) async fn advert(&self, #[complete(Self::names)] name: String) -> String {
            name
        }

        /// The catalogue.
        #[resource("shop://{part}")]
        pub(crate) fn catalogue(&self, part: &str) -> String {
            part.to_string()
        }

        async fn names(_: Completing) -> Vec<String> {
            Vec::new()
        }

        /// Quotes.
        #[tool]
        pub(crate) fn quote(
            &self,
            #[elicit("{}?", self.name())] answer: Elicit<Confirm>,
        ) -> String {
            let _ = answer;
            self.name()
        }

        fn name(&self) -> String {
            "shop".to_string()
        }
    }
}

use forms::Confirm;
use mcp_server::__private::{
    ArgumentSpec, ArgumentsSpec, CompleteSpec, Completing, FunctionSpec, KindSpec, Prompt,
    Resource, Tool,
};
use mcp_server::{Elicit, prompt, resource, tool};

/// Parameters with the names of the generated code's own locals, of the function and of the wire's keywords.
#[tool]
async fn call(
    call: String,
    slots: String,
    asking: String,
    run: String,
    reply: String,
    this: String,
    slot_0: String,
    value_0: String,
    #[elicit("{call} {slots} {asking} {run} {reply} {this} {slot_0} {value_0}")] answer: Elicit<
        Confirm,
    >,
) -> String {
    let _ = (slots, asking, run, reply, this, slot_0, value_0, answer);
    call
}

/// Raw identifiers are plain on the wire.
#[tool]
fn r#match(r#type: String, #[elicit("{type} {}", r#type)] r#fn: Elicit<Confirm>) -> String {
    let _ = r#fn;
    r#type
}

/// Renamed, since a module of the name is in the way.
#[tool(handle = find_tool)]
fn find() -> &'static str {
    find::NAME
}

mod find {
    pub(crate) const NAME: &str = "find";
}

/// A completion function and its argument with the names of the generated code's own.
#[prompt]
async fn typing(#[complete(complete_with)] typing: String) -> String {
    typing
}

async fn complete_with(_: Completing) -> Vec<String> {
    Vec::new()
}

/// Raw identifiers are plain in a template.
#[resource("note://{type}/{match}")]
fn r#loop(r#type: String, r#match: String) -> String {
    r#type + &r#match
}

macro_rules! make_tool {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $parameter:ident: $type:ty, $question:literal) => {
        $(#[$attribute])*
        #[tool]
        $visibility async fn $name(
            /// From a macro.
            $parameter: $type,
            #[elicit($question, $parameter)] answer: Elicit<Confirm>,
        ) -> String {
            let _ = ($parameter, answer);
            String::new()
        }
    };
}

make_tool!(
    /// Made by a macro.
    pub(crate) made, text: &str, "Keep {}?"
);

macro_rules! make_resource {
    ($name:ident, $uri:literal, $parameter:ident: $type:ty, $completed:path) => {
        /// Made by a macro.
        #[resource($uri, priority = 0.25)]
        async fn $name(#[complete($completed)] $parameter: $type) -> String {
            $parameter.to_owned()
        }
    };
}

make_resource!(page, "page://{title}", title: &str, complete_with);

#[test]
fn prompts_and_resources_are_functions_too() {
    assert_eq!(r#loop("a".to_owned(), "b".to_owned()), "ab");
    assert_eq!(bare::Shop.catalogue("c"), "c");
    drop((page(""), typing(String::new()), bare::with_header("")));
    assert!(matches!(
        <typing as Prompt>::function().spec.kind,
        KindSpec::Prompt
    ));
    assert!(matches!(
        <bare::every_prompt as Prompt>::function().spec.kind,
        KindSpec::Prompt
    ));
    let KindSpec::Resource(resource) = &<page as Resource>::function().spec.kind else {
        panic!("`page` is a resource");
    };
    assert_eq!(
        (resource.uri, resource.priority),
        ("page://{title}", Some(0.25))
    );
    let names = arguments(&<r#loop as Resource>::function().spec);
    assert_eq!(names, ["type", "match"]);
    assert_eq!(
        arguments(&<bare::every_resource as Resource>::function().spec),
        ["note_id", "limit", "count"]
    );
}

fn list(spec: &FunctionSpec) -> &[ArgumentSpec] {
    let ArgumentsSpec::List(list) = &spec.arguments else {
        panic!("plain arguments");
    };
    list
}

fn arguments(spec: &FunctionSpec) -> Vec<&'static str> {
    list(spec).iter().map(|argument| argument.name).collect()
}

#[test]
fn completions_and_headers_are_data() {
    let prompt = <bare::every_prompt as Prompt>::function().spec;
    let [_, text, more] = list(&prompt) else {
        panic!("three arguments");
    };
    assert!(matches!(
        text.complete,
        Some(CompleteSpec::List(["a", "b"]))
    ));
    assert!(matches!(more.complete, Some(CompleteSpec::Function(_))));
    let tool = <bare::with_header as Tool>::function().spec;
    let [region] = list(&tool) else {
        panic!("one argument");
    };
    assert_eq!(region.header, Some("Region"));
    assert!(region.complete.is_none());
}

#[test]
fn functions_are_still_functions() {
    assert_eq!(find(), "find");
    assert_eq!(r#match("a".to_string(), Elicit::Decline), "a");
    assert_eq!(bare::Shop.quote(Elicit::Cancel), "shop");
    drop(made("", Elicit::Decline));
}

#[test]
fn raw_names_are_plain() {
    let spec = <r#match as Tool>::function().spec;
    assert_eq!(spec.name, "match");
    assert_eq!(spec.markers[0].parameter, "fn");
    assert_eq!(<find_tool as Tool>::function().spec.name, "find");
}

#[test]
fn descriptions_come_from_the_comments() {
    assert_eq!(
        <made as Tool>::function().spec.description,
        Some("Made by a macro.")
    );
    assert!(<bare::everything as Tool>::function().spec.markers[0].unconditional);
    assert!(!<bare::everything as Tool>::function().spec.markers[1].unconditional);
    assert_eq!(<call as Tool>::function().spec.markers.len(), 1);
}
