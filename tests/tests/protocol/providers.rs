//! Resources and prompts that are not known when the server is built.

use std::{collections::BTreeMap, sync::Arc};

use mcp_server::{
    Builder, Completing, Completion, ListPage, PromptMessage, PromptProvider, ResourceProvider,
    RpcError,
    prelude::*,
    protocol::{Prompt, Resource, ResourceTemplate},
    state::Principal,
};
use mcp_tests::wire::{Wire, asked, code};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema, Form)]
struct Consent {
    agreed: bool,
}

/// Notes `{scheme}://0` and so on, two on a page.
struct Notes {
    scheme: &'static str,
    texts: Vec<&'static str>,
}

impl Notes {
    fn number(&self, uri: &str) -> Option<usize> {
        let number = uri.strip_prefix(self.scheme)?.strip_prefix("://")?;
        number.parse().ok().filter(|&at| at < self.texts.len())
    }
}

impl ResourceProvider for Notes {
    type Contents = Result<Option<Outcome<String>>, ToolError>;

    async fn list(
        &self,
        cursor: Option<&str>,
        _: &Context,
    ) -> Result<ListPage<Resource>, ToolError> {
        let from: usize = match cursor {
            None => 0,
            Some(cursor) => cursor
                .parse()
                .map_err(|_| ListPage::<()>::unknown_cursor())?,
        };
        let to = self.texts.len().min(from + 2);
        let named = |at| {
            Resource::new(
                format!("{}://{at}", self.scheme),
                format!("{} {at}", self.scheme),
            )
        };
        Ok(ListPage {
            items: (from..to).map(named).collect(),
            next_cursor: (to < self.texts.len()).then(|| to.to_string()),
        })
    }

    async fn templates(
        &self,
        _: Option<&str>,
        _: &Context,
    ) -> Result<ListPage<ResourceTemplate>, ToolError> {
        let template = ResourceTemplate::new(format!("{}://{{id}}", self.scheme), self.scheme);
        Ok(vec![template].into())
    }

    async fn read(&self, uri: &str, ctx: &Context) -> Self::Contents {
        let Some(at) = self.number(uri) else {
            return Ok(None);
        };
        match self.texts[at] {
            "secret" => {
                if let Some(Elicit::Accept(Consent { agreed: true })) =
                    ctx.input_responses().form("consent")?
                {
                    let remembered = ctx.request_state().unwrap_or_default();
                    return Ok(Some(Outcome::Complete(format!("the secret, {remembered}"))));
                }
                ctx.require(Kind::Form)?;
                let question = InputRequired::new().form::<Consent>("consent", "Show it?");
                Ok(Some(Outcome::InputRequired(question.state("remembered"))))
            }
            "broken" => Err("x".parse::<u8>().unwrap_err().into()),
            "who" => Ok(Some(Outcome::Complete(format!(
                "{} {:?}",
                ctx.target(),
                ctx.principal()
            )))),
            text => Ok(Some(Outcome::Complete(text.to_owned()))),
        }
    }

    fn can_subscribe(&self, uri: &str, _: &Principal) -> bool {
        self.number(uri).is_some()
    }

    async fn complete(
        &self,
        template: &str,
        variable: &str,
        typing: &Completing,
    ) -> Result<Option<Completion>, ToolError> {
        if template != format!("{}://{{id}}", self.scheme) || variable != "id" {
            return Ok(None);
        }
        let all = (0..250).map(|id| format!("{id}"));
        Ok(Some(Completion {
            values: all.filter(|id| id.starts_with(typing.value())).collect(),
            ..Completion::default()
        }))
    }
}

/// A resource that was there when the server was built.
#[resource("note://0")]
async fn first() -> &'static str {
    "static"
}

#[resource("about://server")]
async fn about() -> &'static str {
    "a server"
}

fn notes(scheme: &'static str, texts: &[&'static str]) -> Notes {
    let texts = texts.to_vec();
    Notes { scheme, texts }
}

