//! Drives a call to its end: asks the host's callbacks and goes round again.
//!
//! Specification: basic/patterns/mrtr, Client Requirements.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::error::Error;
use crate::session::{Call, Session, Step};

/// How long to wait before the first retry that nothing was asked for, and at most. Without it a
/// server that sheds load would be hammered, and the rounds be used up in milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Limits of a whole call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_rounds: u32,
    pub(crate) deadline: Option<Duration>,
}

/// The final result and the number of requests it took.
pub(crate) async fn drive(
    session: &Session,
    call: Call,
    limits: Limits,
) -> Result<(Box<RawValue>, u32), Error> {
    let method = call.method.clone();
    let rounds = follow(session, call, limits.max_rounds);
    match limits.deadline {
        None => rounds.await,
        // Dropping the rounds cancels the request in flight and takes an open question back.
        Some(limit) => match tokio::time::timeout(limit, rounds).await {
            Ok(finished) => finished,
            Err(_) => Err(Error::Deadline { method, limit }),
        },
    }
}

async fn follow(session: &Session, call: Call, limit: u32) -> Result<(Box<RawValue>, u32), Error> {
    let mut pause = FIRST_PAUSE;
    let mut round = 1;
    // Those that only waited for what a person does elsewhere.
    let mut waits = 0;
    let mut step = session.first(call).await?;
    loop {
        let mut paused = match step {
            Step::Complete(result) => return Ok((result, round)),
            Step::InputRequired(paused) => paused,
        };
        if paused.is_answered() {
            waits += 1;
        }
        // Nobody is asked for an answer that could not be sent.
        if round - waits >= limit {
            return Err(Error::RoundLimit {
                method: paused.method().to_owned(),
                limit,
            });
        }
        if paused.requests().is_empty() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        } else {
            session.client.inner.answer(&mut paused).await?;
            pause = FIRST_PAUSE;
        }
        round += 1;
        step = paused.next(session).await?;
    }
}
