//! [`TestHost`]: a client with a script for its answers.

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    io,
    panic::Location,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_client::{Client, Error, IoTransport, Round, Session, Trace, trace};
use mcp_core::Revision;
use mcp_core::protocol::{CallToolResult, InputRequest, ResultType, result_type_of};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value, json, value::RawValue};
use tokio::sync::OnceCell;

use super::{
    ChildProcess, Entry,
    call::{Asked, TestCall},
};
use crate::{Kind, Server};

/// In how many rounds a call may ask before the host gives up: more than any server's own limit.
const ROUNDS: u32 = 100;

/// A host for tests: it calls tools and answers their questions from a script, by key.
///
/// Each call goes through the script from its beginning. Several answers under one key are for the first, the second
/// and further times that the question is asked; the last one is given again if it is asked more often. A question
/// without an answer in the script fails the test, and so does an accepted answer that does not fit its form: a real
/// client would not send it.
///
/// The connection is made with the first call, so a tokio run time is needed from there on.
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::testing::TestHost;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema, Form)]
/// struct Amount {
///     /// How many?
///     #[schemars(range(min = 1, max = 9))]
///     amount: u8,
/// }
///
/// /// Orders eggs.
/// #[tool]
/// async fn order_eggs(#[elicit("How many eggs?")] eggs: Resolve<Amount>) -> String {
///     format!("{} eggs", eggs.amount)
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let server = Server::builder("eggs", "1.0.0").tools(tools![order_eggs]).build()?;
/// // What a careless client might send is asked again, with the reason.
/// let host = TestHost::new(&server)
///     .respond("eggs", json!({"action": "accept", "content": {"amount": 12}}))
///     .answer("eggs", json!({"amount": 6}));
/// let call = host.call("order_eggs", json!({})).await;
/// call.assert_asked(["eggs", "eggs"]);
/// assert!(call.questions[1].message.contains("amount"));
/// call.assert_text("6 eggs");
/// assert_eq!(call.rounds, 3);
/// # Ok::<(), mcp_server::BuildError>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use = "a host does nothing until it calls"]
pub struct TestHost {
    target: Target,
    revision: Option<Revision>,
    kinds: Vec<Kind>,
    script: BTreeMap<String, Vec<Scripted>>,
    wire: Recording,
    client: OnceCell<Client>,
}

enum Target {
    InProcess(Server),
    Child(Box<Mutex<Option<ChildProcess>>>),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProcess(_) => "InProcess",
            Self::Child(_) => "Child",
        })
    }
}

/// An answer that waits for its question.
#[derive(Debug, Clone)]
struct Scripted {
    response: Value,
    /// Whether it must be what a real client would send.
    checked: bool,
}

impl TestHost {
    /// A host in this process. It can show forms and open pages.
    pub fn new(server: &Server) -> Self {
        Self::of(Target::InProcess(server.clone()))
    }

    /// A host that launches a server and talks to it over stdio.
    ///
    /// ```no_run
    /// use mcp_server::testing::{ChildProcess, TestHost};
    /// use serde_json::json;
    ///
    /// # async fn example() {
    /// // In an integration test: ChildProcess::new(env!("CARGO_BIN_EXE_notes")).
    /// let host = TestHost::child(ChildProcess::new("notes").arg("--serve")).decline("answer");
    /// let call = host.call("delete_note", json!({"note_id": "n-1"})).await;
    /// call.assert_asked(["answer"]);
    /// host.close().await;
    /// # }
    /// ```
    pub fn child(child: ChildProcess) -> Self {
        Self::of(Target::Child(Box::new(Mutex::new(Some(child)))))
    }

    fn of(target: Target) -> Self {
        Self {
            target,
            revision: None,
            kinds: vec![Kind::Form, Kind::Url],
            script: BTreeMap::new(),
            wire: Recording::default(),
            client: OnceCell::new(),
        }
    }

