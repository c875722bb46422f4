//! The host's callbacks, and asking them: one person is asked one question at a time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;

use mcp_core::protocol::{CreateMessageResult, ListRootsResult};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::error::{Error, HandlerError};
use crate::paused::PausedCall;
use crate::question::{
    Answer, Consent, FormQuestion, InputRequest, Kind, Response, RootsQuestion, SamplingQuestion,
    UrlQuestion,
};

type Answering<A> = Pin<Box<dyn Future<Output = Result<A, HandlerError>> + Send>>;
type Handler<Q, A> = Arc<dyn Fn(Q) -> Answering<A> + Send + Sync>;

/// One callback a kind.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) form: Option<Handler<FormQuestion, Answer>>,
    pub(crate) url: Option<Handler<UrlQuestion, Consent>>,
    pub(crate) sampling: Option<Handler<SamplingQuestion, CreateMessageResult>>,
    pub(crate) roots: Option<Handler<RootsQuestion, ListRootsResult>>,
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [Kind::Form, Kind::Url, Kind::Sampling, Kind::Roots];
        f.debug_set()
            .entries(kinds.into_iter().filter(|kind| self.has(*kind)))
            .finish()
    }
}

/// Makes a callback storable.
pub(crate) fn handler<Q, A, F, Fut>(callback: F) -> Option<Handler<Q, A>>
where
    F: Fn(Q) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<A, HandlerError>> + Send + 'static,
{
    Some(Arc::new(move |question| Box::pin(callback(question))))
}

tokio::task_local! {
    /// Whose turn this task has, by the address of the turns: a handler of that client runs in it.
    static ASKED: usize;
}

const NESTED: &str = "it was asked by a call from within a handler, which has the turn; make the \
                      call from outside, or use concurrent_questions()";

/// Whose turn it is to be asked.
#[derive(Debug)]
pub(crate) enum Turns {
    /// People get one question at a time, whichever call it belongs to.
    OneAtATime(Mutex<()>),
    Concurrent,
}

impl Turns {
    /// Whether this task has the turn: a handler runs in it.
    pub(crate) fn is_held_here(&self) -> bool {
        ASKED.try_with(|asked| *asked == self.address()) == Ok(true)
    }

    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }
}

impl Handlers {
    pub(crate) fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Form => self.form.is_some(),
            Kind::Url => self.url.is_some(),
            Kind::Sampling => self.sampling.is_some(),
            Kind::Roots => self.roots.is_some(),
        }
    }

    /// Gets an answer to every open question of a paused call, or none.
    pub(crate) async fn answer(&self, paused: &mut PausedCall, turns: &Turns) -> Result<(), Error> {
        let open: Vec<InputRequest> = paused.unanswered().cloned().collect();
        // Before anyone is bothered: is there a handler for each?
        if let Some(request) = open.iter().find(|request| !self.has(request.kind())) {
            return Err(Error::NoHandler {
                key: request.key().to_owned(),
                kind: request.kind(),
            });
        }
        match turns {
            Turns::OneAtATime(_) => {
                for request in open {
                    let key = request.key().to_owned();
                    let response = self.answer_one(request, turns, false).await?;
                    paused.answer(&key, response)?;
                }
            }
            Turns::Concurrent => {
                let mut asked = JoinSet::new();
                for request in open {
                    let handlers = self.clone();
                    asked.spawn(
                        async move { (request.key().to_owned(), handlers.ask(request).await) },
                    );
                }
                while let Some(joined) = asked.join_next().await {
                    match joined {
                        Ok((key, response)) => paused.answer(&key, response?)?,
                        Err(error) if error.is_panic() => {
                            std::panic::resume_unwind(error.into_panic())
                        }
                        // Only this function aborts them, by returning.
                        Err(_) => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// Gets an answer to one question, when its turn has come. `nested` is one that may belong to a call
    /// from within a handler, which must not wait for the turn that this handler has.
    pub(crate) async fn answer_one(
        &self,
        request: InputRequest,
        turns: &Turns,
        nested: bool,
    ) -> Result<Response, Error> {
        // A model and a file system can do several things at once, a person cannot.
        let asks_a_person = matches!(request.kind(), Kind::Form | Kind::Url);
        let turn = match turns {
            Turns::OneAtATime(turn) if asks_a_person => turn,
            _ => return self.ask(request).await,
        };
        let _turn = match turn.try_lock() {
            Ok(turn) => turn,
            // Its turn would come when the handler is done, which waits for it.
            Err(_) if nested || turns.is_held_here() => {
                return Err(Error::Handler {
                    key: request.key().to_owned(),
                    kind: request.kind(),
                    source: NESTED.into(),
                });
            }
            Err(_) => turn.lock().await,
        };
        ASKED.scope(turns.address(), self.ask(request)).await
    }

    async fn ask(&self, request: InputRequest) -> Result<Response, Error> {
        let (key, kind) = (request.key().to_owned(), request.kind());
        let answered = match request {
            InputRequest::Form(question) => call(self.form.as_ref(), question).await,
            InputRequest::Url(question) => call(self.url.as_ref(), question).await,
            InputRequest::Sampling(question) => call(self.sampling.as_ref(), question).await,
            InputRequest::Roots(question) => call(self.roots.as_ref(), question).await,
        };
        match answered {
            None => Err(Error::NoHandler { key, kind }),
            Some(Ok(response)) => Ok(response),
            Some(Err(source)) => Err(Error::Handler { key, kind, source }),
        }
    }
}

async fn call<Q, A: Into<Response>>(
    handler: Option<&Handler<Q, A>>,
    question: Q,
) -> Option<Result<Response, HandlerError>> {
    Some(handler?(question).await.map(Into::into))
}