fn builder() -> Builder {
    Server::builder("notes", "1.0.0")
}

/// Two providers behind two resources.
fn both() -> Server {
    builder()
        .resources(resources![about, first])
        .resource_provider(notes("note", &["hidden", "one", "two"]))
        .resource_provider(notes("memo", &["memo", "secret", "broken", "who"]))
        .build()
        .unwrap()
}

async fn read(wire: &mut Wire, uri: &str) -> Value {
    wire.request("resources/read", json!({"uri": uri})).await
}

async fn text(wire: &mut Wire, uri: &str) -> String {
    let answer = read(wire, uri).await;
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["uri"], uri, "{answer}");
    contents["text"].as_str().unwrap().to_owned()
}

/// The pages of a list, each as the values of one member; follows cursors.
async fn pages(wire: &mut Wire, method: &str, member: &str, key: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let mut answer = wire.request(method, params).await;
        let entries = answer["result"][member]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"));
        pages.push(
            entries
                .iter()
                .map(|entry| entry[key].as_str().unwrap().to_owned())
                .collect(),
        );
        match answer["result"]["nextCursor"].take() {
            Value::Null => return pages,
            cursor => params = json!({"cursor": cursor}),
        }
        assert!(pages.len() < 20, "the list has no end");
    }
}

#[tokio::test]
async fn what_was_there_before_comes_first_and_then_each_provider_in_order() {
    let mut wire = Wire::open(&both());
    let pages = pages(&mut wire, "resources/list", "resources", "uri").await;
    assert_eq!(
        pages,
        [
            vec!["about://server", "note://0", "note://0", "note://1"],
            vec!["note://2", "memo://0", "memo://1"],
            vec!["memo://2", "memo://3"],
        ]
    );
}

#[tokio::test]
async fn a_full_page_does_not_go_on() {
    let server = builder()
        .resources(resources![about, first])
        .page_size(2)
        .resource_provider(notes("note", &["zero", "one"]))
        .resource_provider(notes("memo", &["memo"]))
        .build()
        .unwrap();
    let pages = pages(
        &mut Wire::open(&server),
        "resources/list",
        "resources",
        "uri",
    )
    .await;
    assert_eq!(
        pages,
        [
            vec!["about://server", "note://0"],
            vec!["note://0", "note://1"],
            vec!["memo://0"],
        ]
    );
}

#[tokio::test]
async fn pages_of_what_was_there_before_end_before_a_provider_is_asked() {
    let server = builder()
        .resources(resources![about, first])
        .page_size(1)
        .resource_provider(notes("note", &["zero"]))
        .build()
        .unwrap();
    let pages = pages(
        &mut Wire::open(&server),
        "resources/list",
        "resources",
        "uri",
    )
    .await;
    assert_eq!(
        pages,
        [vec!["about://server"], vec!["note://0"], vec!["note://0"]]
    );
}

#[tokio::test]
async fn templates_of_providers_are_listed_too() {
    let mut wire = Wire::open(&both());
    let pages = pages(
        &mut wire,
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
    )
    .await;
    assert_eq!(pages, [vec!["note://{id}", "memo://{id}"]]);
}

/// Specification: server/utilities/pagination: cursors are stable.
#[tokio::test]
async fn a_cursor_means_the_same_to_another_instance() {
    let mut one = Wire::open(&both());
    let first = one.request("resources/list", json!({})).await;
    let cursor = json!({"cursor": first["result"]["nextCursor"]});
    let second = one.request("resources/list", cursor.clone()).await;
    let mut other = Wire::open(&both());
    let elsewhere = other.request("resources/list", cursor).await;
    assert_eq!(
        elsewhere["result"]["resources"],
        second["result"]["resources"]
    );
    assert_eq!(elsewhere["result"]["resources"][0]["uri"], "note://2");
}

