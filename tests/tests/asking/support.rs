//! Forms and shared state that several topics use.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use mcp_server::prelude::*;
use mcp_server::{ToolSet, testing::BodyCount};
use tokio::sync::{Notify, Semaphore};

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Confirm {
    /// Check to go ahead.
    pub(crate) confirm: bool,
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Amount {
    /// How many?
    #[schemars(range(min = 1, max = 9))]
    pub(crate) amount: u8,
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Form)]
pub(crate) struct Note {
    /// Anything to add?
    #[schemars(length(max = 10))]
    pub(crate) note: Option<String>,
}

/// Counts what happens in a server.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU32);

impl Counter {
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Lets a test look into a body and hold it.
#[derive(Debug)]
pub(crate) struct Gate {
    begun: Semaphore,
    pub(crate) go_on: Notify,
    pub(crate) finished: Counter,
}

impl Gate {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            begun: Semaphore::new(0),
            go_on: Notify::new(),
            finished: Counter::default(),
        })
    }

    pub(crate) async fn pass(&self) {
        self.begun.add_permits(1);
        self.go_on.notified().await;
        self.finished.add();
    }

    pub(crate) async fn begun(&self) {
        self.begun.acquire().await.unwrap().forget();
    }

    /// Waits until as many bodies have finished.
    pub(crate) async fn finished(&self, times: u32) {
        for _ in 0..500 {
            if self.finished.get() == times {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!(
            "{} bodies have finished, expected {times}",
            self.finished.get()
        );
    }
}

/// What the server knows, which may change between the rounds of a call.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<String>);

impl Known {
    pub(crate) fn set(&self, text: &str) {
        text.clone_into(&mut self.0.lock().unwrap());
    }

    pub(crate) fn get(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

/// A server of these tools, without state.
pub(crate) fn server(tools: ToolSet) -> (Server, BodyCount) {
    let bodies = BodyCount::new();
    let server = Server::builder("shop", "1.0.0")
        .tools(tools)
        .layer(bodies.clone())
        .build()
        .unwrap();
    (server, bodies)
}
