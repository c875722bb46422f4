//! Tools that ask: by parameters, as tools should; and by hand, where the suite answers a tool that it has
//! never called.

use mcp_server::{
    Roots, Sampled, TextContent, ToolSet,
    prelude::*,
    protocol::{CreateMessageRequestParams, Role, SamplingMessage},
};

pub(super) fn tools() -> ToolSet {
    tools![
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_sampling,
        test_missing_capability,
        test_streaming_elicitation,
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_tampered_state,
        test_input_required_result_capabilities,
    ]
}

/// Who somebody is.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Form)]
struct Account {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// Asks for an account with a message of the caller's.
#[tool]
async fn test_elicitation(
    /// What to ask.
    message: String,
    #[elicit("{message}")] account: Elicit<Account>,
) -> Result<String, ToolError> {
    Ok(match account {
        Elicit::Accept(account) => {
            format!(
                "User response: accept, {}",
                serde_json::to_string(&account)?
            )
        }
        Elicit::Decline => "User response: decline".to_owned(),
        Elicit::Cancel => "User response: cancel".to_owned(),
    })
}

/// A form whose fields are all filled in already.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Form)]
#[serde(default)]
struct Prefilled {
    name: String,
    age: i64,
    score: f64,
    status: Status,
    verified: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, Form)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Prefilled {
    fn default() -> Self {
        Self {
            name: "John Doe".to_owned(),
            age: 30,
            score: 95.5,
            status: Status::Active,
            verified: true,
        }
    }
}

/// Asks with a form whose fields have defaults.
#[tool]
async fn test_elicitation_sep1034_defaults(
    #[elicit("Please review and update the form fields with defaults")] form: Elicit<Prefilled>,
) -> Result<String, ToolError> {
    let (action, content) = match form {
        Elicit::Accept(form) => ("accept", serde_json::to_string(&form)?),
        Elicit::Decline => ("decline", "{}".to_owned()),
        Elicit::Cancel => ("cancel", "{}".to_owned()),
    };
    Ok(format!(
        "Elicitation completed: action={action}, content={content}"
    ))
}

/// A question for the client's model.
fn sample(text: &str) -> Ask<Sampled> {
    let message = SamplingMessage::new(Role::User, TextContent::new(text));
    Ask::sample(CreateMessageRequestParams::new(vec![message], 100))
}

/// Has the client's model answer a prompt.
#[tool]
async fn test_sampling(
    /// The prompt.
    prompt: String,
    #[resolve(sample(&prompt))] answer: Resolve<Sampled>,
) -> String {
    format!("LLM response: {}", answer.text())
}

/// Needs a client that can sample.
#[tool]
async fn test_missing_capability(ctx: Context) -> Result<&'static str, ToolError> {
    ctx.require(Kind::Sampling)?;
    Ok("The client can sample.")
}

#[derive(Deserialize, JsonSchema, Form)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool]
async fn test_streaming_elicitation(
    #[elicit("What is your name?")] user_name: Resolve<Name>,
) -> String {
    format!("Hello, {}!", user_name.name)
}

/// Asks for a name by hand, and takes any answer: nothing depends on whether it was asked.
#[tool]
async fn test_input_required_result_elicitation(
    ctx: Context,
) -> Result<Outcome<String>, ToolError> {
    match ctx.unverified_input_responses().form("user_name") {
        Ok(Some(Elicit::Accept(Name { name }))) => Ok(Outcome::Complete(format!("Hello, {name}!"))),
        Ok(Some(_)) => Ok(Outcome::Complete("Hello, whoever you are!".to_owned())),
        Ok(None) | Err(_) => {
            ctx.require(Kind::Form)?;
            Ok(Outcome::InputRequired(
                InputRequired::new().form::<Name>("user_name", "What is your name?"),
            ))
        }
    }
}

/// Has the client's model answer a question.
#[tool]
async fn test_input_required_result_sampling(
    #[resolve(sample("What is the capital of France?"))] capital_question: Resolve<Sampled>,
) -> String {
    capital_question.text()
}

/// Asks for the client's directories.
#[tool]
async fn test_input_required_result_list_roots(
    #[resolve(Ask::roots())] client_roots: Resolve<Roots>,
) -> String {
    client_roots
        .roots
        .iter()
        .map(|root| format!("{}\n", root.uri))
        .collect()
}

#[derive(Deserialize, JsonSchema, Form)]
struct Confirmed {
    ok: bool,
}

/// Asks for a confirmation; the state tells that it was asked.
#[tool]
async fn test_input_required_result_request_state(
    #[elicit("Please confirm")] confirm: Elicit<Confirmed>,
) -> &'static str {
    match confirm {
        Elicit::Accept(Confirmed { ok: true }) => "state-ok: confirmed",
        _ => "state-ok: not confirmed",
    }
}

/// Asks for three things in one round, since no question depends on another.
#[tool]
async fn test_input_required_result_multiple_inputs(
    #[elicit("What is your name?")] user_name: Resolve<Name>,
    #[resolve(sample("Generate a greeting"))] greeting: Resolve<Sampled>,
    #[resolve(Ask::roots())] client_roots: Resolve<Roots>,
) -> String {
    format!(
        "{} {}, with {} directories",
        greeting.text(),
        user_name.name,
        client_roots.roots.len()
    )
}

#[derive(Deserialize, JsonSchema, Form)]
struct Color {
    color: String,
}

/// Asks twice: the second question mentions the answer to the first.
#[tool]
async fn test_input_required_result_multi_round(
    #[elicit("Step 1: What is your name?")] step1: Resolve<Name>,
    #[elicit("Step 2: What is your favorite color, {}?", step1.name)] step2: Resolve<Color>,
) -> String {
    format!("{} likes {}", step1.name, step2.color)
}

/// Asks for a confirmation; a state that somebody has changed is refused.
#[tool]
async fn test_input_required_result_tampered_state(
    #[elicit("Please confirm")] confirm: Elicit<Confirmed>,
) -> &'static str {
    match confirm {
        Elicit::Accept(Confirmed { ok: true }) => "confirmed",
        _ => "not confirmed",
    }
}

/// Asks for what the client can answer, and leaves out what it cannot.
#[tool]
async fn test_input_required_result_capabilities(
    #[resolve(if_possible(&ctx, Kind::Form, || Ask::form("What is your name?")))]
    user_name: Resolve<Option<Name>>,
    #[resolve(if_possible(&ctx, Kind::Sampling, || sample("Generate a greeting")))]
    greeting: Resolve<Option<Sampled>>,
    ctx: Context,
) -> String {
    let greeting = greeting.as_ref().map_or("Hello".to_owned(), Sampled::text);
    let name = user_name.as_ref().map_or("stranger", |name| &name.name);
    format!("{greeting}, {name}!")
}

fn if_possible<T>(ctx: &Context, kind: Kind, ask: impl FnOnce() -> Ask<T>) -> Option<Ask<T>> {
    ctx.can_ask(kind).then(ask)
}