    /// Speaks this revision and no other: the same test with a client of earlier times. Such a host is asked while
    /// the call is open; questions that come together are one round.
    ///
    /// ```
    /// use mcp_server::{Revision, prelude::*};
    /// use mcp_server::testing::TestHost;
    /// use serde_json::json;
    ///
    /// #[derive(Deserialize, JsonSchema, Form)]
    /// struct Amount {
    ///     /// How many?
    ///     amount: u8,
    /// }
    ///
    /// /// Orders eggs.
    /// #[tool]
    /// async fn order_eggs(#[elicit("How many eggs?")] eggs: Resolve<Amount>) -> String {
    ///     format!("{} eggs", eggs.amount)
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let server = Server::builder("eggs", "1.0.0").tools(tools![order_eggs]).build()?;
    /// for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::LATEST] {
    ///     let host = TestHost::new(&server).revision(revision).answer("eggs", json!({"amount": 6}));
    ///     let call = host.call("order_eggs", json!({})).await;
    ///     call.assert_asked(["eggs"]);
    ///     call.assert_text("6 eggs");
    /// }
    /// # Ok::<(), mcp_server::BuildError>(()) }).unwrap();
    /// ```
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Declares exactly these kinds of input, whatever the script has answers to. None at all is a host that cannot
    /// ask.
    pub fn can_ask(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        self
    }

    /// Fills the form under `key` with the fields of `content`, and sends it.
    ///
    /// # Panics
    ///
    /// If `content` does not serialise to an object.
    #[track_caller]
    pub fn answer(self, key: impl Into<String>, content: impl Serialize) -> Self {
        let content = serde_json::to_value(content).unwrap_or_default();
        assert!(
            content.is_object(),
            "a form's content must be an object, not {content}"
        );
        self.scripted(key, json!({"action": "accept", "content": content}), true)
    }

    /// Agrees to open the page under `key`.
    pub fn agree(self, key: impl Into<String>) -> Self {
        self.scripted(key, json!({"action": "accept"}), true)
    }

    /// Says no to the question under `key`.
    pub fn decline(self, key: impl Into<String>) -> Self {
        self.scripted(key, json!({"action": "decline"}), true)
    }

    /// Closes the question under `key` without a choice.
    pub fn cancel(self, key: impl Into<String>) -> Self {
        self.scripted(key, json!({"action": "cancel"}), true)
    }

    /// Sends `response` as it is: a completion, a list of roots, or what only a careless client would send.
    ///
    /// # Panics
    ///
    /// If it does not serialise.
    #[track_caller]
    pub fn respond(self, key: impl Into<String>, response: impl Serialize) -> Self {
        let response = serde_json::to_value(response)
            .unwrap_or_else(|error| panic!("the response does not serialise: {error}"));
        self.scripted(key, response, false)
    }

    fn scripted(mut self, key: impl Into<String>, response: Value, checked: bool) -> Self {
        let answers = self.script.entry(key.into()).or_default();
        answers.push(Scripted { response, checked });
        self
    }

