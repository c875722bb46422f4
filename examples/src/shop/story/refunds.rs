//! A refund that a lead must confirm: round by round by hand, and in one go with `Client::call_tool`.

use mcp_client::{Error, InputRequest, Round};
use serde_json::json;

use super::{Played, desk::Desk, out::say};
use crate::{AnyError, shop::model::Refund};

pub(super) async fn play(desk: &Desk) -> Played {
    let quote = desk.quote("O-2289").await?;
    let start = desk.wire.mark();
    let refund = by_hand(desk, &quote.id).await?;
    say!("by hand: {} {}", refund.id, refund.status);
    let middle = desk.wire.mark();

    let quote = desk.quote("O-2289").await?;
    let arguments = json!({ "quote_id": quote.id });
    let call = desk.client.call_tool("issue_refund", arguments).await?;
    let refund: Refund = call.structured()?;
    say!("by Client.call_tool: {} {}", refund.id, refund.status);

    say!("what went over the wire:");
    let by_hand = desk.wire.calls_between("issue_refund", start, middle)?;
    by_hand.print("by hand");
    let by_client = desk
        .wire
        .calls_between("issue_refund", middle, desk.wire.mark())?;
    by_client.print("Client.call_tool");
    Ok(())
}

/// Each request by itself: the server's questions are handed back, and the call waits here.
async fn by_hand(desk: &Desk, quote_id: &str) -> Result<Refund, AnyError> {
    let session = desk.client.session();
    let arguments = json!({ "quote_id": quote_id });
    let mut round = session.call_tool("issue_refund", arguments).await?;
    loop {
        let mut paused = match round {
            Round::Complete(call) => return Ok(call.structured()?),
            Round::InputRequired(paused) => paused,
        };
        for request in paused.requests().to_vec() {
            let InputRequest::Form(question) = request else {
                return Err(format!("issue_refund asks for {}", request.kind()).into());
            };
            let key = question.key.clone();
            let answer = desk.person.fill_in(question).await?;
            paused.answer(&key, answer)?;
        }
        round = paused.resume(&session).await?;
    }
}

/// A client that declares no elicitation is told so before anything is done.
pub(super) async fn without_elicitation(desk: &Desk) -> Played {
    let quote = desk.quote("O-2289").await?;
    let session = desk.client.session().declare_only([]);
    let arguments = json!({ "quote_id": quote.id });
    match session.call_tool("issue_refund", arguments).await {
        Err(Error::MissingCapability { error, required }) => {
            say!("client without elicitation: {}", error.code);
            say!("what it would have to declare: {required}");
            Ok(())
        }
        other => Err(format!("a client without elicitation got {other:?}").into()),
    }
}
