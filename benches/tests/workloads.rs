//! Both of our servers answer every workload rightly: what is measured is work that was done.

#![cfg(unix)]

use std::process::Command;

use mcp_benches::{Peer, Script, Until, Workload};

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
