//! The client of this project against the server of this project: rounds by themselves, by hand, and across processes.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use mcp_client::{
    Answer, CallOptions, Client, Consent, Error, IoTransport, Kind as Declared, PausedCall, Round,
};
use mcp_server::prelude::*;
use mcp_server::state::{Key, KeyRing, Sealing};
use mcp_server::testing::BodyCount;
use mcp_server::{LoggingLevel, Progress, Roots, Sampled};
use serde_json::json;

use crate::support::{Amount, Confirm, Counter};

/// Orders: two forms and a page.
#[tool(once)]
async fn order(
    sku: String,
    ctx: Context,
    visits: State<Counter>,
    #[elicit("Order {sku}?")] confirm: Resolve<Confirm>,
    #[elicit("How many?")] amount: Resolve<Amount>,
    #[resolve(pay(&visits, amount.amount))] paid: Resolve<String>,
) -> Json<Order> {
    ctx.progress(Progress::new(1.0).total(1.0));
    ctx.log(LoggingLevel::Info, "ordered");
    Json(Order {
        sku,
        amount: amount.amount,
        paid: paid.into_inner(),
    })
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Order {
    sku: String,
    amount: u8,
    paid: String,
}

/// The page has been visited when it was offered twice.
fn pay(visits: &Counter, amount: u8) -> Ask<String> {
    if visits.add() > 2 {
        return Ask::ready(format!("paid for {amount}"));
    }
    Ask::url("Pay on our page.", "https://pay.example/1")
}

/// Asks the host's model and for its roots.
#[tool]
async fn describe(
    #[resolve(sample())] line: Resolve<Sampled>,
    #[resolve(Ask::roots())] roots: Resolve<Roots>,
) -> String {
    format!("{} {}", line.model, roots.roots.len())
}

fn sample() -> Ask<Sampled> {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "A line?"}}],
        "maxTokens": 20,
    });
    Ask::sample(serde_json::from_value(params).unwrap())
}

/// Waits until it is dropped.
#[tool]
async fn forever(dropped: State<Dropped>) -> String {
    struct Guard<'a>(&'a Dropped);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.0.add();
        }
    }
    let _guard = Guard(&dropped);
    std::future::pending().await
}

#[derive(Default)]
struct Dropped(Counter);

/// Is not ready for a while.
#[tool]
async fn not_yet(rounds: State<Counter>, ctx: Context) -> Outcome<String> {
    if rounds.add() > 3 {
        return Outcome::Complete(format!("ready in round {}", ctx.round()));
    }
    Outcome::InputRequired(InputRequired::new().state("later"))
}

struct Shop {
    server: Server,
    bodies: BodyCount,
    dropped: Arc<Dropped>,
}

fn shop(key: &Key) -> Shop {
    let (bodies, dropped) = (BodyCount::new(), Arc::new(Dropped::default()));
    let server = Server::builder("shop", "1.0.0")
        .state(Counter::default())
        .shared_state(dropped.clone())
        .request_state(Sealing::encrypted(KeyRing::new([key.clone()]).unwrap()))
        .single_instance()
        .tools(tools![order, describe, forever, not_yet])
        .layer(bodies.clone())
        .build()
        .unwrap();
    Shop {
        server,
        bodies,
        dropped,
    }
}

fn new_shop() -> Shop {
    shop(&Key::generate().unwrap())
}

async fn connect(builder: mcp_client::Builder, server: &Server) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.serve(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    builder
        .connect(IoTransport::new(reader, writer))
        .await
        .unwrap()
}

fn host() -> mcp_client::Builder {
    Client::builder("host", "1.0.0")
}

#[tokio::test]
async fn a_call_goes_through_all_its_rounds_by_itself() {
    let shop = new_shop();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (forms, pages, steps) = (seen.clone(), seen.clone(), seen.clone());
    let client = connect(
        host()
            .on_form(move |question| {
                forms.lock().unwrap().push(question.message.clone());
                async move {
                    Ok(match question.key.as_str() {
                        "confirm" => Answer::accept(json!({"confirm": true}))?,
                        _ => Answer::accept(json!({"amount": 3}))?,
                    })
                }
            })
            .on_url(move |question| {
                pages.lock().unwrap().push(question.url);
                async { Ok(Consent::Accept) }
            })
            .on_progress(move |report| {
                steps.lock().unwrap().push(format!("{}", report.progress));
            }),
        &shop.server,
    )
    .await;
    let call = client
        .call_tool("order", json!({"sku": "KG-1"}))
        .await
        .unwrap();
    let expected = Order {
        sku: "KG-1".to_owned(),
        amount: 3,
        paid: "paid for 3".to_owned(),
    };
    assert_eq!(call.structured::<Order>().unwrap(), expected);
    assert_eq!(call.rounds, 4);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "Order KG-1?",
            "How many?",
            "https://pay.example/1",
            "https://pay.example/1",
            "1"
        ]
    );
    shop.bodies.assert_ran("order", 1);
}

