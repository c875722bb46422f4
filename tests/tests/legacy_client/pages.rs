//! Pages, which only 2025-11-25 has: on the open call, and by the error that asks to call again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Client, Consent, HandlerError, Kind, Revision, Round};
use mcp_server::prelude::*;
use serde_json::json;

use crate::support::connect;

const REVISION: Revision = Revision::V2025_11_25;

/// What is known of the user's account.
#[derive(Debug, Default)]
struct Bank {
    account: Mutex<String>,
    flow: Mutex<String>,
}

fn account(ctx: &Context, bank: &Bank) -> Result<Ask<String>, ToolError> {
    let known = bank.account.lock().unwrap().clone();
    if !known.is_empty() {
        return Ok(Ask::ready(known));
    }
    let flow = ctx.flow("connect")?;
    flow.id().clone_into(&mut bank.flow.lock().unwrap());
    let url = format!("https://pay.example/{}", flow.id());
    Ok(Ask::url("Connect your account.", url))
}

/// Pays to the account that the user connects.
#[tool]
async fn pay(
    ctx: Context,
    bank: State<Bank>,
    #[resolve(account(&ctx, &bank))] account: Resolve<String>,
) -> String {
    format!("paid to {}", *account)
}

fn bank(patience: Duration) -> (Server, Arc<Bank>) {
    let bank = Arc::<Bank>::default();
    let server = Server::builder("bank", "1.0.0")
        .shared_state(Arc::clone(&bank))
        .tools(tools![pay])
        .page_patience(patience)
        .build()
        .unwrap();
    (server, bank)
}

/// A host whose user opens pages, and is done with them a moment later.
fn host(
    server: &Server,
    bank: &Arc<Bank>,
    takes: Duration,
) -> (mcp_client::Builder, Arc<Mutex<u32>>) {
    let shown = Arc::new(Mutex::new(0));
    let (server, bank, count) = (server.clone(), Arc::clone(bank), Arc::clone(&shown));
    let builder = Client::builder("host", "1.0.0").on_url(move |question| {
        assert_eq!(question.host(), "pay.example");
        *count.lock().unwrap() += 1;
        let (server, bank) = (server.clone(), Arc::clone(&bank));
        async move {
            tokio::spawn(async move {
                tokio::time::sleep(takes).await;
                "A-1".clone_into(&mut bank.account.lock().unwrap());
                let flow = bank.flow.lock().unwrap().clone();
                server.notify().elicitation_completed(&flow);
            });
            Ok::<_, HandlerError>(Consent::Accept)
        }
    });
    (builder, shown)
}

#[tokio::test]
async fn the_call_waits_for_the_page() {
    let (server, bank) = bank(Duration::from_secs(45));
    let (host, shown) = host(&server, &bank, Duration::from_millis(300));
    let (client, record) = connect(&server, host, REVISION).await;
    let called = client.call_tool("pay", json!({})).await.unwrap();
    assert_eq!(called.text(), "paid to A-1");
    assert_eq!(*shown.lock().unwrap(), 1);
    assert_eq!(record.requests("tools/call"), 1);
    record.check(REVISION);
}

#[tokio::test]
async fn a_server_that_does_not_wait_has_the_call_sent_again() {
    let (server, bank) = bank(Duration::ZERO);
    let (host, shown) = host(&server, &bank, Duration::from_millis(400));
    let (client, record) = connect(&server, host, REVISION).await;
    let called = client.call_tool("pay", json!({})).await.unwrap();
    assert_eq!(called.text(), "paid to A-1");
    // It was shown once, although the error asks for it as well.
    assert_eq!(*shown.lock().unwrap(), 1);
    assert_eq!(record.requests("elicitation/create"), 1);
    assert_eq!(record.requests("tools/call"), 2);
    record.check(REVISION);
}

#[tokio::test]
async fn so_it_is_for_a_host_that_drives_the_call_itself() {
    let (server, bank) = bank(Duration::ZERO);
    let host = Client::builder("host", "1.0.0").declare(Kind::Url);
    let (client, record) = connect(&server, host, REVISION).await;
    let session = client.session();
    let mut round = session.call_tool("pay", json!({})).await.unwrap();
    let mut asked = 0;
    let called = loop {
        let mut paused = match round {
            Round::Complete(called) => break called,
            Round::InputRequired(paused) => paused,
        };
        let open: Vec<_> = paused
            .unanswered()
            .map(|one| one.key().to_owned())
            .collect();
        for key in open {
            asked += 1;
            paused.answer(&key, Consent::Accept).unwrap();
        }
        if asked == 1 && paused.unanswered().next().is_none() {
            "A-1".clone_into(&mut bank.account.lock().unwrap());
        }
        round = paused.resume(&session).await.unwrap();
    };
    assert_eq!(called.text(), "paid to A-1");
    record.check(REVISION);
}

#[tokio::test]
async fn an_older_client_is_told_that_it_cannot_be_asked() {
    let (server, bank) = bank(Duration::from_secs(45));
    let (host, shown) = host(&server, &bank, Duration::ZERO);
    let (client, record) = connect(&server, host, Revision::V2025_06_18).await;
    let called = client.call_tool("pay", json!({})).await.unwrap();
    assert!(called.is_error(), "{}", called.text());
    assert_eq!(*shown.lock().unwrap(), 0);
    record.check(Revision::V2025_06_18);
}
