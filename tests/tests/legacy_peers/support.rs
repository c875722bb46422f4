//! Servers on the old SDKs, launched for each test, and clients with a scripted person.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::{CreateMessageResult, ListRootsResult, Root, TextContent};
use mcp_client::{
    Answer, Builder, ChildProcess, Client, Consent, Error, FormQuestion, HttpTransport, UrlQuestion,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::OnceCell;

/// Longer than anything takes that is not broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Makes a test of each function, once for each server over each transport.
macro_rules! over_all {
    ($($test:ident),* $(,)?) => {
        crate::support::over_all! { @ python_stdio Python Stdio $($test)* }
        crate::support::over_all! { @ python_http Python Http $($test)* }
        crate::support::over_all! { @ typescript_stdio TypeScript Stdio $($test)* }
        crate::support::over_all! { @ typescript_http TypeScript Http $($test)* }
    };
    (@ $module:ident $sdk:ident $over:ident $($test:ident)*) => {
        mod $module {
            $(#[tokio::test]
            async fn $test() {
                use crate::support::{Over, Peer, Sdk};
                if let Some(peer) = Peer::new(Sdk::$sdk, Over::$over) {
                    super::$test(peer).await;
                }
            })*
        }
    };
}
pub(crate) use over_all;

/// The same over the transport of 2024-11-05, on which little depends but how messages come and go.
macro_rules! over_sse {
    ($($test:ident),* $(,)?) => {
        crate::support::over_all! { @ python_sse Python Sse $($test)* }
        crate::support::over_all! { @ typescript_sse TypeScript Sse $($test)* }
    };
}
pub(crate) use over_sse;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sdk {
    Python,
    TypeScript,
    /// The reference server, which is on the TypeScript SDK.
    Everything,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Over {
    Stdio,
    Http,
    /// The transport of 2024-11-05, which is tried last.
    Sse,
}

impl Over {
    /// What makes a server serve it, and the path of its endpoint.
    fn options(self) -> (&'static str, &'static str) {
        match self {
            Self::Sse => ("--sse", "sse"),
            _ => ("--http", "mcp"),
        }
    }
}

/// A server on one of the SDKs and how it is reached. Over standard input and output each connection has a process of
/// its own.
pub(crate) struct Peer {
    folder: PathBuf,
    sdk: Sdk,
    over: Over,
    /// The process that serves HTTP, which ends with the test, and its URL.
    serving: OnceCell<(Child, String)>,
}

impl Peer {
    /// `None` if the tests are to be skipped.
    pub(crate) fn new(sdk: Sdk, over: Over) -> Option<Self> {
        let Some(folder) = std::env::var_os("MCP_PEER_LEGACY").map(PathBuf::from) else {
            eprintln!("skipped: MCP_PEER_LEGACY does not name the folder with the old SDKs");
            return None;
        };
        assert!(folder.join("server.py").is_file(), "{}", folder.display());
        Some(Self {
            folder,
            sdk,
            over,
            serving: OnceCell::new(),
        })
    }

    /// The command that serves standard input and output.
    fn command(&self) -> (PathBuf, PathBuf) {
        let node = || self.folder.join("../typescript/node_modules/.bin/node");
        let packages = self.folder.join("typescript/node_modules");
        let everything = "@modelcontextprotocol/server-everything/dist/index.js";
        match self.sdk {
            Sdk::Python => (
                self.folder.join(".venv/bin/python"),
                self.folder.join("server.py"),
            ),
            Sdk::TypeScript => (node(), self.folder.join("typescript/server.mjs")),
            Sdk::Everything => (node(), packages.join(everything)),
        }
    }

    pub(crate) async fn connect(&self, client: Builder) -> Client {
        self.try_connect(client).await.unwrap()
    }

    pub(crate) async fn try_connect(&self, client: Builder) -> Result<Client, Error> {
        if self.over == Over::Stdio {
            let (program, script) = self.command();
            return client.connect(ChildProcess::new(program).arg(script)).await;
        }
        let (_, url) = self.serving.get_or_init(|| self.serve()).await;
        client.connect(HttpTransport::new(url)).await
    }

    async fn serve(&self) -> (Child, String) {
        let (program, script) = self.command();
        let (option, path) = self.over.options();
        let mut server = Command::new(program);
        server.arg(script).stdin(Stdio::null()).kill_on_drop(true);
        let (child, port) = if self.sdk == Sdk::Everything {
            let port = free_port();
            server.arg("streamableHttp").env("PORT", port.to_string());
            let child = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            until_open(port).await;
            (child.unwrap(), port)
        } else {
            let mut child = server.arg(option).stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let port = lines.next_line().await.unwrap().expect("a port");
            (child, port.parse().unwrap())
        };
        (child, format!("http://127.0.0.1:{port}/{path}"))
    }
}

fn free_port() -> u16 {
    let probe = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    probe.local_addr().unwrap().port()
}

async fn until_open(port: u16) {
    let open = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, open).await.unwrap();
}

pub(crate) fn builder() -> Builder {
    Client::builder("legacy-peer-tests", "1.0.0")
}

/// The questions that a person got to see.
pub(crate) type Asked<T> = Arc<Mutex<Vec<T>>>;

pub(crate) fn seen<T: Clone>(asked: &Asked<T>) -> Vec<T> {
    asked.lock().unwrap().clone()
}

/// A client whose person gives `answer` to every form.
pub(crate) fn with_forms(
    answer: impl Fn(&FormQuestion) -> Answer + Send + Sync + 'static,
) -> (Builder, Asked<FormQuestion>) {
    let asked: Asked<FormQuestion> = Arc::default();
    let shown = Arc::clone(&asked);
    let client = builder().on_form(move |question| {
        let answer = answer(&question);
        shown.lock().unwrap().push(question);
        async move { Ok(answer) }
    });
    (client, asked)
}

/// A client whose person says this to every page.
pub(crate) fn with_pages(consent: Consent) -> (Builder, Asked<UrlQuestion>) {
    let asked: Asked<UrlQuestion> = Arc::default();
    let shown = Arc::clone(&asked);
    let client = builder().on_url(move |question| {
        shown.lock().unwrap().push(question);
        async move { Ok(consent) }
    });
    (client, asked)
}

pub(crate) fn accept(content: Value) -> Answer {
    Answer::accept(content).unwrap()
}

/// A model that knows one slogan.
pub(crate) fn with_a_model(client: Builder) -> Builder {
    client.on_sampling(|_| async {
        let said = TextContent::new("It boils.");
        Ok(CreateMessageResult::new("a-model", said))
    })
}

pub(crate) fn with_roots(client: Builder) -> Builder {
    client.on_roots(|_| async {
        let roots = ["file:///srv/shop", "file:///srv/a%20b"];
        let roots = roots.into_iter().map(Root::new).collect();
        Ok(ListRootsResult { roots })
    })
}

/// How often the body of a tool ran in the server.
pub(crate) async fn runs(client: &Client, tool: &str) -> u32 {
    #[derive(Deserialize)]
    struct Runs {
        result: u32,
    }
    let call = client.call_tool("body_runs", json!({"tool": tool})).await;
    call.unwrap().structured::<Runs>().unwrap().result
}

/// Waits until the server has counted something.
pub(crate) async fn until_run(client: &Client, what: &str, times: u32) {
    let counted = async {
        while runs(client, what).await < times {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let counted = tokio::time::timeout(PATIENCE, counted).await;
    counted.unwrap_or_else(|_| panic!("the server has not counted `{what}` {times} times"));
}
