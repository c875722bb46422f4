//! A thousand subscriptions while changes flow: nothing is lost, nothing is crossed, and all places become free.

use std::time::{Duration, Instant};

use mcp_tests::wire::Wire;
use serde_json::json;

use crate::{ACKNOWLEDGED, TOOLS_CHANGED, listening, server, subscription};

const CONNECTIONS: usize = 20;
const EACH: i64 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_hear_of_every_last_change() {
    let server = server();
    let mut wires: Vec<Wire> = (0..CONNECTIONS).map(|_| Wire::open(&server)).collect();
    // The same ids on each connection, on purpose.
    for wire in &mut wires {
        for _ in 0..EACH {
            wire.begin(
                "subscriptions/listen",
                json!({"notifications": {"toolsListChanged": true}}),
            )
            .await;
        }
    }
    for wire in &mut wires {
        let mut ids = Vec::new();
        for _ in 0..EACH {
            let message = wire.receive().await;
            assert_eq!(message["method"], ACKNOWLEDGED);
            ids.push(subscription(&message).as_i64().unwrap());
        }
        assert_eq!(ids, (1..=EACH).collect::<Vec<_>>());
    }
    listening(&server, CONNECTIONS * EACH as usize).await;

    let notify = server.notify();
    let changing = std::thread::spawn(move || {
        let begin = Instant::now();
        for _ in 0..300 {
            notify.tools_changed();
            std::thread::sleep(Duration::from_millis(1));
        }
        begin.elapsed()
    });
    // Half of them go in between.
    for wire in &mut wires {
        for id in 1..=EACH / 2 {
            wire.cancel(id).await;
        }
    }
    listening(&server, CONNECTIONS * EACH as usize / 2).await;
    // Whoever reads at once hears of changes every 10 ms, and not of each.
    let most = changing.join().unwrap().as_millis() / 10 + 2;
    tokio::time::sleep(Duration::from_millis(200)).await;

    // A mark behind what was sent so far: whoever still listens has heard of it.
    for wire in &mut wires {
        let mark = wire.begin("tools/list", json!({})).await;
        let mut told = vec![0; EACH as usize + 1];
        loop {
            let message = wire.receive().await;
            if message["id"] == mark {
                break;
            }
            assert_eq!(message["method"], TOOLS_CHANGED, "{message}");
            told[usize::try_from(subscription(&message).as_i64().unwrap()).unwrap()] += 1;
        }
        for id in EACH / 2 + 1..=EACH {
            let times = told[id as usize];
            assert!((1..=most).contains(&times), "{id} was told {times} times");
        }
    }
    // One more change is told once, to each of those that are left, and to nobody else.
    server.notify().tools_changed();
    for wire in &mut wires {
        let mut told = Vec::new();
        for _ in EACH / 2..EACH {
            let message = wire.receive().await;
            assert_eq!(message["method"], TOOLS_CHANGED, "{message}");
            told.push(subscription(&message).as_i64().unwrap());
        }
        told.sort_unstable();
        assert_eq!(told, (EACH / 2 + 1..=EACH).collect::<Vec<_>>());
    }
    for wire in &mut wires {
        wire.close_input().await;
    }
    listening(&server, 0).await;
    for wire in &mut wires {
        let mut results = 0;
        while let Some(line) = wire.line().await {
            results += i64::from(line.contains("\"result\""));
        }
        assert_eq!(results, EACH / 2);
    }
}
