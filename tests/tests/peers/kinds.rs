//! What else a server may ask for: the host's model, its directories, and a page to open.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_client::protocol::{CreateMessageResult, ListRootsResult, Root, TextContent};
use mcp_client::{Consent, Error, Kind};
use serde_json::{Value, json};

use crate::support::{Peer, builder, over_both};

over_both![
    sampling_and_roots,
    sampling_that_was_not_declared,
    pages,
    pages_that_are_not_opened,
    state_alone
];

async fn sampling_and_roots(peer: Peer) {
    let client = builder()
        .on_sampling(|question| async move {
            assert_eq!(question.params.max_tokens, 50);
            let asked = serde_json::to_value(&question.params.messages)?;
            assert_eq!(asked[0]["role"], "user");
            assert_eq!(asked[0]["content"]["text"], "A slogan for kettles, please.");
            let said = TextContent::new("It boils.");
            Ok(CreateMessageResult::new("a-model", said))
        })
        .on_roots(|_| async {
            let roots = ["file:///srv/shop", "file:///srv/a%20b"];
            let roots = roots.into_iter().map(Root::new).collect();
            Ok(ListRootsResult { roots })
        });
    let client = peer.connect(client).await;
    let call = client
        .call_tool("slogan", json!({"product": "kettles"}))
        .await
        .unwrap();
    assert!(!call.is_error(), "{}", call.text());
    assert_eq!(
        call.text(),
        "It boils. (a-model, for file:///srv/shop and file:///srv/a%20b)"
    );
    // Neither depends on the other: one round asks for both.
    assert_eq!(call.rounds, 2);
    client.close().await;
}

async fn sampling_that_was_not_declared(peer: Peer) {
    let client = builder().declare(Kind::Roots);
    let client = peer.connect(client).await;
    let refused = client.call_tool("slogan", json!({"product": "kettles"}));
    let error = refused.await.unwrap_err();
    let Error::MissingCapability { required, .. } = error else {
        panic!("expected a missing capability, got {error}");
    };
    assert_eq!(required, json!({"sampling": {}}));
    client.close().await;
}

/// Agreeing to open a page is not having finished there: the server asks until it is.
async fn pages(peer: Peer) {
    let asked = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&asked);
    let client = builder().on_url(move |question| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            assert_eq!(question.url, "https://pay.example/connect/7");
            assert_eq!(question.host(), "pay.example");
            Ok(Consent::Accept)
        }
    });
    let client = peer.connect(client).await;
    let call = client.call_tool("connect", ()).await.unwrap();
    assert_eq!(call.text(), "Connected after 2 visits.");
    assert_eq!((call.rounds, asked.load(Ordering::Relaxed)), (3, 2));
    client.close().await;
}

async fn pages_that_are_not_opened(peer: Peer) {
    for (consent, action) in [(Consent::Decline, "decline"), (Consent::Cancel, "cancel")] {
        let client = builder().on_url(move |_| async move { Ok(consent) });
        let client = peer.connect(client).await;
        let call = client.call_tool("connect", json!({})).await.unwrap();
        assert_eq!(call.text(), format!("Not connected: {action}."));
        assert_eq!(call.rounds, 2);
        client.close().await;
    }
}

/// A server can want nothing but another request, after a moment. There is no answer to send then.
async fn state_alone(peer: Peer) {
    let client = peer.connect(builder()).await;
    let call = client.call_tool("poll", json!({})).await.unwrap();
    assert_eq!((call.text().as_str(), call.rounds), ("Ready.", 3));

    let session = client.session();
    let first = session.request("tools/call", json!({"name": "poll", "arguments": {}}));
    let first: Value = serde_json::from_str(first.await.unwrap().get()).unwrap();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first.get("inputRequests"), None);
    client.close().await;
}