#[tokio::test]
async fn a_cursor_that_nobody_gave_is_invalid() {
    let mut wire = Wire::open(&both());
    // Nobody's; one of a provider that is not there; one that the first provider does not know (`\0 0 \0 x`); no text.
    for cursor in [
        json!("bm9ib2R5"),
        json!("ADc"),
        json!("ADAAeA"),
        json!("!"),
        json!(7),
    ] {
        let answer = wire
            .request("resources/list", json!({"cursor": cursor}))
            .await;
        assert_eq!(code(&answer), -32602, "{cursor}: {answer}");
    }
}

#[tokio::test]
async fn providers_are_asked_in_order_for_what_no_function_is_there_for() {
    let mut wire = Wire::open(&both());
    assert_eq!(text(&mut wire, "note://0").await, "static");
    assert_eq!(text(&mut wire, "note://2").await, "two");
    assert_eq!(text(&mut wire, "memo://0").await, "memo");
}

/// Specification: server/resources, Error Handling.
#[tokio::test]
async fn what_no_provider_has_is_not_found() {
    let mut wire = Wire::open(&both());
    let answer = read(&mut wire, "note://77").await;
    assert_eq!(code(&answer), -32602);
    assert_eq!(answer["error"]["data"]["uri"], "note://77");
    let answer = wire.request("resources/read", json!({})).await;
    assert_eq!(code(&answer), -32602);
}

#[tokio::test]
async fn a_providers_own_error_is_the_servers_and_its_text_is_not_shown() {
    let mut wire = Wire::open(&both());
    let answer = read(&mut wire, "memo://2").await;
    assert_eq!(code(&answer), -32603);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(!message.contains("digit"), "{message}");
}

#[tokio::test]
async fn a_provider_knows_what_is_read_and_by_whom() {
    let mut wire = Wire::open(&both());
    let who = text(&mut wire, "memo://3").await;
    assert_eq!(who, format!("memo://3 {:?}", Principal::Local));
}

/// Specification: basic/patterns/mrtr.
#[tokio::test]
async fn reading_asks_by_hand_and_the_state_is_bound_to_the_uri() {
    let mut wire = Wire::open(&both());
    let question = read(&mut wire, "memo://1").await;
    assert_eq!(asked(&question), ["consent"]);
    assert_eq!(question["result"].get("ttlMs"), None, "{question}");
    assert_eq!(question["result"].get("cacheScope"), None, "{question}");
    let retry = |uri: &str| {
        json!({
            "uri": uri,
            "inputResponses": {"consent": {"action": "accept", "content": {"agreed": true}}},
            "requestState": question["result"]["requestState"],
        })
    };
    let answer = wire.request("resources/read", retry("memo://0")).await;
    assert_eq!(code(&answer), -32602, "{answer}");
    let answer = wire.request("resources/read", retry("memo://1")).await;
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["text"], "the secret, remembered", "{answer}");
}

/// Specification: server/utilities/completion.
#[tokio::test]
async fn variables_of_a_providers_template_are_completed() {
    let mut wire = Wire::open(&both());
    let complete = |uri: &str, name: &str, value: &str| json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": value}});
    let answer = wire
        .request("completion/complete", complete("memo://{id}", "id", "24"))
        .await;
    let values = answer["result"]["completion"]["values"].as_array().unwrap();
    assert_eq!(values.len(), 11, "{answer}");
    let answer = wire
        .request("completion/complete", complete("memo://{id}", "id", ""))
        .await;
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&completion["hasMore"], &completion["total"]),
        (&json!(true), &json!(250))
    );
    let answer = wire
        .request("completion/complete", complete("other://{id}", "id", ""))
        .await;
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!([]),
        "{answer}"
    );
}

/// Specification: basic/patterns/subscriptions, Acknowledgment.
#[tokio::test]
async fn only_what_a_provider_allows_can_be_subscribed_to() {
    let server = both();
    let mut wire = Wire::open(&server);
    let wanted = json!({"resourceSubscriptions": ["note://1", "note://9", "memo://0"]});
    wire.begin("subscriptions/listen", json!({"notifications": wanted}))
        .await;
    let acknowledged = wire.receive().await;
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"resourceSubscriptions": ["memo://0", "note://1"]})
    );
    server.notify().resource_updated("memo://0");
    let updated = wire.receive().await;
    assert_eq!(updated["params"]["uri"], "memo://0", "{updated}");
}

