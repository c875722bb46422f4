//! The rules, one by one.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::tally::testing::logged;
use crate::transport::Failure;

fn line(text: &str) -> Received {
    Received::Message(text.as_bytes().to_vec())
}

#[test]
fn ids_are_never_reused() {
    let mut exchange = Exchange::new();
    let first = exchange.begin("a", None).unwrap();
    assert_eq!(exchange.forget(first), Some("a"));
    let second = exchange.begin("b", None).unwrap();
    exchange.receive(line(&format!(
        r#"{{"jsonrpc":"2.0","id":{second},"result":{{}}}}"#
    )));
    let third = exchange.begin("c", None).unwrap();
    assert!(first < second && second < third);
}

#[test]
fn answers_find_their_request_in_any_order() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    exchange.begin("b", None).unwrap();
    let second = exchange.receive(line(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#));
    assert!(matches!(second, Event::Answered("b", Reply::Result(_))));
    let first = exchange.receive(line(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"m"}}"#,
    ));
    assert!(matches!(first, Event::Answered("a", Reply::Error(error)) if error.code == 5));
}

#[test]
fn an_id_of_another_type_answers_nothing() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#));
    assert!(matches!(event, Event::Nothing));
    assert_eq!(exchange.forget(1), Some("a"));
}

#[test]
fn a_late_answer_is_ignored() {
    let mut exchange = Exchange::new();
    let id = exchange.begin("a", None).unwrap();
    assert_eq!(exchange.forget(id), Some("a"));
    let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    assert!(matches!(event, Event::Nothing));
    assert_eq!(exchange.forget(id), None, "it is not in flight any more");
}

#[test]
fn lines_that_are_no_messages_are_counted() {
    let mut exchange = Exchange::<()>::new();
    for text in ["starting v1…", "5", "[]", r#"{"level":"info"}"#] {
        assert!(matches!(exchange.receive(line(text)), Event::Nothing));
    }
    exchange.receive(Received::Message(b"\xff".to_vec()));
    assert_eq!(exchange.skipped_lines(), 5);
    exchange.receive(line(
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
    ));
    assert_eq!(exchange.skipped_lines(), 5);
}

