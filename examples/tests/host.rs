//! The terminal host against the notes and the shop, as a script uses it.

#![allow(clippy::unwrap_used)]

use std::{
    io::BufReader,
    process::{Command, Output, Stdio},
};

use mcp_client::trace::{self, Direction};
use serde_json::{Value, json};

const NOTES: &str = env!("CARGO_BIN_EXE_notes");
const DELETE: [&str; 3] = ["call", "delete_note", r#"{"note_id": "n-1"}"#];
const YES: &str = r#"answer={"confirm": true}"#;

/// Runs `host ARGUMENTS -- notes --serve` without a terminal.
fn host(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .args(arguments)
        .args(["--", NOTES, "--serve"])
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn delete(answers: &[&str]) -> Output {
    host(&[&DELETE[..], answers].concat())
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn the_tools_are_listed() {
    let output = host(&["list"]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert!(text.contains("delete_note"), "{text}");
    assert!(
        text.contains("Delete one note by id. Asks the user to confirm before deleting."),
        "{text}"
    );
    assert!(text.contains("note_id: string. The note's id."), "{text}");
    assert!(
        !text.contains("answer"),
        "a question is no argument: {text}"
    );
}

#[test]
fn the_notes_are_served_without_options_as_well() {
    let mut host = Command::new(env!("CARGO_BIN_EXE_host"));
    let host = host.args(["list", "--", NOTES]).stdin(Stdio::null());
    let output = host.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("delete_note"), "{output:?}");
}

/// The same script in every revision that can show forms: the server is told which by the handshake.
#[test]
fn the_same_call_works_in_older_revisions() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let output = delete(&["--answer", YES, "--revision", revision]);
        assert!(output.status.success(), "{revision}: {output:?}");
        assert!(stdout(&output).contains("Deleted note n-1"), "{revision}");
    }
    let output = host(&["list", "--revision", "2024-11-05"]);
    assert!(stdout(&output).contains("delete_note"), "{output:?}");
    let output = host(&["list", "--revision", "2024"]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("2024-11-05"), "{output:?}");
}

#[test]
fn an_output_that_nobody_reads_is_no_panic() {
    let call = [&DELETE[..], &["--answer", YES]].concat();
    for arguments in [&["list"][..], &["list", "--json"], &call] {
        let mut host = Command::new(env!("CARGO_BIN_EXE_host"))
            .args(arguments)
            .args(["--", NOTES, "--serve"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(host.stdout.take());
        let output = host.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!stderr(&output).contains("panicked"), "{output:?}");
    }
}

#[test]
fn the_list_can_be_json() {
    let tools: Value = serde_json::from_slice(&host(&["list", "--json"]).stdout).unwrap();
    let schema = &tools[0]["inputSchema"];
    assert_eq!(tools[0]["name"], "delete_note");
    assert_eq!(schema["required"], json!(["note_id"]));
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn answers_come_from_the_command_line() {
    for (answer, text) in [
        (YES, "Deleted note n-1.\n"),
        (
            r#"answer={"confirm": false}"#,
            "Kept note n-1: the user did not confirm.\n",
        ),
        (
            "answer=decline",
            "Kept note n-1: the user did not confirm.\n",
        ),
        (
            "answer=cancel",
            "Kept note n-1: the user did not confirm.\n",
        ),
    ] {
        let output = delete(&["--answer", answer]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stdout(&output), text, "{answer}");
    }
}

#[test]
fn a_call_without_arguments_needs_no_json() {
    let output = host(&["call", "list_notes"]);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("n-1: Groceries"), "{output:?}");
}

#[test]
fn the_result_can_be_json() {
    let output = delete(&["--answer", YES, "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["content"],
        json!([{ "type": "text", "text": "Deleted note n-1." }])
    );
}

#[test]
fn without_an_answer_and_without_a_terminal_nothing_is_done() {
    let output = delete(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).contains("add --answer answer=JSON"),
        "{}",
        stderr(&output)
    );
    let question = "Delete note n-1 ('Groceries')? This cannot be undone.";
    assert!(stderr(&output).contains(question), "{}", stderr(&output));
}

/// The server only learns that there is no answer.
#[test]
fn in_older_revisions_too_the_reason_is_said_once() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let output = delete(&["--revision", revision]);
        assert_eq!(output.status.code(), Some(1), "{revision}");
        let reason = "there is no terminal; add --answer answer=JSON";
        assert_eq!(stderr(&output).matches(reason).count(), 1, "{output:?}");
    }
}