#[tokio::test]
async fn a_server_with_a_provider_alone_offers_resources_and_nothing_else() {
    let server = builder()
        .resource_provider(notes("note", &[]))
        .build()
        .unwrap();
    let mut wire = Wire::open(&server);
    let answer = wire.request("server/discover", json!({})).await;
    assert_eq!(
        answer["result"]["capabilities"],
        json!({
            "completions": {},
            "logging": {},
            "resources": {"listChanged": true, "subscribe": true},
        })
    );
    let answer = wire.request("resources/list", json!({})).await;
    assert_eq!(answer["result"]["resources"], json!([]));
    let answer = wire.request("tools/list", json!({})).await;
    assert_eq!(code(&answer), -32601);
}

/// Says what each caller may see.
struct PerCaller;

impl ResourceProvider for PerCaller {
    type Contents = &'static str;

    async fn list(&self, _: Option<&str>, ctx: &Context) -> Result<ListPage<Resource>, ToolError> {
        let name = ctx.client_info().map(|info| info.name).unwrap_or_default();
        Ok(vec![Resource::new("mine://1", name)].into())
    }

    async fn read(&self, _: &str, _: &Context) -> &'static str {
        "mine"
    }
}

#[tokio::test]
async fn a_list_is_made_for_its_caller() {
    let server = builder().resource_provider(PerCaller).build().unwrap();
    let mut wire = Wire::open(&server);
    for name in ["Ada", "Grace"] {
        wire.meta["io.modelcontextprotocol/clientInfo"]["name"] = json!(name);
        let answer = wire.request("resources/list", json!({})).await;
        assert_eq!(answer["result"]["resources"][0]["name"], name);
        assert_eq!(answer["result"]["cacheScope"], "private");
    }
}

/// Panics behind an await, where nobody reads messages any more.
struct Panics;

impl ResourceProvider for Panics {
    type Contents = &'static str;

    async fn list(&self, _: Option<&str>, _: &Context) -> Result<ListPage<Resource>, ToolError> {
        tokio::task::yield_now().await;
        panic!("the list is not there")
    }

    async fn read(&self, _: &str, _: &Context) -> &'static str {
        tokio::task::yield_now().await;
        panic!("the note is not there")
    }
}

#[tokio::test]
async fn a_provider_that_panics_is_an_error_for_that_request_alone() {
    let server = builder().resource_provider(Panics).build().unwrap();
    let mut wire = Wire::open(&server);
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "a:1"})),
    ] {
        let answer = wire.request(method, params).await;
        assert_eq!(code(&answer), -32603, "{answer}");
    }
    let answer = wire.request("resources/templates/list", json!({})).await;
    assert_eq!(answer["result"]["resourceTemplates"], json!([]));
}

/// Prompts from a table.
struct Texts(BTreeMap<&'static str, &'static str>);

impl PromptProvider for Texts {
    type Messages = Result<Option<Vec<PromptMessage>>, ToolError>;

    async fn list(&self, cursor: Option<&str>, _: &Context) -> Result<ListPage<Prompt>, ToolError> {
        let (name, _) = match cursor {
            None => self.0.iter().next(),
            Some(name) => self.0.range(name..).next(),
        }
        .ok_or_else(ListPage::<()>::unknown_cursor)?;
        let after = self.0.keys().find(|other| *other > name);
        Ok(ListPage {
            items: vec![Prompt::new(*name)],
            next_cursor: after.map(|name| (*name).to_owned()),
        })
    }

    async fn get(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        ctx: &Context,
    ) -> Self::Messages {
        assert_eq!((ctx.target(), ctx.method()), (name, "prompts/get"));
        let Some(text) = self.0.get(name) else {
            return Ok(None);
        };
        let Some(who) = arguments.get("who") else {
            let error = RpcError::invalid_params("`who` is missing");
            return Err(ToolError::protocol(error));
        };
        Ok(Some(vec![PromptMessage::user(format!("{text} {who}"))]))
    }

