//! Public tools: functions, and methods of a generic type.

use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// Confirms.
#[derive(Deserialize, JsonSchema, Form, Debug)]
pub struct Confirm {
    /// Check to go on.
    pub confirm: bool,
    /// The reason.
    #[form(title = "Reason")]
    #[serde(default)]
    pub reason: Option<Reason>,
    /// More of them.
    pub others: Option<Vec<Reason>>,
}

/// Why.
#[derive(Deserialize, JsonSchema, Form, Debug, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It broke on the way.
    #[form(title = "Damaged in transit")]
    Damaged,
    /// Anything else.
    Other,
}

/// Finds an order.
///
/// # Errors
///
/// Where there is none.
#[tool(
    read_only,
    title = "Find an order",
    icons("https://example.com/order.png")
)]
pub fn find(
    /// The order's id.
    order_id: &str,
    /// How many lines.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10), example = 3)]
    lines: u8,
) -> Result<String, ToolError> {
    if order_id.is_empty() {
        return Err(ToolError::new("no such order"));
    }
    Ok(format!("{order_id}, {lines} lines"))
}

async fn second(order_id: &str, ctx: &Context) -> Result<Ask<Confirm>, ToolError> {
    let _ = ctx;
    std::future::ready(()).await;
    Ok(Ask::form(format!("Sure about {order_id}?")))
}

/// Cancels an order, after two questions.
///
/// # Errors
///
/// Never.
#[tool(destructive, once = order_id, timeout = "30s")]
pub async fn cancel(
    /// The order's id.
    order_id: &str,
    ctx: &Context,
    /// A limit.
    limit: Option<u32>,
    #[elicit("Cancel {order_id}? At most {:?}.", limit)] answer: Elicit<Confirm>,
    #[resolve(if matches!(answer, Elicit::Accept(_)) { second(order_id, ctx).await? } else { Ask::ready(Confirm { confirm: true, reason: None, others: None }) })]
    sure: Resolve<Confirm>,
) -> Result<String, ToolError> {
    let _ = (ctx, limit);
    std::future::ready(()).await;
    Ok(match answer {
        Elicit::Accept(_) if sure.confirm => format!("cancelled {order_id}"),
        _ => format!("kept {order_id}"),
    })
}

/// Does nothing any more.
#[deprecated(note = "use `find`")]
#[tool]
pub async fn look_up() {
    std::future::ready(()).await;
}

/// A place that holds stock.
pub trait Backend: Send + Sync + 'static {
    /// How much there is.
    fn stock(&self, sku: &str) -> u32;
}

/// A shop over any backend.
#[derive(Debug)]
pub struct Shop<B> {
    backend: B,
}

impl<B> Shop<B> {
    /// Opens it.
    pub fn new(backend: B) -> Self {
        Self { backend }
    }
}

#[tool]
impl<B: Backend> Shop<B> {
    /// Quotes the stock.
    #[tool(read_only)]
    pub async fn quote(
        &self,
        /// The article.
        sku: &str,
    ) -> String {
        std::future::ready(()).await;
        format!("{} of {sku}", self.backend.stock(sku))
    }

    /// Restocks after a question.
    #[tool]
    pub fn restock(
        &self,
        /// The article.
        sku: &str,
        #[elicit("There are {} of {sku}: restock?", self.backend.stock(sku))] answer: Elicit<
            Confirm,
        >,
    ) -> String {
        match answer.map(|form| form.confirm) {
            Elicit::Accept(true) => format!("{sku}: restocked"),
            _ => format!("{sku}: still {}", self.backend.stock(sku)),
        }
    }
}

/// Explains an order.
#[prompt(title = "Explain an order", timeout = "5s")]
pub async fn explain(
    /// The order's id.
    #[complete("O-2289", "O-2290")]
    order_id: &str,
    /// For whom.
    #[complete(readers)]
    reader: Option<String>,
    #[elicit("In short?")] brief: Elicit<Confirm>,
) -> String {
    std::future::ready(()).await;
    let reader = reader.unwrap_or_default();
    match brief {
        Elicit::Accept(form) => format!("Explain {order_id} to {reader}, {}", form.confirm),
        Elicit::Decline | Elicit::Cancel => reader,
    }
}

async fn readers(typing: mcp_server::Completing) -> Vec<String> {
    std::future::ready(()).await;
    vec![typing.value().to_owned()]
}

/// The lines of an order.
///
/// # Errors
///
/// Where there is none.
#[resource(
    "orders://{order_id}/lines{?limit}",
    mime_type = "text/plain",
    audience("user"),
    priority = 0.5
)]
pub fn lines(
    /// The order's id.
    order_id: &str,
    /// How many.
    limit: Option<u8>,
) -> Result<String, ToolError> {
    if order_id.is_empty() {
        return Err(ToolError::new("no such order"));
    }
    Ok(format!("{order_id}, {limit:?}"))
}

/// Ships an order.
#[tool(destructive)]
pub async fn ship(
    /// Where to.
    #[header("Region")]
    region: &str,
) -> String {
    std::future::ready(region.to_owned()).await
}