    /// Calls a tool and answers what it asks, up to its result.
    ///
    /// `arguments` is anything that serialises to an object, or to `null` for none.
    ///
    /// # Panics
    ///
    /// If a question is not in the script, or the call has neither a result nor a JSON-RPC error: the
    /// connection ended, or the server broke the protocol. The text names the place of the call.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: impl Serialize) -> impl Future<Output = TestCall> {
        // The caller of an `async fn` is whoever polls it: the place is taken down here.
        let place = Location::caller();
        let arguments = serde_json::value::to_raw_value(&arguments)
            .unwrap_or_else(|error| panic!("the arguments do not serialise: {error}"));
        self.call_from(place, tool, arguments)
    }

    async fn call_from(
        &self,
        place: &'static Location<'static>,
        tool: &str,
        arguments: Box<RawValue>,
    ) -> TestCall {
        let session = self.session().await;
        let mut script = Script {
            answers: &self.script,
            given: BTreeMap::new(),
            place,
        };
        if self.revision.is_some_and(Revision::is_legacy) {
            return call_on_session(&session, script, tool, arguments).await;
        }
        let mut questions = Vec::new();
        let mut params = Params {
            name: tool,
            arguments: (arguments.get() != "null").then_some(&*arguments),
            input_responses: None,
            request_state: None,
        };
        for rounds in 1..=ROUNDS {
            let result = match session.request("tools/call", &params).await {
                Ok(result) => result,
                Err(error) => {
                    return TestCall {
                        result: Err(rpc_error(tool, error, place)),
                        questions,
                        rounds,
                        unused: script.unused(),
                    };
                }
            };
            if result_type_of(&result).ok() != Some(ResultType::InputRequired) {
                return TestCall {
                    result: Ok(read::<CallToolResult>(&result)),
                    questions,
                    rounds,
                    unused: script.unused(),
                };
            }
            let input = read::<InputRequired>(&result);
            params.request_state = input.request_state;
            let mut responses = Map::new();
            for (key, request) in input.input_requests.0 {
                let asked = Asked::new(key, rounds, request);
                responses.insert(asked.key.clone(), script.response(&asked));
                questions.push(asked);
            }
            params.input_responses = (!responses.is_empty()).then_some(responses);
        }
        panic!("`{tool}`, called at {place}, still asks after {ROUNDS} rounds");
    }

    /// The client's session, for what a script cannot do: single rounds, other methods.
    ///
    /// # Panics
    ///
    /// If the server cannot be reached.
    pub async fn session(&self) -> Session {
        let client = self.client.get_or_init(|| self.connect()).await;
        client.session().declare_only(self.kinds())
    }

    fn kinds(&self) -> impl Iterator<Item = mcp_client::Kind> {
        self.kinds.iter().map(|kind| match kind {
            Kind::Form => mcp_client::Kind::Form,
            Kind::Url => mcp_client::Kind::Url,
            Kind::Sampling => mcp_client::Kind::Sampling,
            Kind::Roots => mcp_client::Kind::Roots,
        })
    }

    /// Every message so far, in both directions, exactly as it was on the wire.
    ///
    /// # Panics
    ///
    /// Never: the recording is this type's own.
    #[must_use]
    pub fn wire(&self) -> Vec<Entry> {
        let bytes = self.wire.lock().clone();
        trace::read(io::Cursor::new(bytes))
            .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")))
            .collect()
    }

    /// Ends the connection; a child process is gone when this returns.
    pub async fn close(&self) {
        if let Some(client) = self.client.get() {
            client.close().await;
        }
    }

    async fn connect(&self) -> Client {
        let mut builder = Client::builder("test-host", env!("CARGO_PKG_VERSION"));
        if let Some(revision) = self.revision {
            builder = builder.revision(revision).without_output_validation();
            // A server of a revision with a handshake is told once.
            builder = self.kinds().fold(builder, mcp_client::Builder::declare);
        }
        let connected = match &self.target {
            Target::InProcess(server) => {
                let (ours, theirs) = tokio::io::duplex(64 * 1024);
                let server = server.clone();
                tokio::spawn(async move {
                    let (reader, writer) = tokio::io::split(theirs);
                    server.serve(reader, writer).await
                });
                let (reader, writer) = tokio::io::split(ours);
                let transport = Trace::wrap(IoTransport::new(reader, writer), self.wire.clone());
                builder.connect(transport).await
            }
            Target::Child(child) => {
                let child = child
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take()
                    .expect("a host connects once");
                builder.connect(Trace::wrap(child, self.wire.clone())).await
            }
        };
        connected.unwrap_or_else(|error| panic!("the host cannot connect: {error}"))
    }
}

/// A call that stays open while it asks, up to its result.
async fn call_on_session(
    session: &Session,
    mut script: Script<'_>,
    tool: &str,
    arguments: Box<RawValue>,
) -> TestCall {
    let place = script.place;
    let mut questions = Vec::new();
    let mut round = session.call_tool(tool, arguments).await;
    for rounds in 1..=ROUNDS {
        let result = match round {
            Ok(Round::InputRequired(mut paused)) => {
                let open: Vec<String> = paused.unanswered().map(|one| one.key().into()).collect();
                for key in open {
                    let request = paused.raw_request(&key).unwrap_or_default();
                    let request = serde_json::from_str(request)
                        .unwrap_or_else(|error| panic!("an invalid question: {error}\n{request}"));
                    let asked = Asked::new(key, rounds, request);
                    paused
                        .answer_unchecked(&asked.key, script.response(&asked))
                        .unwrap_or_else(|error| panic!("{error}"));
                    questions.push(asked);
                }
                round = paused.resume(session).await;
                continue;
            }
            Ok(Round::Complete(call)) => Ok(call.result),
            Err(error) => Err(rpc_error(tool, error, place)),
        };
        return TestCall {
            result,
            questions,
            rounds,
            unused: script.unused(),
        };
    }
    panic!("`{tool}`, called at {place}, still asks after {ROUNDS} rounds");
}

