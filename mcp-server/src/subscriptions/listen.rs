//! `subscriptions/listen`: acknowledges what is kept to, sends changes as they come, and answers when the server ends it.
//!
//! Specification: basic/patterns/subscriptions.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context as Task, Poll, ready},
};

use mcp_core::{
    protocol::SubscriptionFilter,
    rpc::{RawId, RpcError, begin_result, write_notification},
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    filter::Filter,
    hub::Refused,
    subscriber::{Change, End, Subscriber},
};
use crate::{
    methods::Params as RequestParams,
    peer::Peer,
    reporter::{Outgoing, next_number},
    server::Server,
};

/// Acknowledges a subscription. Where there is nothing to hear of, or the server is shutting down, it is answered at once, into
/// `out`.
///
/// # Errors
///
/// `-32602` for a filter that is none, `-32603` where too many listen already.
pub(crate) fn listen(
    server: &Server,
    id: RawId<'_>,
    params: &RequestParams<'_>,
    peer: &Peer,
    out: &mut Vec<u8>,
) -> Result<Option<Listening>, RpcError> {
    let filter = Filter::read(params.notifications)?
        .honoured(server.lists(), |uri| server.serves_resource(uri, peer));
    let stream = Stream {
        id: serde_json::from_str(id.as_json()).expect("an id is JSON"),
        number: next_number(),
        out: Arc::clone(&peer.outgoing),
    };
    let kept_to = filter.to_protocol();
    let joined = match filter.is_empty() {
        true => None,
        false => match server.hub().join(stream.number, filter) {
            Ok(subscriber) => Some(subscriber),
            Err(Refused::Closed) => None,
            Err(Refused::Full(limit)) => {
                return Err(RpcError::internal_error(format!(
                    "{limit} subscriptions are open already, which is the limit of `max_subscriptions`; \
                     end one, or try again later"
                )));
            }
        },
    };
    stream.acknowledge(kept_to);
    let Some(subscriber) = joined else {
        stream.write_result(server, out);
        return Ok(None);
    };
    Ok(Some(Listening {
        server: server.clone(),
        subscriber,
        stream,
    }))
}

/// An open subscription: it has an answer when the server ends it, and none where the client does.
///
/// Whoever drops it gives the subscription up.
pub(crate) struct Listening {
    server: Server,
    subscriber: Arc<Subscriber>,
    stream: Stream,
}

impl Listening {
    /// What a transport keeps to end it.
    pub(crate) fn subscriber(&self) -> &Arc<Subscriber> {
        &self.subscriber
    }

    /// The id of the request, as JSON.
    pub(crate) fn id(&self) -> &RawValue {
        &self.stream.id
    }
}

impl Future for Listening {
    type Output = Option<Vec<u8>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Task<'_>) -> Poll<Option<Vec<u8>>> {
        let stream = &self.stream;
        let room = stream.out.poll_room(stream.number, cx);
        let end = ready!(
            self.subscriber
                .poll(cx, room, &mut |change| stream.notify(change))
        );
        Poll::Ready((end == End::Closed).then(|| {
            let mut out = Vec::with_capacity(256);
            stream.write_result(&self.server, &mut out);
            if stream.out.is_shared() {
                stream.write_end(&mut out);
            }
            out
        }))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.subscriber.give_up();
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("subscriber", &self.subscriber)
            .finish_non_exhaustive()
    }
}

/// The messages of one subscription, each of which names it.
struct Stream {
    id: Box<RawValue>,
    number: u64,
    out: Arc<dyn Outgoing>,
}

/// What its notifications carry, whichever they are.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(rename = "_meta")]
    meta: Meta<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notifications: Option<SubscriptionFilter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Default, Serialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: Option<&'a RawValue>,
}

impl Stream {
    /// Says what is kept to: the first message.
    ///
    /// Specification: basic/patterns/subscriptions, Acknowledgment.
    fn acknowledge(&self, notifications: SubscriptionFilter) {
        let params = Params {
            notifications: Some(notifications),
            ..Params::default()
        };
        self.send("notifications/subscriptions/acknowledged", params);
    }

    fn notify(&self, change: Change<'_>) {
        let (method, uri) = match change {
            Change::List(method) => (method, None),
            Change::Resource(uri) => ("notifications/resources/updated", Some(uri)),
        };
        let params = Params {
            uri,
            ..Params::default()
        };
        self.send(method, params);
    }

    /// The answer to the request: the end, in good order.
    ///
    /// Specification: basic/patterns/subscriptions, Graceful Closure.
    fn write_result(&self, server: &Server, out: &mut Vec<u8>) {
        let id = RawId::new(self.id.get()).expect("it was an id when the request came");
        begin_result(out, id);
        out.extend_from_slice(
            br#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"#,
        );
        out.extend_from_slice(self.id.get().as_bytes());
        out.push(b',');
        out.extend_from_slice(server.inner().writer.server_info.as_bytes());
        out.push(b'}');
    }

    /// The end of the stream, where other messages go the same way: it has no other.
    ///
    /// Specification: basic/patterns/cancellation.
    fn write_end(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
        let params = Params {
            request_id: Some(&self.id),
            reason: Some("the server has ended the subscription"),
            ..Params::default()
        };
        self.write(out, "notifications/cancelled", params);
    }

    fn send(&self, method: &str, params: Params<'_>) {
        let mut message = Vec::with_capacity(160);
        self.write(&mut message, method, params);
        self.out.deliver(self.number, message);
    }

    /// Appends a notification that names the subscription.
    fn write<'a>(&'a self, out: &mut Vec<u8>, method: &str, mut params: Params<'a>) {
        params.meta.subscription = Some(&self.id);
        write_notification(out, method, &params);
    }
}