#[test]
fn an_answer_that_does_not_fit_is_not_sent() {
    let output = delete(&["--answer", r#"answer={"confirm": "hunter2"}"#]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("`confirm` must be true or false"),
        "{}",
        stderr(&output)
    );
    assert!(
        !stderr(&output).contains("hunter2"),
        "the value is not repeated"
    );
}

#[test]
fn an_answer_that_is_none_is_refused_with_what_it_may_be() {
    for answer in ["answer=true", "answer=yes"] {
        let output = delete(&["--answer", answer]);
        assert!(!output.status.success(), "{answer}");
        for way in [
            "answer=accept",
            "answer=decline",
            "answer=cancel",
            "JSON object",
        ] {
            assert!(stderr(&output).contains(way), "{}", stderr(&output));
        }
    }
}

#[test]
fn a_misspelt_key_is_told() {
    let output = delete(&["--answer", YES, "--answer", "anser=decline"]);
    assert_eq!(stdout(&output), "Deleted note n-1.\n");
    assert!(stderr(&output).contains("`anser`"), "{}", stderr(&output));
}

#[test]
fn a_tool_that_fails_asks_nobody() {
    let output = host(&["call", "delete_note", r#"{"note_id": "n-9"}"#]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("there is no note n-9"),
        "{output:?}"
    );
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .args(["list", "--", "/no/such/server"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no/such/server"), "{output:?}");
}

/// Runs `host list --http URL`, which fails, and gives what it says.
async fn cannot_list(url: &str) -> String {
    let mut host = tokio::process::Command::new(env!("CARGO_BIN_EXE_host"));
    let output = host.args(["list", "--http", url]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    stderr(&output).to_owned()
}

#[tokio::test]
async fn a_url_under_which_there_is_no_server_is_said_to_be_wrong() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = mcp_examples::everything::server().unwrap();
    tokio::spawn(server.http().serve_until(listener, std::future::pending()));
    let said = cannot_list(&format!("http://{address}/nope")).await;
    for part in [
        "there is no MCP endpoint at this URL",
        "404",
        "the endpoint is `/mcp`",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("older revision"), "{said}");
}

#[tokio::test]
async fn a_url_without_a_scheme_is_to_be_written_in_full() {
    for url in ["127.0.0.1:3917", "localhost:3917"] {
        let said = cannot_list(url).await;
        assert!(said.contains("such as http://127.0.0.1:3000/mcp"), "{said}");
    }
}

#[test]
fn the_trace_holds_both_rounds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.jsonl");
    let output = delete(&["--answer", YES, "--trace", path.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");

    let file = std::fs::File::open(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let mut sent = Vec::new();
    let mut received = Vec::new();
    for entry in trace::read(BufReader::new(file)) {
        let entry = entry.unwrap();
        let message: Value = serde_json::from_str(entry.message.unwrap().get()).unwrap();
        match entry.direction {
            Direction::Sent if message["method"] == "tools/call" => sent.push(message),
            Direction::Sent => {}
            Direction::Received => received.push(message),
        }
    }
    let [call, retry] = &sent[..] else {
        panic!("{} requests", sent.len());
    };
    assert_eq!(call["params"].get("inputResponses"), None);
    let asked = received
        .iter()
        .find(|message| message["id"] == call["id"])
        .unwrap();
    assert_eq!(asked["result"]["resultType"], "input_required");
    let request = &asked["result"]["inputRequests"]["answer"];
    assert_eq!(request["method"], "elicitation/create");
    assert_ne!(retry["id"], call["id"]);
    assert_eq!(retry["params"]["arguments"], call["params"]["arguments"]);
    assert_eq!(
        retry["params"]["requestState"],
        asked["result"]["requestState"]
    );
    let answer = json!({ "answer": { "action": "accept", "content": { "confirm": true } } });
    assert_eq!(retry["params"]["inputResponses"], answer);
    let done = received
        .iter()
        .find(|message| message["id"] == retry["id"])
        .unwrap();
    assert_eq!(done["result"]["resultType"], "complete");
}

/// A server in the language of the shell, whose tool gives `result`, or none at all.
#[cfg(unix)]
fn scripted(result: Option<&str>) -> Command {
    const ABOUT: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;
    // The request's own id goes back.
    const ANSWER: &str = r#"
        answer() {
            read -r line
            id=${line#*\"id\":}
            printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "${id%%,*}" "$1"
        }
        echo $$ > pid
        answer "$1"
    "#;
    let then = match result {
        Some(_) => "answer \"$2\"\nread -r line",
        None => "read -r line\ntouch called\nsleep 300",
    };
    let mut host = Command::new(env!("CARGO_BIN_EXE_host"));
    host.args(["call", "t", "{}", "--", "sh", "-c"])
        .args([&format!("{ANSWER}{then}"), "sh", ABOUT])
        .args(result)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    host
}

#[cfg(unix)]
#[test]
fn an_interrupted_call_ends_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let host = scripted(None).current_dir(&directory).spawn().unwrap();
    let began = std::time::Instant::now();
    while !directory.path().join("called").exists() {
        assert!(began.elapsed().as_secs() < 60, "the tool was not called");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = |signal: &str, process: &str| {
        let mut kill = Command::new("kill");
        let kill = kill.args([signal, process]).stderr(Stdio::null());
        kill.status().unwrap().success()
    };
    assert!(kill("-INT", &host.id().to_string()));
    let output = host.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("interrupted"), "{output:?}");
    let server = std::fs::read_to_string(directory.path().join("pid")).unwrap();
    assert!(!kill("-0", server.trim()), "the server is still there");
}

#[cfg(unix)]
#[test]
fn a_block_as_json_cannot_control_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let name = "a\u{9b}31mb\u{202e}c";
    let block = json!({"type": "resource_link", "uri": "https://x", "name": name});
    let result = json!({"resultType": "complete", "content": [block]}).to_string();
    let mut host = scripted(Some(&result));
    let output = host.current_dir(&directory).output().unwrap();
    let text = stdout(&output);
    assert!(text.contains(r"a\u009b31mb\u202ec"), "{output:?}");
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value["name"], name);
}

#[cfg(unix)]
#[test]
fn a_structured_result_without_blocks_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let result = r#"{"resultType":"complete","content":[],"structuredContent":{"a":1}}"#;
    let mut host = scripted(Some(result));
    let output = host.current_dir(&directory).output().unwrap();
    assert_eq!(stdout(&output), "{\"a\":1}\n", "{output:?}");
}
