//! `record_return`: a question on a parameter, and a body that tells all three answers apart.

use mcp_server::prelude::*;

use crate::shop::{
    Shop,
    model::{Reason, Return},
};

#[derive(Deserialize, JsonSchema, Form)]
pub(crate) struct Inspection {
    /// Why did it come back?
    reason: Reason,
    /// Can it be sold again?
    restock: bool,
    /// Anything else worth knowing.
    #[schemars(length(max = 200))]
    note: Option<String>,
}

/// The form goes to whoever opened the parcel, once it is sure that the article is of this order.
async fn inspect(shop: &Shop, order_id: &str, sku: &str) -> Result<Ask<Inspection>, ToolError> {
    let order = shop.order(order_id).await?;
    if order.items.iter().all(|item| item.sku != sku) {
        return Err(ToolError::new(format!(
            "order {order_id} has no article {sku}; find_order tells what it has"
        )));
    }
    Ok(Ask::form(format!(
        "You opened the return of {sku} from order {order_id}. What did you find?"
    )))
}

/// Record a return. Asks whoever opened the parcel what was in it.
#[tool(destructive = false)]
pub(crate) async fn record_return(
    /// The order's id, such as O-1145.
    order_id: String,
    /// The article number, such as KG-1043.
    sku: String,
    shop: State<Shop>,
    #[resolve(inspect(&shop, &order_id, &sku).await)] found: Elicit<Inspection>,
) -> Result<String, ToolError> {
    let found = match found {
        Elicit::Accept(found) => found,
        Elicit::Decline => {
            return Ok(format!(
                "Nothing recorded for {sku}: the inspector declined. Do not ask again."
            ));
        }
        Elicit::Cancel => {
            return Ok(format!(
                "Nothing recorded for {sku} yet: the form was closed. Ask again later."
            ));
        }
    };
    let parcel = Return {
        order_id,
        sku,
        reason: found.reason,
        restock: found.restock,
        note: found.note,
    };
    shop.record_return(&parcel).await?;
    Ok(format!(
        "Recorded the return of {} from order {}: {}, {}.",
        parcel.sku,
        parcel.order_id,
        parcel.reason,
        if parcel.restock {
            "back on the shelf"
        } else {
            "not for sale"
        }
    ))
}
