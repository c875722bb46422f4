//! One workload against one server: what to send, and whether a reply is right.

use serde_json::Value;

use crate::Error;
use crate::reply::{self, Said};
use crate::template::{Fill, Template};
use crate::workload::Workload;

/// Makes the requests of a workload and checks the replies of one server.
///
/// The first reply is parsed and checked field by field. From then on a reply is right when it has the same bytes
/// except for its id, its call's own value and its state; any other is parsed and checked as the first one was, so
/// that nothing wrong passes.
#[derive(Debug)]
pub struct Script {
    workload: Workload,
    request: Template,
    /// The second request of a call, once the server's key is known.
    retry: Option<(String, Template)>,
    /// The right replies to the first and to the second request of a call.
    right: [Option<Template>; 2],
}

/// A call under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// Which call of the run it is.
    pub(crate) n: u64,
    /// Whether its question was answered.
    pub(crate) answered: bool,
}

/// What a right reply leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// The call is done.
    Done,
    /// The call goes out again with this state.
    Retry(Vec<u8>),
}

impl Script {
    /// A script that has seen no reply yet.
    pub fn new(workload: Workload) -> Self {
        Self {
            workload,
            request: workload.request(),
            retry: None,
            right: [None, None],
        }
    }

    /// The workload.
    pub(crate) fn workload(&self) -> Workload {
        self.workload
    }

    /// Appends the request of a call; `state` came with the question that it answers.
    pub(crate) fn request(&self, id: u64, n: u64, state: Option<&[u8]>, out: &mut Vec<u8>) {
        let template = match (state, &self.retry) {
            (Some(_), Some((_, retry))) => retry,
            _ => &self.request,
        };
        let (id, value) = (id.to_string(), self.workload.sent(n));
        let fill = Fill {
            id: id.as_bytes(),
            value: value.as_bytes(),
            state: state.unwrap_or_default(),
        };
        template.render(fill, out);
    }

    /// The id of a reply, its call as `find` knows it, and what follows.
    pub(crate) fn check(
        &mut self,
        line: &[u8],
        find: impl Fn(u64) -> Option<Call>,
    ) -> Result<(u64, Call, Next), Error> {
        for (round, template) in self.right.iter().enumerate() {
            let Some(template) = template else { continue };
            let Some(id) = template.id(line) else {
                continue;
            };
            let Some(call) = find(id) else { continue };
            if self.round(call) != round {
                continue;
            }
            let (text, value) = (id.to_string(), self.workload.wanted(call.n));
            let fill = Fill {
                id: text.as_bytes(),
                value: value.as_bytes(),
                state: b"",
            };
            match template.matches(line, fill) {
                Some([]) => return Ok((id, call, Next::Done)),
                Some(state) => return Ok((id, call, Next::Retry(state.to_owned()))),
                None => {}
            }
        }
        self.parse(line, find).map_err(|why| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(400)]);
            format!(
                "{}: a reply is wrong: {why}: {shown}",
                self.workload.title()
            )
            .into()
        })
    }

    fn parse(
        &mut self,
        line: &[u8],
        find: impl Fn(u64) -> Option<Call>,
    ) -> Result<(u64, Call, Next), Error> {
        let reply: Value = serde_json::from_slice(line)?;
        let id = reply::id(&reply).ok_or("it has no id of ours")?;
        let call = find(id).ok_or("it answers no call that is under way")?;
        let wanted = self.workload.wanted(call.n);
        let asks = self.workload == Workload::Confirm && !call.answered;
        let said = reply::check(self.workload, asks, &reply, &wanted)?;
        let (next, state) = match said {
            Said::Complete => (Next::Done, String::new()),
            Said::Asked { key, state } => {
                if self.retry.as_ref().is_none_or(|(known, _)| *known != key) {
                    let retry = self.workload.retry(&key);
                    self.retry = Some((key, retry));
                }
                (Next::Retry(state.clone().into_bytes()), state)
            }
        };
        let round = self.round(call);
        if self.right[round].is_none() {
            let text = id.to_string();
            let fill = Fill {
                id: text.as_bytes(),
                value: wanted.as_bytes(),
                state: state.as_bytes(),
            };
            self.right[round] = Some(Template::cut(line, fill));
        }
        Ok((id, call, next))
    }

    fn round(&self, call: Call) -> usize {
        usize::from(call.answered)
    }
}
