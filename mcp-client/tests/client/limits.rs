//! Time: per request, per call, and what cancels.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::{Answer, CallOptions, Error};
use serde_json::json;
use tokio::time::Instant;

use crate::support::{DiscoverAfter, Fake, Message, asks, builder, call, confirm, connect, done};

const SECOND: Duration = Duration::from_secs(1);

async fn report(fake: &mut Fake, request: &Message, progress: f64) {
    let token = request.params()["_meta"]["progressToken"].clone();
    fake.notify(
        "notifications/progress",
        json!({"progressToken": token, "progress": progress}),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_times_out_is_cancelled_and_its_late_answer_ignored() {
    let (client, mut fake) = connect(builder().request_timeout(SECOND)).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.cancellation_of(&request).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(&error, Error::Timeout { method, after: SECOND } if method == "tools/call"),
        "{error}"
    );
    assert_eq!(started.elapsed(), SECOND);

    let next = call(&client, "t", json!({}));
    let second = fake.request("tools/call").await;
    fake.reply(&request, done("too late")).await;
    fake.reply(&second, done("in time")).await;
    assert_eq!(next.await.unwrap().unwrap().text(), "in time");
}

#[tokio::test(start_paused = true)]
async fn there_is_a_timeout_unless_set() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    fake.request("tools/call").await;
    assert!(
        matches!(calling.await.unwrap(), Err(Error::Timeout { after, .. }) if after == SECOND * 60)
    );
}

#[tokio::test(start_paused = true)]
async fn one_call_may_have_its_own_timeout_or_none() {
    let (client, mut fake) = connect(builder()).await;
    let options = CallOptions::new().request_timeout(SECOND * 5);
    let (own, none) = (client.clone(), client);
    let own = tokio::spawn(async move { own.call_tool_with("t", json!({}), options).await });
    fake.request("tools/call").await;
    assert!(matches!(own.await.unwrap(), Err(Error::Timeout { after, .. }) if after == SECOND * 5));
    fake.next().await.unwrap();

    let options = CallOptions::new().without_request_timeout();
    let patient = tokio::spawn(async move { none.call_tool_with("t", json!({}), options).await });
    let request = fake.request("tools/call").await;
    tokio::time::sleep(SECOND * 10_000).await;
    fake.reply(&request, done("at last")).await;
    assert_eq!(patient.await.unwrap().unwrap().text(), "at last");
}

#[tokio::test(start_paused = true)]
async fn human_time_does_not_count_and_each_round_has_its_own_timeout() {
    let builder = builder().request_timeout(SECOND).on_form(|_| async {
        tokio::time::sleep(SECOND * 3).await;
        Ok(Answer::accept(json!({"confirm": true}))?)
    });
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    for round in 0..3 {
        let request = fake.request("tools/call").await;
        tokio::time::sleep(SECOND * 9 / 10).await;
        let reply = if round < 2 {
            asks(json!({"a": confirm("?")}), json!("s"))
        } else {
            done("ok")
        };
        fake.reply(&request, reply).await;
    }
    assert_eq!(calling.await.unwrap().unwrap().text(), "ok");
}

#[tokio::test(start_paused = true)]
async fn the_overall_deadline_has_its_own_error_and_cancels() {
    let (client, mut fake) = connect(builder().overall_deadline(SECOND * 2)).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = loop {
        let request = fake.request("tools/call").await;
        if started.elapsed() > SECOND {
            break request;
        }
        fake.reply(&request, asks(json!({}), json!("s"))).await;
    };
    fake.cancellation_of(&request).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(
        matches!(error, Error::Deadline { limit, .. } if limit == SECOND * 2),
        "{error}"
    );
    assert_eq!(started.elapsed(), SECOND * 2);
}

#[tokio::test(start_paused = true)]
async fn the_overall_deadline_counts_human_time() {
    let builder = builder()
        .overall_deadline(SECOND * 2)
        .on_form(|_| std::future::pending());
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({"a": confirm("?")}), json!("s")))
        .await;
    assert!(matches!(
        calling.await.unwrap(),
        Err(Error::Deadline { .. })
    ));
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_cancels_it() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    calling.abort();
    fake.cancellation_of(&request).await;
}

#[tokio::test(start_paused = true)]
async fn an_answered_call_is_not_cancelled() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, done("ok")).await;
    calling.await.unwrap().unwrap();
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn giving_up_during_a_pause_cancels_nothing_that_is_over() {
    let (client, mut fake) = connect(builder()).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    fake.reply(&request, asks(json!({}), json!("s"))).await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    calling.abort();
    fake.hears_nothing().await;
}

#[tokio::test(start_paused = true)]
async fn progress_is_delivered_in_order_before_the_result() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let builder = builder().on_progress(move |report| sink.lock().unwrap().push(report.progress));
    let (client, mut fake) = connect(builder).await;
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    for progress in [1.0, 2.0, 3.0] {
        report(&mut fake, &request, progress).await;
    }
    fake.reply(&request, done("ok")).await;
    report(&mut fake, &request, 4.0).await;
    calling.await.unwrap().unwrap();
    client.discover_after(&mut fake).await;
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0]);
}

