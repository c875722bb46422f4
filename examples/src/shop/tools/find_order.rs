//! `find_order`: a tool that asks nothing.

use mcp_server::prelude::*;

use crate::shop::{Shop, model::Order};

/// Find an order with its articles and prices.
#[tool(read_only)]
pub(crate) async fn find_order(
    /// The order's id, such as O-2289.
    order_id: String,
    shop: State<Shop>,
) -> Result<Json<Order>, ToolError> {
    Ok(Json(shop.order(&order_id).await?))
}
