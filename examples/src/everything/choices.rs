//! A tool that asks with a form made at run time, and by hand: each way in which a form can offer a choice.

use mcp_server::{
    ToolSet,
    core::schema::form::{FieldKind, FormSchema, Options},
    prelude::*,
};

pub(super) fn tools() -> ToolSet {
    tools![test_elicitation_sep1330_enums]
}

/// Asks with a form that has every kind of choice.
#[tool]
async fn test_elicitation_sep1330_enums(ctx: Context) -> Result<Outcome<String>, ToolError> {
    let form = choices();
    let Some(answer) = ctx.input_responses().form_schema("choices", &form)? else {
        ctx.require(Kind::Form)?;
        let message = "Please select options from the enum fields";
        let ask = InputRequired::new().form_schema("choices", message, form);
        return Ok(Outcome::InputRequired(ask.state("asked")));
    };
    let (action, content) = match answer {
        Elicit::Accept(content) => ("accept", serde_json::to_string(&content)?),
        Elicit::Decline => ("decline", "{}".to_owned()),
        Elicit::Cancel => ("cancel", "{}".to_owned()),
    };
    Ok(Outcome::Complete(format!(
        "Elicitation completed: action={action}, content={content}"
    )))
}

fn choices() -> FormSchema {
    let plain = ["option1", "option2", "option3"];
    let mut form = FormSchema::new()
        .choice("untitledSingle", plain, |field| {
            field.description("Select one option").optional()
        })
        .choice("titledSingle", titled("Option"), |field| {
            field
                .description("Select one option with titles")
                .optional()
        })
        .choice("legacyEnum", ["opt1", "opt2", "opt3"], |field| {
            field.description("Select one option (legacy)").optional()
        })
        .multi_choice("untitledMulti", plain, |field| {
            field
                .description("Select multiple options")
                .min_items(1)
                .max_items(3)
                .optional()
        })
        .multi_choice("titledMulti", titled("Choice"), |field| {
            field
                .description("Select multiple options with titles")
                .min_items(1)
                .max_items(3)
                .optional()
        });
    // How older servers give titles. No new form needs it, so the builder has no word for it.
    if let Some(FieldKind::Choice(choice)) =
        form.field_mut("legacyEnum").map(|field| &mut field.kind)
    {
        choice.options = Options::Legacy {
            values: choice.options.values().map(str::to_owned).collect(),
            names: ["Option One", "Option Two", "Option Three"]
                .map(str::to_owned)
                .into(),
        };
    }
    form
}

fn titled(what: &str) -> [(&'static str, String); 3] {
    [
        ("value1", "First"),
        ("value2", "Second"),
        ("value3", "Third"),
    ]
    .map(|(value, place)| (value, format!("{place} {what}")))
}
