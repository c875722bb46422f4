//! The task that writes, up to the end of the connection and a moment beyond it.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::Shared;
use crate::transport::{MessageSender, Outgoing};

/// How long messages that are already queued may take to be written once the end is asked for, and how
/// long a peer that no longer listens may take to finish what it says.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Writes until the end is asked for or the peer has gone. What is queued by then gets a moment, all
/// of it together: a peer that does not read must not keep the connection from ending.
pub(super) async fn write(
    mut sender: impl MessageSender,
    queue: mpsc::UnboundedReceiver<Outgoing>,
    stopped: watch::Receiver<bool>,
    shared: &Shared,
) {
    let last_words = async {
        ended(stopped.clone(), shared).await;
        sleep(LAST_WORDS).await;
    };
    let failed = tokio::select! {
        biased;
        written = write_queue(&mut sender, queue, stopped.clone(), shared) => written.err(),
        () = last_words => None,
    };
    if let Some(error) = failed {
        deaf(shared, &error).await;
    }
    sender.close().await;
}

async fn write_queue(
    sender: &mut impl MessageSender,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
    stopped: watch::Receiver<bool>,
    shared: &Shared,
) -> std::io::Result<()> {
    loop {
        let message = tokio::select! {
            biased;
            message = queue.recv() => message,
            () = ended(stopped.clone(), shared) => None,
        };
        match message {
            Some(message) => sender.send(message).await?,
            None => return Ok(()),
        }
    }
}

/// Waits until this side wants the end or the other one has gone. Both are states, not events: it
/// returns at once however often it is asked.
async fn ended(mut stopped: watch::Receiver<bool>, shared: &Shared) {
    let mut closed = shared.closed.subscribe();
    // An error means that the last handle was dropped, which asks for the end as well.
    tokio::select! {
        _ = stopped.wait_for(|stop| *stop) => {}
        _ = closed.wait_for(|closed| *closed) => {}
    }
}

/// The peer no longer takes messages. What it still has to say is listened to for a moment: the
/// answer to an earlier request may be on its way, and so may the reason, such as an exit status.
async fn deaf(shared: &Shared, error: &std::io::Error) {
    let reason = format!("the server does not take messages any more: {error}");
    shared.exchange().refuse(&reason);
    let mut closed = shared.closed.subscribe();
    let _ = timeout(LAST_WORDS, closed.wait_for(|closed| *closed)).await;
    shared.close(&reason);
}