    async fn complete(
        &self,
        name: &str,
        argument: &str,
        typing: &Completing,
    ) -> Result<Option<Completion>, ToolError> {
        let known = self.0.contains_key(name) && argument == "who";
        Ok(known.then(|| Completion {
            values: vec![format!(
                "{}da {:?}",
                typing.value(),
                typing.argument("tone")
            )],
            ..Completion::default()
        }))
    }
}

#[prompt]
async fn wave() -> &'static str {
    "Wave."
}

fn prompts() -> Server {
    builder()
        .prompts(prompts![wave])
        .prompt_provider(Texts(
            [("greet", "Greet"), ("hug", "Hug"), ("wave", "Never")].into(),
        ))
        .prompt_provider(Texts([("nod", "Nod to")].into()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn prompts_are_listed_page_by_page() {
    let pages = pages(
        &mut Wire::open(&prompts()),
        "prompts/list",
        "prompts",
        "name",
    )
    .await;
    assert_eq!(
        pages,
        [vec!["wave", "greet"], vec!["hug"], vec!["wave", "nod"]]
    );
}

#[tokio::test]
async fn prompts_are_filled_in_by_the_first_provider_that_has_them() {
    let mut wire = Wire::open(&prompts());
    for (name, text) in [("hug", "Hug Ada"), ("nod", "Nod to Ada"), ("wave", "Wave.")] {
        // What was there before takes no arguments.
        let arguments = if name == "wave" {
            json!({})
        } else {
            json!({"who": "Ada"})
        };
        let answer = wire
            .request("prompts/get", json!({"name": name, "arguments": arguments}))
            .await;
        assert_eq!(
            answer["result"]["messages"][0]["content"]["text"], text,
            "{answer}"
        );
    }
}

/// Specification: server/prompts, Error Handling.
#[tokio::test]
async fn prompts_that_no_provider_has_and_arguments_that_are_no_text_are_invalid() {
    let mut wire = Wire::open(&prompts());
    for params in [
        json!({"name": "shout", "arguments": {"who": "Ada"}}),
        json!({"name": "greet", "arguments": {"who": 7}}),
        json!({"name": "greet", "arguments": []}),
        json!({"name": "greet"}),
        json!({}),
    ] {
        let answer = wire.request("prompts/get", params.clone()).await;
        assert_eq!(code(&answer), -32602, "{params}: {answer}");
    }
}

#[tokio::test]
async fn arguments_of_a_providers_prompt_are_completed() {
    let mut wire = Wire::open(&prompts());
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "nod"},
        "argument": {"name": "who", "value": "A"},
        "context": {"arguments": {"tone": "warm"}},
    });
    let answer = wire.request("completion/complete", params).await;
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["Ada Some(\"warm\")"])
    );
}

/// Layers are around what providers do, once, however many providers are asked.
#[tokio::test]
async fn the_servers_layers_are_around_providers() {
    struct Seen(Arc<std::sync::Mutex<Vec<String>>>);

    impl mcp_server::CallLayer for Seen {
        fn call<'a>(
            &'a self,
            ctx: Context,
            next: mcp_server::Next<'a>,
        ) -> mcp_server::LayerFuture<'a> {
            self.0.lock().unwrap().push(format!(
                "{} {} {}",
                ctx.method(),
                ctx.name(),
                ctx.target()
            ));
            next.run(ctx)
        }
    }

    let seen = Arc::default();
    let server = builder()
        .layer(Seen(Arc::clone(&seen)))
        .resource_provider(notes("note", &[]))
        .resource_provider(notes("memo", &["memo"]))
        .build()
        .unwrap();
    assert_eq!(text(&mut Wire::open(&server), "memo://0").await, "memo");
    assert_eq!(
        *seen.lock().unwrap(),
        ["resources/read resource provider memo://0"]
    );
}