/// The script of one call.
struct Script<'s> {
    answers: &'s BTreeMap<String, Vec<Scripted>>,
    /// How often each key was asked for.
    given: BTreeMap<String, usize>,
    /// Where the test calls the tool.
    place: &'static Location<'static>,
}

impl Script<'_> {
    fn response(&mut self, asked: &Asked) -> Value {
        let Asked { key, message, .. } = asked;
        let place = self.place;
        let Some(answers) = self.answers.get(key) else {
            panic!(
                "the script has no answer under {key:?}, where the server asks {message:?}; \
                 add `.answer({key:?}, ..)`, `.decline({key:?})` or another \
                 to the host of the call at {place}"
            );
        };
        let given = self.given.entry(key.clone()).or_default();
        let scripted = &answers[(*given).min(answers.len() - 1)];
        *given += 1;
        if scripted.checked {
            check(asked, &scripted.response, place);
        }
        scripted.response.clone()
    }

    fn unused(&self) -> Vec<(String, usize, usize)> {
        let counts = self.answers.iter().map(|(key, answers)| {
            let given = self.given.get(key).copied().unwrap_or_default();
            (key.clone(), given.min(answers.len()), answers.len())
        });
        counts.filter(|(_, given, all)| given < all).collect()
    }
}

/// What a real client checks before it sends an answer.
fn check(asked: &Asked, response: &Value, place: &Location<'_>) {
    let key = &asked.key;
    let elicitation = asked.schema.is_some() || asked.url.is_some();
    assert!(
        elicitation,
        "{key:?} is no question to a person but {}; script it with `.respond(..)` for the call at {place}",
        asked.request.method()
    );
    if response["action"] != "accept" {
        return;
    }
    match (&asked.schema, response["content"].as_object()) {
        (None, None) => {}
        (None, Some(_)) => panic!(
            "{key:?} is a page to open; script it with `.agree({key:?})` for the call at {place}"
        ),
        (Some(_), None) => panic!(
            "{key:?} is a form; script it with `.answer({key:?}, ..)` for the call at {place}"
        ),
        (Some(schema), Some(content)) => {
            if let Err(violations) = schema.validate(content) {
                let violations: Vec<String> = violations.iter().map(ToString::to_string).collect();
                panic!(
                    "the answer scripted under {key:?} does not fit its form: {}; \
                     to send it nevertheless use `.respond(..)`; the call is at {place}",
                    violations.join("; ")
                );
            }
        }
    }
}

fn rpc_error(tool: &str, error: Error, place: &Location<'_>) -> mcp_core::rpc::RpcError {
    match error {
        Error::Rpc(error) | Error::MissingCapability { error, .. } => error,
        other => panic!("the call of `{tool}` at {place} has no result: {other}"),
    }
}

fn read<'a, T: Deserialize<'a>>(result: &'a RawValue) -> T {
    serde_json::from_str(result.get())
        .unwrap_or_else(|error| panic!("an invalid result: {error}\n{}", result.get()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputRequired {
    #[serde(default)]
    input_requests: InOrder,
    request_state: Option<String>,
}

/// The questions in the order in which they came.
#[derive(Default)]
struct InOrder(Vec<(String, InputRequest)>);

impl<'de> Deserialize<'de> for InOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = InOrder;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of input requests")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(InOrder(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// Where the wire trace goes.
#[derive(Debug, Clone, Default)]
struct Recording(Arc<Mutex<Vec<u8>>>);

impl Recording {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl io::Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
