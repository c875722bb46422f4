//! How a connection begins: the probe, what is remembered of it, and revisions that are pinned.

use mcp_client::{Eras, Error};
use mcp_core::Revision;

use crate::support::{Peer, builder, over_all, over_sse};

over_all![
    falls_back_to_the_handshake,
    the_era_is_remembered,
    an_older_revision_is_pinned,
    a_modern_client_does_not_fall_back,
];
over_sse![falls_back_to_the_handshake,];

async fn falls_back_to_the_handshake(peer: Peer) {
    let client = peer.connect(builder()).await;
    assert_eq!(client.revision(), Revision::V2025_11_25);
    let info = client.server_info().unwrap();
    assert_eq!(info.name, "legacy-peer");
    let server = client.discover().await.unwrap();
    assert!(server.capabilities.tools.is_some());
    assert!(server.capabilities.logging.is_some());
    assert_eq!(server.instructions.as_deref(), Some("Ask me anything."));
    client.close().await;
}

async fn the_era_is_remembered(peer: Peer) {
    let eras = Eras::new();
    for _ in 0..2 {
        let client = peer.connect(builder().eras(&eras)).await;
        assert_eq!(client.revision(), Revision::V2025_11_25);
        assert_eq!(client.list_tools().await.unwrap().len(), 14);
        client.close().await;
    }
    assert!(format!("{eras:?}").contains('1'), "{eras:?}");
}

async fn an_older_revision_is_pinned(peer: Peer) {
    for revision in Revision::LEGACY {
        let client = peer.connect(builder().revision(*revision)).await;
        assert_eq!(client.revision(), *revision);
        let call = client
            .call_tool("count", serde_json::json!({"to": 1}))
            .await;
        assert_eq!(call.unwrap().text(), "Counted to 1.");
        client.close().await;
    }
}

async fn a_modern_client_does_not_fall_back(peer: Peer) {
    let client = builder().revision(Revision::V2026_07_28);
    let refused = peer.try_connect(client).await;
    assert!(
        matches!(refused, Err(Error::OldServer { .. })),
        "{refused:?}"
    );
}
