//! `quote_refund`: what a refund would come to.

use mcp_server::prelude::*;

use crate::shop::{Shop, model::Quote};

/// Quote a refund for an order, or for one article of it. Nothing is paid yet.
#[tool(destructive = false)]
pub(crate) async fn quote_refund(
    /// The order's id, such as O-2289.
    order_id: String,
    /// The article number, if only one article is to be refunded.
    sku: Option<String>,
    shop: State<Shop>,
) -> Result<Json<Quote>, ToolError> {
    Ok(Json(shop.quote_order(&order_id, sku.as_deref()).await?))
}
