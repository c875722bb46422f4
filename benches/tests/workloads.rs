//! All of our servers answer every workload rightly: what is measured is work that was done.

#![cfg(unix)]

use std::process::Command;

use mcp_bench_drive::{Peer, Script, Until, Workload};

fn answers(program: &str) {
    let mut peer = Peer::start(&mut Command::new(program)).expect("the server starts");
    peer.discover().expect("the server speaks the revision");
    for workload in Workload::ALL {
        for in_flight in [1, 8] {
            // A reply that is wrong is an error here, and names the reply.
            let calls = peer.run(&mut Script::new(workload), in_flight, Until::Calls(20));
            assert_eq!(
                calls.expect("right replies"),
                20,
                "{workload:?}, {in_flight} in flight"
            );
        }
    }
    peer.finish().expect("the server ends by itself");
}

#[test]
fn the_server_answers_rightly() {
    answers(env!("CARGO_BIN_EXE_bench-server"));
}

#[test]
fn the_floor_answers_rightly() {
    answers(env!("CARGO_BIN_EXE_floor"));
}

#[cfg(feature = "http")]
mod http {
    use mcp_bench_drive::HttpPeer;

    use super::*;

    fn answers(program: &str, arguments: &[&str]) {
        let mut peer = HttpPeer::start(Command::new(program).args(arguments)).expect("it starts");
        for workload in Workload::ALL {
            for in_flight in [1, 8] {
                let calls = peer.run(&mut Script::new(workload), in_flight, Until::Calls(20));
                assert_eq!(
                    calls.expect("right replies"),
                    20,
                    "{workload:?}, {in_flight} in flight"
                );
            }
        }
        peer.finish().expect("the server ends when it is told to");
    }

    #[test]
    fn the_server_answers_rightly() {
        answers(env!("CARGO_BIN_EXE_bench-server"), &["--http"]);
    }

    #[test]
    fn the_floors_answer_rightly() {
        for kind in ["axum", "hyper"] {
            answers(env!("CARGO_BIN_EXE_floor"), &["--http", kind]);
        }
    }

    /// The floors check what they are compared for.
    #[test]
    fn the_floors_refuse_what_does_not_fit() {
        for kind in ["axum", "hyper"] {
            let peer =
                HttpPeer::start(Command::new(env!("CARGO_BIN_EXE_floor")).args(["--http", kind]));
            let peer = peer.expect("it starts");
            for (from, to, status) in [
                ("", "", 200),
                ("Host: 127.0.0.1", "Host: example.com", 403),
                (
                    "Host: 127.0.0.1",
                    "Host: 127.0.0.1\r\nOrigin: http://example.com",
                    403,
                ),
                ("application/json\r\nAccept", "text/plain\r\nAccept", 415),
                (", text/event-stream", "", 406),
                (
                    "MCP-Protocol-Version: 2026-07-28",
                    "MCP-Protocol-Version: 1",
                    400,
                ),
                ("Mcp-Method: server/discover", "Mcp-Method: tools/list", 400),
            ] {
                let answered = peer.status_of_discover(from, to).expect("it answers");
                assert_eq!(answered, status, "{kind}: {from} -> {to}");
            }
        }
    }
}
