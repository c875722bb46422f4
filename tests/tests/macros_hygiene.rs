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
    use ::mcp_server::{Ask, Context, Elicit, Resolve, State, tool};
    use ::std::string::{String, ToString as _};

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

    pub(crate) struct Shop;

    #[tool]
    impl Shop {
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
use mcp_server::__private::Function as _;
use mcp_server::{Elicit, tool};

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

#[test]
fn functions_are_still_functions() {
    assert_eq!(find(), "find");
    assert_eq!(r#match("a".to_string(), Elicit::Decline), "a");
    assert_eq!(bare::Shop.quote(Elicit::Cancel), "shop");
    drop(made("", Elicit::Decline));
}

#[test]
fn raw_names_are_plain() {
    let spec = r#match {}.spec();
    assert_eq!(spec.name, "match");
    assert_eq!(spec.markers[0].parameter, "fn");
    assert_eq!(find_tool {}.spec().name, "find");
}

#[test]
fn descriptions_come_from_the_comments() {
    assert_eq!(made {}.spec().description, Some("Made by a macro."));
    assert!(bare::everything {}.spec().markers[0].unconditional);
    assert!(!bare::everything {}.spec().markers[1].unconditional);
    assert_eq!(call {}.spec().markers.len(), 1);
}
