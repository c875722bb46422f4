//! The shop's story from start to end, as a newcomer runs it.

#![allow(clippy::unwrap_used)]

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command, Output, Stdio},
};

/// Plays the story without a terminal; `arguments` are the program's.
fn play(arguments: &[&str], envs: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shop"))
        .args(arguments)
        .envs(envs.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The place of the first line that is `line`, after `from`.
fn find(lines: &[String], from: usize, line: &str) -> usize {
    let place = lines[from..].iter().position(|found| found == line);
    from + place.unwrap_or_else(|| {
        panic!(
            "no line {line:?} after line {from} of\n{}",
            lines.join("\n")
        )
    })
}

#[test]
fn the_story_has_every_scene() {
    let output = play(&["--scripted"], &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines = lines(&output);
    let mut at = 0;
    for line in [
        "asked: Refund 180.00 on order O-2289? It is above the policy limit, so a lead must confirm it.",
        "by hand: R-0111 requested",
        "by Client.call_tool: R-0112 requested",
        "one character changed: -32602 Invalid or expired requestState",
        "answer without state: input_required, the server asks again",
        "state with other arguments: -32602 Invalid or expired requestState",
        "honest retry: refund R-0111 requested",
        "client without elicitation: -32021",
        "first call: input_required url",
        "after accept: input_required url",
        "tom signs in on the page: 403",
        "lea signs in on the page: 200",
    ] {
        at = find(&lines, at, line);
    }
    for start in ["same retry again: tool error, ", "after sign-in: complete "] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}");
    }
}

#[test]
fn the_wire_summary_shows_two_requests_with_ids_of_their_own() {
    let lines = lines(&play(&["--scripted"], &[]));
    let mut ids = Vec::new();
    for who in ["by hand", "Client.call_tool"] {
        for (which, rest) in [
            ("call", ", sends arguments only, gets input_required"),
            (
                "retry",
                ", sends inputResponses and requestState, gets complete",
            ),
        ] {
            let start = format!("{who}, {which}: id ");
            let id = lines
                .iter()
                .find_map(|line| line.strip_prefix(&start)?.strip_suffix(rest));
            ids.push(id.unwrap_or_else(|| panic!("no line {start}..{rest}")));
        }
    }
    assert!(ids.iter().all(|id| id.parse::<u64>().is_ok()), "{ids:?}");
    let before = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), before, "an id was used twice");
}

#[test]
fn accept_decline_and_cancel_have_a_sentence_each() {
    let lines = lines(&play(&["--scripted"], &[]));
    let sentence = |action: &str| {
        let start = format!("{action}: ");
        let found = lines.iter().find_map(|line| line.strip_prefix(&start));
        found.unwrap_or_else(|| panic!("no line {start}.."))
    };
    let sentences = ["accept", "decline", "cancel"].map(sentence);
    assert!(sentences[0].contains("damaged in transit"), "{sentences:?}");
    assert_ne!(sentences[0], sentences[1]);
    assert_ne!(sentences[1], sentences[2]);
    assert_ne!(sentences[0], sentences[2]);
}

#[test]
fn without_a_terminal_the_script_answers() {
    let output = play(&[], &[]);
    assert!(output.status.success(), "{output:?}");
    find(&lines(&output), 0, "by hand: R-0111 requested");
}

/// As behind `| head`.
#[test]
fn a_reader_that_has_read_enough_ends_the_story_without_a_word() {
    let mut shop = Command::new(env!("CARGO_BIN_EXE_shop"))
        .arg("--scripted")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(shop.stdout.take().unwrap());
    reader.read_line(&mut String::new()).unwrap();
    drop(reader);
    let mut errors = String::new();
    let mut stderr = shop.stderr.take().unwrap();
    stderr.read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
    assert_eq!(shop.wait().unwrap().code(), Some(0));
}

#[test]
fn a_key_that_cannot_be_used_is_named() {
    let output = play(&["--serve"], &[("SHOP_REQUEST_STATE_KEY", "abc")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stderr.is_empty());
    assert!(
        output.stdout.is_empty(),
        "standard output belongs to the protocol"
    );
}

#[test]
fn the_server_ends_with_its_client() {
    let output = play(&["--serve"], &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Every server of the story inherits a variable by which it is found.
#[cfg(target_os = "linux")]
#[test]
fn no_server_is_left_behind() {
    let mark = format!("left-by-{}", std::process::id());
    assert!(
        play(&["--scripted"], &[("SHOP_STORY_MARK", &mark)])
            .status
            .success()
    );
    let left: Vec<_> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("environ")).ok())
        .filter(|environ| {
            environ
                .windows(mark.len())
                .any(|part| part == mark.as_bytes())
        })
        .collect();
    assert_eq!(left.len(), 0);
}
