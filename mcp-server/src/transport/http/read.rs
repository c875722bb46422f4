//! Reads a request's body, within limits.

use std::{future::Future, pin::Pin, time::Duration};

use bytes::{Buf, Bytes};
use http::StatusCode;
use http_body::Body;
use tokio::time::timeout;

use super::refusal::Refusal;

/// How long a client that writes too much is listened to, so that it gets to read why it was
/// refused: most do not read before they have written.
const LINGER: Duration = Duration::from_secs(2);

/// Room that is made for a body before it is there; what it says of its length is only a claim.
const AT_ONCE: usize = 64 * 1024;

/// Reads a body of at most `limit` bytes, in at most `time`.
///
/// # Errors
///
/// The refusal of one that is longer, takes longer or breaks off.
pub(super) async fn read<B: Body>(body: B, limit: usize, time: Duration) -> Result<Bytes, Refusal> {
    let mut body = std::pin::pin!(body);
    // Said to be too long: nothing of it need be read.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    match timeout(time, collect(body.as_mut(), limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Unread::TooLarge)) => {
            let _ = timeout(LINGER, discard(body.as_mut(), limit)).await;
            Err(too_large(limit))
        }
        Ok(Err(Unread::Broken)) => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "the request's body breaks off",
        )),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the request's body did not arrive within {time:?}, the limit of `read_timeout`"
            ),
        )),
    }
}

fn too_large(limit: usize) -> Refusal {
    Refusal::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the message is longer than {limit} bytes, the limit of `max_message_bytes`"),
    )
}

enum Unread {
    TooLarge,
    Broken,
}

async fn collect<B: Body>(mut body: Pin<&mut B>, limit: usize) -> Result<Bytes, Unread> {
    let Some(first) = next(body.as_mut()).await? else {
        return Ok(Bytes::new());
    };
    if first.len() > limit {
        return Err(Unread::TooLarge);
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or(0);
    let mut whole = Vec::with_capacity(first.len() + expected.min(AT_ONCE));
    whole.extend_from_slice(&first);
    drop(first);
    while let Some(bytes) = next(body.as_mut()).await? {
        if whole.len() + bytes.len() > limit {
            return Err(Unread::TooLarge);
        }
        whole.extend_from_slice(&bytes);
    }
    Ok(whole.into())
}

/// Reads on, up to as much again.
async fn discard<B: Body>(mut body: Pin<&mut B>, limit: usize) {
    let mut left = limit.max(AT_ONCE);
    while let Ok(Some(bytes)) = next(body.as_mut()).await {
        match left.checked_sub(bytes.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// The next bytes of a body; none at its end.
fn next<B: Body>(mut body: Pin<&mut B>) -> impl Future<Output = Result<Option<Bytes>, Unread>> {
    std::future::poll_fn(move |cx| {
        loop {
            let frame = match std::task::ready!(body.as_mut().poll_frame(cx)) {
                None => return Ok(None).into(),
                Some(Err(_)) => return Err(Unread::Broken).into(),
                Some(Ok(frame)) => frame,
            };
            // Trailers say nothing here.
            if let Ok(mut data) = frame.into_data() {
                return Ok(Some(data.copy_to_bytes(data.remaining()))).into();
            }
        }
    })
}
