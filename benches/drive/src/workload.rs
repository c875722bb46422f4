//! The workloads: which requests they send.

use crate::Error;
use crate::template::{Fill, Template};

/// The question that `confirm_delete` asks.
pub(crate) const QUESTION: &str =
    "Delete this note for good? It cannot be undone afterwards, not even by an admin.";

/// Stands in a request for the id, for the call's own value, and for the state that the server gave.
pub(crate) const MARKS: Fill<'static> = Fill {
    id: b"@id@",
    value: b"@value@",
    state: b"@state@",
};

/// What every request carries.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;

/// One kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// `echo` with a text of 100 bytes.
    Echo100,
    /// `echo` with 64 KiB of lines.
    Echo64k,
    /// `add`, with a structured result.
    Add,
    /// `tools/list` of 103 tools.
    List,
    /// `confirm_delete`: a question, and the call again with its answer.
    Confirm,
}

impl Workload {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 5] = [
        Self::Echo100,
        Self::Echo64k,
        Self::Add,
        Self::List,
        Self::Confirm,
    ];

    /// The name on a command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Echo100 => "echo100",
            Self::Echo64k => "echo64k",
            Self::Add => "add",
            Self::List => "list",
            Self::Confirm => "confirm",
        }
    }

    /// The name in a report.
    pub fn title(self) -> &'static str {
        match self {
            Self::Echo100 => "echo, 100 B",
            Self::Echo64k => "echo, 64 KiB",
            Self::Add => "add, structured",
            Self::List => "tools/list, 103 tools",
            Self::Confirm => "confirmation, two rounds",
        }
    }

    /// The workload with this [`key`](Self::key).
    ///
    /// # Errors
    ///
    /// No workload has it; the text lists those there are.
    pub fn parse(key: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|workload| workload.key() == key)
            .ok_or_else(|| {
                format!(
                    "no workload is called `{key}`; there are {}",
                    Self::ALL.map(Self::key).join(", ")
                )
            })
    }

    /// The method that it calls.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::List => "tools/list",
            Self::Echo100 | Self::Echo64k | Self::Add | Self::Confirm => "tools/call",
        }
    }

    /// The tool that it calls, if it calls one.
    pub(crate) fn tool(self) -> Option<&'static str> {
        match self {
            Self::Echo100 | Self::Echo64k => Some("echo"),
            Self::Add => Some("add"),
            Self::List => None,
            Self::Confirm => Some("confirm_delete"),
        }
    }

    /// What a text to echo has after the call's own value of 16 bytes.
    pub(crate) fn filler(self) -> String {
        match self {
            Self::Echo100 => "-".repeat(100 - 16),
            // Text as tools read it from files: a newline to escape now and then.
            Self::Echo64k => (0..)
                .flat_map(|line| format!("{line:05}: one line of a file that somebody asked for, neither short nor long\n").into_bytes())
                .take(65536 - 16)
                .map(char::from)
                .collect(),
            Self::Add | Self::List | Self::Confirm => String::new(),
        }
    }

    /// The first request of a call.
    pub(crate) fn request(self) -> Template {
        let filler = serde_json::Value::from(self.filler()).to_string();
        let filler = filler.trim_matches('"');
        let (method, params) = match self {
            Self::Echo100 | Self::Echo64k => (
                "tools/call",
                format!(r#""name":"echo","arguments":{{"text":"@value@{filler}"}},"#),
            ),
            Self::Add => (
                "tools/call",
                r#""name":"add","arguments":{"a":@value@,"b":3000000000},"#.to_owned(),
            ),
            Self::List => ("tools/list", String::new()),
            Self::Confirm => (
                "tools/call",
                r#""name":"confirm_delete","arguments":{"note_id":"@value@"},"#.to_owned(),
            ),
        };
        request(method, &params)
    }

    /// The call again, with the answer under the server's `key` and the server's state.
    pub(crate) fn retry(self, key: &str) -> Template {
        let key = serde_json::Value::from(key).to_string();
        request(
            "tools/call",
            &format!(
                r#""name":"confirm_delete","arguments":{{"note_id":"@value@"}},"inputResponses":{{{key}:{{"action":"accept","content":{{"confirm":true}}}}}},"requestState":"@state@","#
            ),
        )
    }

    /// The value that call `n` sends.
    pub(crate) fn sent(self, n: u64) -> String {
        match self {
            // Ten digits, whose sum with the other summand has ten digits too.
            Self::Add => format!("{}", 2_000_000_000 + n % 1_000_000_000),
            Self::List => String::new(),
            Self::Echo100 | Self::Echo64k | Self::Confirm => format!("v{n:015}"),
        }
    }

    /// The value that the reply to call `n` must carry.
    pub(crate) fn wanted(self, n: u64) -> String {
        match self {
            Self::Add => format!("{}", 5_000_000_000 + n % 1_000_000_000),
            _ => self.sent(n),
        }
    }
}

fn request(method: &str, params: &str) -> Template {
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":@id@,"method":"{method}","params":{{{params}{META}}}}}"#)
            + "\n";
    Template::cut(text.as_bytes(), MARKS)
}

/// The request that asks a server what it is.
pub(crate) fn discover(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{{{META}}}}}"#)
        + "\n"
}

/// Checks what a server says of itself.
pub(crate) fn discovered(id: u64, reply: &serde_json::Value) -> Result<(), Error> {
    let versions = reply["result"]["supportedVersions"].as_array();
    let speaks = versions.is_some_and(|versions| versions.iter().any(|v| v == "2026-07-28"));
    if speaks && reply["id"] == id {
        Ok(())
    } else {
        Err(format!("server/discover: another answer than expected: {reply}").into())
    }
}
