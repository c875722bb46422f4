//! A form that a resolver puts on a parameter, and the three things a person can do with it.

use mcp_client::{Answer, InputRequest, Round};
use serde_json::json;

use super::{
    Played,
    desk::Desk,
    out::say,
    person::Person::{AtTheTerminal, Script},
};

pub(super) async fn play(desk: &Desk) -> Played {
    match desk.person {
        AtTheTerminal => record(desk, None).await,
        Script => {
            record(desk, None).await?;
            record(desk, Some(Answer::Decline)).await?;
            record(desk, Some(Answer::Cancel)).await
        }
    }
}

/// Records a return, with the given answer or the person's own.
async fn record(desk: &Desk, given: Option<Answer>) -> Played {
    let session = desk.client.session();
    let arguments = json!({ "order_id": "O-1145", "sku": "KG-1043" });
    let asked = session.call_tool("record_return", arguments).await?;
    let Round::InputRequired(mut paused) = asked else {
        return Err("record_return did not ask".into());
    };
    let Some(InputRequest::Form(question)) = paused.requests().first().cloned() else {
        return Err("record_return asked for no form".into());
    };
    let key = question.key.clone();
    let answer = match given {
        Some(answer) => answer,
        None => desk.person.fill_in(question).await?,
    };
    let action = match &answer {
        Answer::Accept(_) => "accept",
        Answer::Decline => "decline",
        Answer::Cancel => "cancel",
    };
    paused.answer(&key, answer)?;
    match paused.resume(&session).await? {
        Round::Complete(call) => say!("{action}: {}", call.text()),
        Round::InputRequired(_) => return Err("record_return asked twice".into()),
    }
    Ok(())
}