#[test]
fn a_request_of_the_server_is_not_answered() {
    let mut exchange = Exchange::<()>::new();
    let event = exchange.receive(line(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#));
    assert!(matches!(event, Event::Nothing));
}

#[test]
fn progress_goes_to_the_request_with_the_same_token() {
    let mut exchange = Exchange::new();
    exchange.begin("a", Some(4)).unwrap();
    exchange.begin("b", Some(5)).unwrap();
    let report = |token: &str| {
        line(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":0.5,"total":2}}}}"#
        ))
    };
    let Event::Progress(waiter, progress) = exchange.receive(report("5")) else {
        panic!()
    };
    assert_eq!(
        (*waiter, progress.progress, progress.total),
        ("b", 0.5, Some(2.0))
    );
    assert!(matches!(exchange.receive(report("\"5\"")), Event::Nothing));
    assert!(matches!(exchange.receive(report("6")), Event::Nothing));
    exchange.receive(line(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#));
    assert!(
        matches!(exchange.receive(report("5")), Event::Nothing),
        "after the result"
    );
}

#[test]
fn notices_go_to_the_subscription_whose_id_they_carry() {
    let mut exchange = Exchange::new();
    exchange.begin("call", None).unwrap();
    exchange.begin_listening("a").unwrap();
    exchange.begin_listening("b").unwrap();
    let notice = |id: &str| {
        line(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"n":1}}}}"#
        ))
    };
    let Event::Notice(waiter, method, params) = exchange.receive(notice("3")) else {
        panic!()
    };
    assert_eq!((*waiter, method.as_str()), ("b", "notifications/x"));
    assert!(params.get().contains(r#""n":1"#));
    // Another type, a request that is no subscription, one that is not there, one that has ended.
    for id in ["\"3\"", "1", "4", "3.5", "null"] {
        assert!(
            matches!(exchange.receive(notice(id)), Event::Nothing),
            "{id}"
        );
    }
    exchange.receive(line(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#));
    assert!(matches!(exchange.receive(notice("3")), Event::Nothing));
}

#[test]
fn the_server_takes_back_subscriptions_and_nothing_else() {
    let mut exchange = Exchange::new();
    exchange.begin("call", None).unwrap();
    exchange.begin_listening("a").unwrap();
    let cancel = |id: u64| {
        line(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))
    };
    assert!(matches!(exchange.receive(cancel(1)), Event::Nothing));
    assert!(exchange.forget(1).is_some(), "it is still in flight");
    assert!(matches!(
        exchange.receive(cancel(2)),
        Event::Answered("a", Reply::Cancelled)
    ));
    assert!(matches!(exchange.receive(cancel(2)), Event::Nothing));
}

#[test]
fn a_malformed_notification_is_survived() {
    let mut exchange = Exchange::<()>::new();
    for params in [
        "5",
        r#"{"progressToken":1}"#,
        r#"{"progress":"x","progressToken":1}"#,
    ] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#);
        assert!(
            matches!(exchange.receive(line(&text)), Event::Nothing),
            "{params}"
        );
    }
}

#[test]
fn a_token_in_flight_is_not_given_out_twice() {
    let mut exchange = Exchange::new();
    let token = exchange.token(None);
    exchange.begin((), Some(token)).unwrap();
    assert_ne!(exchange.token(Some(token)), token);
    exchange.close("over");
    assert_eq!(exchange.token(Some(token)), token);
}

#[test]
fn closing_hands_out_every_waiter_and_refuses_the_next_with_the_first_reason() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    exchange.begin("b", None).unwrap();
    let Event::Closed(mut waiters) = exchange.receive(Received::Closed("status 3".into())) else {
        panic!()
    };
    waiters.sort_unstable();
    assert_eq!(waiters, ["a", "b"]);
    exchange.close("another reason");
    assert_eq!(exchange.begin("c", None), Err("status 3".to_owned()));
}

#[test]
fn how_the_peer_ended_replaces_that_it_took_no_more_messages() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    exchange.refuse("broken pipe");
    assert_eq!(exchange.begin("b", None), Err("broken pipe".to_owned()));
    let event = exchange.receive(Received::Closed("status 3".into()));
    assert!(matches!(event, Event::Closed(waiters) if waiters == ["a"]));
    assert_eq!(exchange.closed(), Some("status 3"));
}

#[test]
fn a_request_can_fail_alone() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    exchange.begin("b", None).unwrap();
    let failure = Failure::Failed {
        status: Some(500),
        reason: "it broke".to_owned(),
    };
    let event = exchange.receive(Received::Failed { id: 1, failure });
    assert!(matches!(event, Event::Answered("a", Reply::Failed(_))));
    assert_eq!(exchange.closed(), None);
    let event = exchange.receive(Received::Answer {
        id: 2,
        message: b"<html>".to_vec(),
    });
    assert!(matches!(event, Event::Answered("b", Reply::Malformed(_))));
}

#[test]
fn an_over_long_answer_ends_its_request_with_the_limit() {
    let mut exchange = Exchange::new();
    exchange.begin("a", None).unwrap();
    let event = exchange.receive(Received::TooLong {
        id: Some(1),
        limit: 9,
    });
    assert!(matches!(
        event,
        Event::Answered("a", Reply::TooLong { limit: 9 })
    ));
}

#[test]
fn the_log_has_no_more_than_the_beginning_of_what_a_server_wrote() {
    let long = "x\\n".repeat(10_000);
    let lines = logged(|| {
        let mut exchange = Exchange::<()>::new();
        for message in [
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{long}"}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"{long}"}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":["{long}"]}}"#),
        ] {
            exchange.receive(Received::Message(message.into_bytes()));
        }
    });
    assert_eq!(lines.len(), 3, "{}", lines.len());
    for line in lines {
        assert!(line.len() < 1_000 && !line.contains('\n'), "{}", line.len());
    }
}
