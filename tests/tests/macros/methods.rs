//! `#[tool]` on `impl` blocks: a value whose methods are tools.

use std::sync::Arc;

use mcp_server::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::host::host;

#[derive(Deserialize, JsonSchema, Form, Debug)]
struct Confirm {
    confirm: bool,
}

trait Backend: Send + Sync + 'static {
    type Row: DeserializeOwned + JsonSchema + std::fmt::Debug + Send;

    fn price(&self, sku: &str) -> u32;
}

struct Fixed(u32);

impl Backend for Fixed {
    type Row = [u8; 2];

    fn price(&self, _: &str) -> u32 {
        self.0
    }
}

struct Shop<B, const RATE: u32> {
    backend: B,
}

#[tool]
impl<B, const RATE: u32> Shop<B, RATE>
where
    B: Backend,
{
    const CURRENCY: &'static str = "EUR";

    /// Quotes a price.
    #[tool(read_only, name = "quote_price")]
    async fn quote(&self, sku: &str, row: Option<B::Row>) -> String {
        format!("{} {} {row:?}", self.price(sku), Self::CURRENCY)
    }

    /// Sells, after asking for the price.
    #[tool]
    fn sell(
        &self,
        sku: String,
        #[elicit("Sell {sku} for {}?", self.price(&sku))] answer: Elicit<Confirm>,
        #[resolve(Self::sure(answer, self))] sure: Resolve<Confirm>,
    ) -> String {
        format!("{sku} {answer:?} {} {}", sure.confirm, self.price(&sku))
    }

    /// Shares itself.
    #[tool(once = format!("{} {sku}", self.price(sku)))]
    async fn share(self: Arc<Self>, sku: &str) -> String {
        format!("{sku} {}", Arc::strong_count(&self) > 1)
    }

    /// Is not there.
    #[cfg(any())]
    #[tool]
    fn gone(&self, missing: Missing) {}

    fn price(&self, sku: &str) -> u32 {
        self.backend.price(sku) * RATE
    }

    fn sure(answer: &Elicit<Confirm>, shop: &Self) -> Ask<Confirm> {
        Ask::form(format!("Sure, after {answer:?}, at {}?", shop.price("")))
    }
}

#[tokio::test]
async fn methods_are_tools_of_a_value() {
    let shop = Arc::new(Shop::<_, 3> { backend: Fixed(7) });
    let answers = json!({"answer": "decline", "sure": {"confirm": true}});
    let host = host(Arc::clone(&shop), answers).await;
    let quote = host
        .text("quote_price", json!({"sku": "a", "row": [1, 2]}))
        .await;
    assert_eq!(quote, "21 EUR Some([1, 2])");
    assert_eq!(
        host.text("sell", json!({"sku": "a"})).await,
        "a Decline true 21"
    );
    assert_eq!(
        host.messages(),
        ["Sell a for 21?", "Sure, after Decline, at 21?"]
    );
    assert_eq!(host.text("share", json!({"sku": "a"})).await, "a true");
    host.error("share", json!({"sku": "a"})).await;
    assert_eq!(shop.quote("b", None).await, "21 EUR None");
    assert_eq!(
        host.listed("quote_price").await["annotations"],
        json!({"readOnlyHint": true})
    );
}