#[tokio::test(start_paused = true)]
async fn a_call_may_have_its_own_progress_handler() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let options =
        CallOptions::new().on_progress(move |report| sink.lock().unwrap().push(report.progress));
    let (client, mut fake) = connect(builder()).await;
    let calling = tokio::spawn(async move { client.call_tool_with("t", json!({}), options).await });
    let request = fake.request("tools/call").await;
    report(&mut fake, &request, 0.5).await;
    fake.reply(&request, done("ok")).await;
    calling.await.unwrap().unwrap();
    assert_eq!(*seen.lock().unwrap(), [0.5]);
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_timeout_up_to_a_ceiling_even_without_a_handler() {
    let builder = builder()
        .request_timeout(SECOND)
        .progress_extends_timeout(SECOND * 3);
    let (client, mut fake) = connect(builder).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let reporting = async {
        for step in 1..10 {
            tokio::time::sleep(SECOND / 2).await;
            report(&mut fake, &request, f64::from(step)).await;
        }
    };
    let (finished, ()) = tokio::join!(
        async {
            let finished = calling.await.unwrap();
            assert_eq!(started.elapsed(), SECOND * 3);
            finished
        },
        reporting
    );
    assert!(
        matches!(finished, Err(Error::Timeout { after, .. }) if after == SECOND * 3),
        "{finished:?}"
    );
    fake.cancellation_of(&request).await;
}

#[tokio::test(start_paused = true)]
async fn progress_does_not_extend_the_timeout_unless_asked_to() {
    let (client, mut fake) = connect(builder().request_timeout(SECOND).on_progress(|_| {})).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    tokio::time::sleep(SECOND / 2).await;
    report(&mut fake, &request, 1.0).await;
    assert!(matches!(calling.await.unwrap(), Err(Error::Timeout { .. })));
    assert_eq!(started.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn log_messages_reach_the_handler_and_a_panic_in_it_hurts_nobody() {
    use mcp_client::protocol::LoggingLevel;

    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let builder = builder().on_log(LoggingLevel::Info, move |message| {
        assert_ne!(message.data, json!("bad"), "a handler that panics");
        sink.lock().unwrap().push((message.level, message.data));
    });
    let (client, mut fake) = connect(builder).await;
    fake.notify(
        "notifications/message",
        json!({"level": "error", "data": {"n": 1}}),
    )
    .await;
    fake.notify("notifications/message", json!({"level": "loud", "data": 1}))
        .await;
    fake.notify(
        "notifications/message",
        json!({"level": "info", "data": "bad"}),
    )
    .await;
    client.discover_after(&mut fake).await;
    assert_eq!(
        *seen.lock().unwrap(),
        [(LoggingLevel::Error, json!({"n": 1}))]
    );
}

#[tokio::test]
async fn a_flood_of_progress_does_not_hold_the_timeout_off() {
    let timeout = Duration::from_millis(100);
    let builder = builder().request_timeout(timeout).on_progress(|_| {
        std::thread::sleep(Duration::from_millis(40));
    });
    let (client, mut fake) = connect(builder).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    for step in 0..64 {
        report(&mut fake, &request, f64::from(step)).await;
    }
    assert!(matches!(calling.await.unwrap(), Err(Error::Timeout { .. })));
    assert!(started.elapsed() < timeout * 10, "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn limits_beyond_what_the_clock_counts_are_no_limits() {
    for limit in [Duration::MAX, Duration::from_secs(i64::MAX.unsigned_abs())] {
        let limited = builder()
            .request_timeout(limit)
            .probe_timeout(limit)
            .overall_deadline(limit)
            .progress_extends_timeout(limit);
        let (client, mut fake) = connect(limited).await;
        let calling = call(&client, "t", json!({}));
        let request = fake.request("tools/call").await;
        report(&mut fake, &request, 1.0).await;
        fake.reply(&request, done("in time")).await;
        assert_eq!(calling.await.unwrap().unwrap().text(), "in time");
    }
}

#[tokio::test(start_paused = true)]
async fn the_overall_deadline_covers_the_validation_and_keeps_the_result() {
    let (client, mut fake) = connect(builder().overall_deadline(SECOND)).await;
    let started = Instant::now();
    let calling = call(&client, "t", json!({}));
    let request = fake.request("tools/call").await;
    let result = json!({"resultType": "complete", "content": [], "structuredContent": {"a": 1}});
    fake.reply(&request, result).await;
    let list = fake.request("tools/list").await;
    assert!(calling.await.unwrap().is_ok());
    assert_eq!(started.elapsed(), SECOND);
    fake.cancellation_of(&list).await;
}
