//! A page to sign in on: agreeing to open it is not yet having signed in.

use mcp_client::{Consent, InputRequest, PausedCall, Round, Session, UrlQuestion};
use serde_json::json;

use super::{Played, desk::Desk, out::say, person::Person};
use crate::{AnyError, host::page, shop::model::Refund};

pub(super) async fn play(desk: &Desk) -> Played {
    // Below the policy limit nobody has to confirm anything.
    let quote = desk.quote("O-3310").await?;
    let arguments = json!({ "quote_id": quote.id });
    let call = desk.client.call_tool("issue_refund", arguments).await?;
    let refund: Refund = call.structured()?;
    say!("{} {} without a question", refund.id, refund.status);

    let session = desk.client.session();
    let arguments = json!({ "refund_id": refund.id });
    let mut round = session.call_tool("pay_refund", arguments).await?;
    let mut label = "first call";
    loop {
        let paused = match round {
            Round::Complete(call) => {
                let how = if call.is_error() {
                    "tool error,"
                } else {
                    "complete"
                };
                say!("{label}: {how} {}", call.text());
                return Ok(());
            }
            Round::InputRequired(paused) => paused,
        };
        let question = page_of(&paused)?;
        say!("{label}: input_required url");
        let consent = match label {
            "first call" => desk.person.open(question.clone()).await?,
            _ => finish(desk.person, &question.url).await?,
        };
        round = resume(paused, &session, &question.key, consent).await?;
        label = match (consent, label, &round) {
            (Consent::Accept, "first call", _) => "after accept",
            // The person says that they have signed in; the shop knows whether they have.
            (Consent::Accept, _, Round::Complete(call)) if !call.is_error() => "after sign-in",
            (Consent::Accept, ..) => "not signed in yet",
            (Consent::Decline | Consent::Cancel, ..) => "after a refusal",
        };
    }
}

fn page_of(paused: &PausedCall) -> Result<UrlQuestion, AnyError> {
    match paused.requests() {
        [InputRequest::Url(question)] => Ok(question.clone()),
        other => Err(format!("pay_refund asks for {other:?}").into()),
    }
}

async fn resume(
    mut paused: PausedCall,
    session: &Session,
    key: &str,
    consent: Consent,
) -> Result<Round, mcp_client::Error> {
    paused.answer(key, consent)?;
    paused.resume(session).await
}

/// Waits until the person has signed in.
async fn finish(person: Person, url: &str) -> Result<Consent, AnyError> {
    match person {
        Person::AtTheTerminal => page::wait().await,
        Person::Script => {
            let browser = reqwest::Client::builder().no_proxy().build()?;
            for (clerk, pin) in [("tom", "1357"), ("lea", "2468")] {
                let form = [("clerk", clerk), ("pin", pin)];
                let status = browser.post(url).form(&form).send().await?.status();
                say!("{clerk} signs in on the page: {}", status.as_u16());
            }
            Ok(Consent::Accept)
        }
    }
}
