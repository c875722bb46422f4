//! Answers one message: the reply is written once, straight into the output.

use std::io::Write;

use serde_json::value::RawValue;

use crate::request::{Arguments, Params, Request};
use crate::seal::Sealer;

const VERSION: &str = "2026-07-28";
const QUESTION: &str =
    "Delete this note for good? It cannot be undone afterwards, not even by an admin.";
const META: &str =
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"floor","version":"1.0.0"}}"#;

/// The server.
pub(crate) struct Floor {
    sealer: Sealer,
    /// The result of `tools/list`, made once.
    tools: String,
}

/// A JSON-RPC error: code and message.
pub(crate) type Refusal = (i32, &'static str);

impl Floor {
    pub(crate) fn new() -> Self {
        Self {
            sealer: Sealer::new(),
            tools: tools(),
        }
    }

    /// Appends the reply to one message, if there is one, unless `check` refuses it; gives the code of an error.
    pub(crate) fn answer(
        &self,
        line: &[u8],
        out: &mut Vec<u8>,
        check: impl FnOnce(&Request<'_>) -> Result<(), Refusal>,
    ) -> Result<(), i32> {
        // One check of the whole line costs less than one of each string in it.
        let parsed = std::str::from_utf8(line)
            .ok()
            .and_then(|text| serde_json::from_str::<Request<'_>>(text).ok());
        let Some(request) = parsed else {
            refuse(out, None, (-32600, "the message is no request"));
            return Err(-32600);
        };
        let Some(id) = request.id else {
            return Ok(());
        };
        let before = out.len();
        let answered = check(&request).and_then(|()| self.result(id, &request, out));
        answered.map_err(|refusal| {
            out.truncate(before);
            refuse(out, Some(id), refusal);
            refusal.0
        })
    }

    fn result(
        &self,
        id: &RawValue,
        request: &Request<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        if request.jsonrpc != "2.0" {
            return Err((-32600, "the message is not JSON-RPC 2.0"));
        }
        if request.params.meta.version != VERSION {
            return Err((-32022, "the version is not supported"));
        }
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.get().as_bytes());
        out.extend_from_slice(br#","result":{"#);
        match &*request.method {
            "tools/call" => self.call(&request.params, out)?,
            "tools/list" => out.extend_from_slice(self.tools.as_bytes()),
            "server/discover" => out.extend_from_slice(
                br#""resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public","#,
            ),
            _ => return Err((-32601, "there is no such method")),
        }
        out.extend_from_slice(META.as_bytes());
        out.extend_from_slice(b"}}\n");
        Ok(())
    }

    fn call(&self, params: &Params<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let arguments = &params.arguments;
        match params.name.as_deref() {
            Some("echo") => {
                let text = arguments.text.as_deref();
                say(out, text.ok_or((-32602, "echo takes a text"))?);
            }
            Some("add") => add(arguments, out)?,
            Some("confirm_delete") => self.confirm_delete(params, out)?,
            Some(name) if name.starts_with("dummy_") => say(out, "dummy"),
            _ => return Err((-32602, "there is no such tool")),
        }
        Ok(())
    }

    fn confirm_delete(&self, params: &Params<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let note = params.arguments.note_id.as_deref();
        let note = note.ok_or((-32602, "confirm_delete takes a note_id"))?;
        if params.meta.capabilities.elicitation.is_none() {
            return Err((-32021, "the client must be able to ask"));
        }
        let Some(state) = &params.request_state else {
            return self.ask(note, out);
        };
        if !self.sealer.opens(note, state) {
            return Err((-32602, "the state is invalid or expired"));
        }
        let answer = params.input_responses.as_ref();
        let answer = answer.and_then(|responses| responses.confirm.as_ref());
        let answer = answer.ok_or((-32602, "there is no answer"))?;
        let yes = answer.action == "accept" && answer.content.as_ref().is_some_and(|c| c.confirm);
        say(
            out,
            &[if yes { "deleted " } else { "kept " }, note].concat(),
        );
        Ok(())
    }

    fn ask(&self, note: &str, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let sealed = self.sealer.seal(note, QUESTION);
        let sealed = sealed.ok_or((-32603, "the state could not be sealed"))?;
        out.extend_from_slice(br#""resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create","params":{"mode":"form","message":"#);
        string(out, QUESTION);
        out.extend_from_slice(br#","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}}}},"requestState":""#);
        out.extend_from_slice(sealed.as_bytes());
        out.extend_from_slice(b"\",");
        Ok(())
    }
}

fn add(arguments: &Arguments<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
    let (Some(a), Some(b)) = (arguments.a, arguments.b) else {
        return Err((-32602, "add takes a and b"));
    };
    let sum = a.checked_add(b).ok_or((-32602, "the sum is too large"))?;
    // Writing to memory does not fail.
    let _ = write!(
        out,
        r#""resultType":"complete","content":[{{"type":"text","text":"{{\"sum\":{sum}}}"}}],"structuredContent":{{"sum":{sum}}},"isError":false,"#
    );
    Ok(())
}

fn say(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#""resultType":"complete","content":[{"type":"text","text":"#);
    string(out, text);
    out.extend_from_slice(br#"}],"isError":false,"#);
}

fn refuse(out: &mut Vec<u8>, id: Option<&RawValue>, (code, message): Refusal) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.get().as_bytes());
        out.push(b',');
    }
    let _ = write!(out, r#""error":{{"code":{code},"message":"{message}"}}}}"#);
    out.push(b'\n');
}

fn string(out: &mut Vec<u8>, text: &str) {
    // Neither memory nor a text can fail.
    let _ = serde_json::to_writer(out, text);
}

fn tools() -> String {
    let property = |name: &str, kind: &str, about: &str| {
        format!(r#""{name}":{{"description":"{about}","type":{kind}}}"#)
    };
    let tool = |name: &str, about: &str, required: &str, properties: &[String]| {
        let properties = properties.join(",");
        format!(
            r#"{{"name":"{name}","description":"{about}","inputSchema":{{"type":"object","properties":{{{properties}}},"required":[{required}]}}}}"#
        )
    };
    let mut tools = vec![
        tool(
            "echo",
            "Sends the text back.",
            r#""text""#,
            &[property("text", r#""string""#, "The text to send back.")],
        ),
        tool(
            "add",
            "Adds two integers.",
            r#""a","b""#,
            &[
                property("a", r#""integer""#, "First summand."),
                property("b", r#""integer""#, "Second summand."),
            ],
        ),
        tool(
            "confirm_delete",
            "Deletes a note after asking.",
            r#""note_id""#,
            &[property("note_id", r#""string""#, "The note to delete.")],
        ),
    ];
    tools.extend((0..100).map(|number| {
        tool(
            &format!("dummy_{number:03}"),
            "A dummy tool which stands for one of the many tools that a real server offers to its clients.",
            r#""id""#,
            &[
                property("id", r#""string""#, "Identifier of the record to look at."),
                property("limit", r#"["integer","null"]"#, "At most this many rows."),
                property("verbose", r#"["boolean","null"]"#, "Say more."),
            ],
        )
    }));
    format!(
        r#""resultType":"complete","tools":[{}],"ttlMs":0,"cacheScope":"public","#,
        tools.join(",")
    )
}
