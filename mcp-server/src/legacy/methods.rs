//! What an earlier client sends on its session: what the session answers itself, and all the rest, which is a request of
//! today's in other clothes.

use std::{
    sync::Arc,
    task::{Context as Task, Poll},
};

use mcp_core::{
    Revision,
    rpc::{RawId, RpcError, begin_result},
};
use serde_json::value::RawValue;

use super::{explain::explained, object::text, rounds, session::Session, view};
use crate::{
    context::Context,
    dispatch::{Accepted, CANCELLED, cancel},
    methods::{Asked, Params, Step, Terms, Work, diagnose, is_log_level},
    parameters::member,
    peer::Peer,
    reporter::Outgoing,
    running::{Answered, refuse},
    server::Server,
};

/// Whether the other side is there.
pub(super) const PING: &str = "ping";

/// Answers a request with this result.
#[inline(never)]
pub(super) fn answer(id: RawId<'_>, result: &str, out: &mut Vec<u8>) -> Accepted {
    begin_result(out, id);
    out.extend_from_slice(result.as_bytes());
    out.push(b'}');
    Accepted::Answered(Answered::Result)
}

/// A request as the client has sent it.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) id: RawId<'a>,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a RawValue>,
}

impl Session {
    pub(super) fn request(
        self: &Arc<Self>,
        server: &Server,
        request: Request<'_>,
        peer: &Peer,
        cx: &mut Task<'_>,
        out: &mut Vec<u8>,
    ) -> Accepted {
        let before = out.len();
        let begun = self.begin(server, request, peer, cx, out);
        begun.unwrap_or_else(|error| {
            out.truncate(before);
            let error = self.show_error(request.method, error);
            Accepted::Answered(refuse(out, Some(request.id), &error))
        })
    }

    fn begin(
        self: &Arc<Self>,
        server: &Server,
        request: Request<'_>,
        peer: &Peer,
        cx: &mut Task<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Accepted, RpcError> {
        let params = request.params;
        match request.method {
            PING => {}
            "logging/setLevel" => self.set_level(read_level(params)?),
            "resources/subscribe" if server.inner().serves("resources/read") => {
                let uri = read_uri(params)?;
                self.notices
                    .subscribe(server, &self.unrelated, peer, &uri)?;
            }
            "resources/unsubscribe" if server.inner().serves("resources/read") => {
                self.notices.unsubscribe(&read_uri(params)?);
            }
            _ => return self.run(server, request, peer, cx, out),
        }
        Ok(answer(request.id, "{}", out))
    }

    /// Runs a request as one of today.
    fn run(
        self: &Arc<Self>,
        server: &Server,
        request: Request<'_>,
        peer: &Peer,
        cx: &mut Task<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Accepted, RpcError> {
        let Request { id, method, params } = request;
        let (line, place) = self.upgrade(id, method, params)?;
        // The parameters alone: what is around them was read before.
        let params = &line[place];
        let Ok(params) = Params::of(params) else {
            return Err(match server.has_method(method) {
                true => diagnose(params),
                false => RpcError::method_not_found(method),
            });
        };
        params.check_token()?;
        let viewed = peer.reached_by(Arc::new(Viewed {
            out: Arc::clone(&peer.outgoing),
            revision: self.revision,
        }));
        let asked = Asked {
            line: &line,
            method,
            params: &params,
            terms: Terms {
                revision: self.revision,
                kinds: self.kinds,
            },
            peer: &viewed,
        };
        let mut json = Vec::new();
        match server.step(&asked, &mut json)? {
            Step::Written => {
                let result = self.show(method, json)?;
                Ok(answer(id, &result, out))
            }
            Step::Wait(ctx, work) => {
                let answering = Arc::clone(self).answer(
                    ctx.clone(),
                    method.into(),
                    work,
                    Arc::clone(&peer.outgoing),
                );
                let work = Work::Request(Box::pin(answering));
                Ok(server.wait(id, Step::Wait(ctx, work), cx, out))
            }
        }
    }

    /// The whole result of a request that waits, or its error.
    async fn answer(
        self: Arc<Self>,
        ctx: Context,
        method: Box<str>,
        work: Work,
        out: Arc<dyn Outgoing>,
    ) -> Result<Vec<u8>, RpcError> {
        let answered = match work {
            Work::Call(call) => rounds::run(&self, &ctx, &out, call).await,
            Work::Request(request) => request.await,
        };
        answered
            .and_then(|json| self.show(&method, json))
            .map(String::into_bytes)
            .map_err(|error| self.show_error(&method, error))
    }

    /// A result as this client may see it.
    fn show(&self, method: &str, json: Vec<u8>) -> Result<String, RpcError> {
        let json = String::from_utf8(json)
            .map_err(|_| RpcError::internal_error("the result is not UTF-8"))?;
        view::result(self.revision, method, &json)
    }

    fn show_error(&self, method: &str, error: RpcError) -> RpcError {
        view::error(self.revision, method, explained(self.revision, error))
    }

    pub(super) fn notification(
        &self,
        server: &Server,
        method: &str,
        params: Option<&RawValue>,
    ) -> Accepted {
        if method == CANCELLED {
            let value = |name| member(params?.get(), name);
            return cancel(value("requestId"), value("reason"));
        }
        // Requests are served before it, and nothing else waits for it.
        if method == "notifications/initialized" {
            self.notices.begin(server, &self.unrelated);
        }
        Accepted::Noted
    }
}

fn read_uri(params: Option<&RawValue>) -> Result<String, RpcError> {
    let uri = params.and_then(|params| member(params.get(), "uri"));
    uri.and_then(text)
        .ok_or_else(|| RpcError::invalid_params("`uri` must be the URI of a resource"))
}

/// The level as its JSON.
fn read_level(params: Option<&RawValue>) -> Result<&str, RpcError> {
    let level = params.and_then(|params| member(params.get(), "level"));
    level.filter(|level| is_log_level(level)).ok_or_else(|| {
        RpcError::invalid_params(
            "`level` must be debug, info, notice, warning, error, critical, alert or emergency",
        )
    })
}

/// The way to a client, on which messages become such as its revision has.
struct Viewed {
    out: Arc<dyn Outgoing>,
    revision: Revision,
}

impl Outgoing for Viewed {
    fn send(&self, call: u64, message: Vec<u8>) {
        self.out
            .send(call, view::notification(self.revision, message));
    }

    fn deliver(&self, call: u64, message: Vec<u8>) {
        self.out
            .deliver(call, view::notification(self.revision, message));
    }

    fn poll_room(&self, call: u64, cx: &mut Task<'_>) -> Poll<()> {
        self.out.poll_room(call, cx)
    }

    fn close_stream(&self, call: u64) {
        self.out.close_stream(call);
    }

    fn is_shared(&self) -> bool {
        self.out.is_shared()
    }
}
