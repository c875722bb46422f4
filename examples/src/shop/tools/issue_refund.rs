//! `issue_refund`: a tool that asks by hand, since it must remember what the answer is about.
//!
//! Most tools declare their questions on a parameter instead; see `record_return`.

use mcp_server::prelude::*;

use crate::shop::{
    Shop,
    model::{Refund, RefundStatus},
};

#[derive(Deserialize, JsonSchema, Form)]
pub(crate) struct Confirm {
    /// Release the refund?
    release: bool,
}

/// Issue the refund of a quote. A refund above the policy limit waits for a lead, who is asked.
#[tool(destructive, idempotent)]
pub(crate) async fn issue_refund(
    /// The quote's id, from quote_refund.
    quote_id: String,
    shop: State<Shop>,
    ctx: Context,
) -> Result<Outcome<Json<Refund>>, ToolError> {
    // The state comes back only if it is the one that was given for this very call.
    if let Some(refund_id) = ctx.request_state()
        && let Some(answer) = ctx.input_responses().form("confirm")?
    {
        let refund = match answer {
            Elicit::Accept(Confirm { release: true }) => {
                ctx.claim(&refund_id).await?;
                shop.confirm(&refund_id).await?
            }
            Elicit::Accept(Confirm { release: false }) | Elicit::Decline => {
                ctx.claim(&refund_id).await?;
                shop.cancel(&refund_id).await?
            }
            // Nobody has decided: the refund stays held, and the next call asks again.
            Elicit::Cancel => shop.refund_quote(&quote_id).await?,
        };
        return Ok(Outcome::Complete(Json(refund)));
    }
    // Before anything is done: can the lead be asked?
    if shop.quote(&quote_id).await?.needs_confirmation {
        ctx.require(Kind::Form)?;
    }
    let refund = shop.refund_quote(&quote_id).await?;
    if refund.status != RefundStatus::NeedsConfirmation {
        return Ok(Outcome::Complete(Json(refund)));
    }
    let message = format!(
        "Refund {} on order {}? It is above the policy limit, so a lead must confirm it.",
        refund.amount_cents, refund.order_id
    );
    Ok(Outcome::InputRequired(
        InputRequired::new()
            .form::<Confirm>("confirm", message)
            .state(refund.id),
    ))
}