#[tokio::test]
async fn models_and_roots_are_asked_too() {
    let shop = new_shop();
    let client = connect(
        host()
            .on_sampling(|_| async {
                let result = json!({
                    "role": "assistant", "model": "m-1",
                    "content": {"type": "text", "text": "Eggs."},
                });
                Ok(serde_json::from_value(result)?)
            })
            .on_roots(|_| async {
                Ok(serde_json::from_value(
                    json!({"roots": [{"uri": "file:///a"}]}),
                )?)
            }),
        &shop.server,
    )
    .await;
    let call = client.call_tool("describe", ()).await.unwrap();
    assert_eq!(call.text(), "m-1 1");
    assert_eq!(call.rounds, 2);
}

/// A handler that fails is no decline: nothing is sent, and the body never runs.
#[tokio::test]
async fn a_failed_handler_ends_the_call_and_a_missing_one_is_named() {
    let shop = new_shop();
    let client = connect(
        host()
            .on_form(|_| async { Err("the screen is gone".into()) })
            .on_url(|_| async { Ok(Consent::Accept) }),
        &shop.server,
    )
    .await;
    let failed = client
        .call_tool("order", json!({"sku": "a"}))
        .await
        .unwrap_err();
    assert!(
        matches!(&failed, Error::Handler { key, .. } if key == "confirm"),
        "{failed}"
    );
    let client = connect(host(), &shop.server).await;
    let missing = client
        .call_tool("order", json!({"sku": "a"}))
        .await
        .unwrap_err();
    assert!(
        matches!(&missing, Error::MissingCapability { required, .. } if *required == json!({"elicitation": {"form": {}}})),
        "{missing}"
    );
    assert_eq!(missing.code(), Some(-32021));
    shop.bodies.assert_ran("order", 0);
}

/// A paused call is text: another process resumes it, over another connection, on another replica.
#[tokio::test]
async fn a_paused_call_is_resumed_elsewhere() {
    let key = Key::generate().unwrap();
    let (one, two) = (shop(&key), shop(&key));
    let session = connect(host(), &one.server)
        .await
        .session()
        .declare(Declared::Form)
        .declare(Declared::Url);
    let Round::InputRequired(mut paused) = session
        .call_tool("order", json!({"sku": "KG-1"}))
        .await
        .unwrap()
    else {
        panic!("it asks first");
    };
    let keys: Vec<&str> = paused
        .requests()
        .iter()
        .map(|request| request.key())
        .collect();
    assert_eq!(keys, ["confirm", "amount"]);
    // What does not fit the form never leaves the client.
    let unfit = paused.answer("amount", Answer::accept(json!({"amount": 99})).unwrap());
    assert!(
        matches!(unfit, Err(Error::InvalidAnswer { .. })),
        "{unfit:?}"
    );
    paused
        .answer("confirm", Answer::accept(json!({"confirm": true})).unwrap())
        .unwrap();
    let saved = serde_json::to_string(&paused).unwrap();
    drop(session);

    let mut paused: PausedCall = serde_json::from_str(&saved).unwrap();
    paused
        .answer("amount", Answer::accept(json!({"amount": 2})).unwrap())
        .unwrap();
    let session = connect(host(), &two.server)
        .await
        .session()
        .declare(Declared::Form)
        .declare(Declared::Url);
    let mut round = paused.resume(&session).await.unwrap();
    for _ in 0..2 {
        let Round::InputRequired(mut paused) = round else {
            panic!("it offers the page");
        };
        paused.answer("paid", Consent::Accept).unwrap();
        round = paused.resume(&session).await.unwrap();
    }
    let Round::Complete(call) = round else {
        panic!("the page was visited");
    };
    assert_eq!(call.structured::<Order>().unwrap().amount, 2);
    one.bodies.assert_ran("order", 0);
    two.bodies.assert_ran("order", 1);
}

/// Whoever gives up a call, by time or by leaving, ends the work on the server.
#[tokio::test]
async fn giving_up_ends_the_work_on_the_server() {
    let shop = new_shop();
    let client = connect(host(), &shop.server).await;
    let ended = async |times: u32| {
        for _ in 0..500 {
            if shop.dropped.0.get() == times {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!(
            "{} bodies were dropped, expected {times}",
            shop.dropped.0.get()
        );
    };
    let options = CallOptions::new().request_timeout(Duration::from_millis(100));
    let late = client
        .call_tool_with("forever", (), options)
        .await
        .unwrap_err();
    assert!(matches!(late, Error::Timeout { .. }), "{late}");
    ended(1).await;
    let left =
        tokio::time::timeout(Duration::from_millis(100), client.call_tool("forever", ())).await;
    assert!(left.is_err());
    ended(2).await;
    assert_eq!(client.discover().await.unwrap().supported_versions.len(), 1);
}

/// A server that is not ready is not asked again at once.
#[tokio::test]
async fn rounds_without_a_question_are_paced() {
    let shop = new_shop();
    let client = connect(host(), &shop.server).await;
    let begin = Instant::now();
    let call = client.call_tool("not_yet", ()).await.unwrap();
    assert_eq!(call.text(), "ready in round 4");
    // 50, 100 and 200 ms.
    assert!(
        begin.elapsed() >= Duration::from_millis(350),
        "{:?}",
        begin.elapsed()
    );
}
