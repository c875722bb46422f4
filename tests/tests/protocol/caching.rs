//! How long and for whom results may be kept. Specification: server/utilities/caching.

use std::time::Duration;

use mcp_server::{Builder, Cached, ListPage, ResourceProvider, prelude::*, protocol::Resource};
use mcp_tests::wire::{Wire, asked};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Deserialize, JsonSchema, Form)]
struct Consent {
    agreed: bool,
}

/// Does nothing.
#[tool(read_only)]
async fn nothing() {}

/// Does nothing for some.
#[tool(read_only)]
async fn hidden() {}

#[prompt]
async fn greet() -> &'static str {
    "Greet me."
}

#[resource("plain://text")]
async fn plain() -> &'static str {
    "asked for each time"
}

#[resource("public://text")]
async fn public() -> Cached<&'static str> {
    Cached::public("everyone's", MINUTE)
}

#[resource("private://{id}")]
async fn private(id: u32) -> Option<Cached<Json<u32>>> {
    (id < 10).then(|| Cached::private(Json(id), MINUTE))
}

#[resource("asked://{id}")]
async fn after_questions(
    id: u32,
    #[elicit("Show {id}?")] consent: Resolve<Consent>,
) -> Cached<String> {
    Cached::public(format!("{id} {}", consent.agreed), MINUTE)
}

#[resource("hand://asked")]
async fn by_hand(ctx: Context) -> Result<Cached<Outcome<String>>, ToolError> {
    let agreed = ctx.input_responses().form::<Consent>("consent")?;
    let outcome = match agreed {
        Some(_) => Outcome::Complete("shown".to_owned()),
        None => Outcome::InputRequired(
            InputRequired::new()
                .form::<Consent>("consent", "Show it?")
                .state("s"),
        ),
    };
    Ok(Cached::public(outcome, MINUTE))
}

fn builder() -> Builder {
    Server::builder("shop", "1.0.0")
        .tools(tools![nothing])
        .prompts(prompts![greet])
        .resources(resources![plain, public, private, after_questions, by_hand])
        .list_ttl(MINUTE)
}

fn hints(answer: &Value) -> (&Value, &Value) {
    (&answer["result"]["ttlMs"], &answer["result"]["cacheScope"])
}

const LISTS: [&str; 5] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

async fn scopes(server: &Server) -> Vec<Value> {
    let mut wire = Wire::open(server);
    let mut scopes = Vec::new();
    for method in LISTS {
        let answer = wire.request(method, json!({})).await;
        let (ttl, scope) = hints(&answer);
        assert_eq!(*ttl, 60_000, "{method}");
        scopes.push(scope.clone());
    }
    scopes
}

#[tokio::test]
async fn lists_are_private_unless_the_author_says_otherwise() {
    let scopes = scopes(&builder().build().unwrap()).await;
    assert_eq!(scopes, ["private"; 5]);
}

#[tokio::test]
async fn public_lists_are_public() {
    let scopes = scopes(&builder().public_lists().build().unwrap()).await;
    assert_eq!(scopes, ["public"; 5]);
}

#[tokio::test]
async fn a_list_that_some_see_more_of_stays_private() {
    let server = builder()
        .tools(tools![hidden].visible_to(|_| true))
        .public_lists()
        .build()
        .unwrap();
    assert_eq!(
        scopes(&server).await,
        ["public", "private", "public", "public", "public"]
    );
}

struct Nobody;

impl ResourceProvider for Nobody {
    type Contents = Option<Cached<String>>;

    async fn list(&self, _: Option<&str>, _: &Context) -> Result<ListPage<Resource>, ToolError> {
        Ok(ListPage::default())
    }

    async fn read(&self, uri: &str, _: &Context) -> Self::Contents {
        (uri == "nobody://1").then(|| Cached::private("provided".to_owned(), MINUTE))
    }
}

#[tokio::test]
async fn a_list_that_a_provider_has_a_part_in_stays_private() {
    let server = builder().resource_provider(Nobody).public_lists().build();
    assert_eq!(
        scopes(&server.unwrap()).await,
        ["public", "public", "public", "private", "private"]
    );
}

/// Specification: server/utilities/caching, Interaction with Pagination.
#[tokio::test]
async fn all_pages_have_the_same_scope() {
    for public in [true, false] {
        let builder = builder().page_size(1).tools(tools![hidden]);
        let builder = if public {
            builder.public_lists()
        } else {
            builder
        };
        let mut wire = Wire::open(&builder.build().unwrap());
        let first = wire.request("tools/list", json!({})).await;
        let cursor = &first["result"]["nextCursor"];
        let second = wire.request("tools/list", json!({"cursor": cursor})).await;
        assert_eq!(second["result"]["tools"][0]["name"], "hidden");
        assert_eq!(hints(&first), hints(&second));
        assert_eq!(*hints(&first).1, if public { "public" } else { "private" });
    }
}

#[tokio::test]
async fn contents_are_kept_for_as_long_as_the_resource_says() {
    let server = builder().resource_provider(Nobody).build().unwrap();
    let mut wire = Wire::open(&server);
    for (uri, ttl, scope) in [
        ("plain://text", 0, "private"),
        ("public://text", 60_000, "public"),
        ("private://7", 60_000, "private"),
        ("nobody://1", 60_000, "private"),
    ] {
        let answer = wire.request("resources/read", json!({"uri": uri})).await;
        assert_eq!(hints(&answer), (&json!(ttl), &json!(scope)), "{uri}");
    }
    let answer = wire
        .request("resources/read", json!({"uri": "private://77"}))
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// Nobody would look up by the answers what came after them.
#[tokio::test]
async fn questions_and_what_comes_after_them_are_not_kept() {
    let mut wire = Wire::open(&builder().build().unwrap());
    for uri in ["asked://7", "hand://asked"] {
        let question = wire.request("resources/read", json!({"uri": uri})).await;
        let [key] = asked(&question)[..] else {
            panic!("{question}");
        };
        assert_eq!(hints(&question), (&Value::Null, &Value::Null), "{question}");
        let mut retry = json!({"uri": uri, "requestState": question["result"]["requestState"]});
        retry["inputResponses"][key] = json!({"action": "accept", "content": {"agreed": true}});
        let answer = wire.request("resources/read", retry).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        assert_eq!(hints(&answer), (&json!(0), &json!("private")), "{answer}");
    }
}
