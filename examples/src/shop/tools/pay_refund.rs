//! `pay_refund`: a question that is a page. Accepting only means that the person agreed to open it.

use mcp_server::{Progress, prelude::*};

use crate::shop::{Shop, model::RefundStatus};

/// The clerk's account at the payment provider.
pub(crate) struct Account {
    clerk: String,
}

/// Runs in each round, and finds out from the shop's own records whether the clerk has signed in.
async fn connect(shop: &Shop, refund_id: &str, ctx: &Context) -> Result<Ask<Account>, ToolError> {
    // Nobody signs in for a refund that cannot be paid.
    let refund = shop.refund(refund_id).await?;
    if refund.status != RefundStatus::Requested {
        return Err(ToolError::new(format!(
            "refund {refund_id} is at `{}`, and only one at `{}` can be paid",
            refund.status,
            RefundStatus::Requested
        )));
    }
    // The flow's id stays the same over all rounds: it travels in the sealed state.
    let flow = ctx.flow("connect")?;
    let visit = shop.visit(&flow).await?;
    if visit.signed_in {
        return Ok(Ask::ready(Account { clerk: visit.clerk }));
    }
    Ok(Ask::url(
        "To pay refunds, connect your payment provider account on its own page.",
        shop.payment_page(&flow)?,
    )
    .at_most(5))
}

/// Pay a refund that is requested. The clerk signs in at the payment provider first.
#[tool(destructive, open_world)]
pub(crate) async fn pay_refund(
    /// The refund's id, such as R-0111.
    refund_id: String,
    shop: State<Shop>,
    ctx: Context,
    #[resolve(connect(&shop, &refund_id, &ctx).await)] account: Resolve<Account>,
) -> Result<String, ToolError> {
    ctx.progress(Progress::from((1.0, 2.0)).message("signed in, paying"));
    let refund = shop.pay(&refund_id).await?;
    Ok(format!(
        "{} paid: {} from {}'s account",
        refund.id, refund.amount_cents, account.clerk
    ))
}
