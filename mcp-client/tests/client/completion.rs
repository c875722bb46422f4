//! Suggestions for arguments, and which methods may not ask.

use mcp_client::protocol::{Completion, CompletionReference};
use mcp_client::{Error, Subscription};
use serde_json::json;

use crate::support::{answering, asks, builder, confirm, connect};

#[tokio::test(start_paused = true)]
async fn a_prompt_argument_is_completed_with_the_context_so_far() {
    let (client, mut fake) = connect(builder()).await;
    let completing = tokio::spawn(async move {
        let prompt = CompletionReference::prompt("code_review");
        let context = json!({"language": "python"});
        client.complete(prompt, "framework", "fla", context).await
    });
    let request = fake.request("completion/complete").await;
    let mut params = request.params().clone();
    params.as_object_mut().unwrap().remove("_meta").unwrap();
    assert_eq!(
        params,
        json!({
            "ref": {"type": "ref/prompt", "name": "code_review"},
            "argument": {"name": "framework", "value": "fla"},
            "context": {"arguments": {"language": "python"}}
        })
    );
    let completion = json!({"values": ["flask"], "total": 1, "hasMore": false});
    fake.reply(
        &request,
        json!({"resultType": "complete", "completion": completion}),
    )
    .await;
    assert_eq!(
        completing.await.unwrap().unwrap(),
        Completion {
            values: vec!["flask".to_owned()],
            total: Some(1),
            has_more: Some(false),
        }
    );
}

#[tokio::test(start_paused = true)]
async fn a_variable_of_a_template_is_completed_without_context() {
    let (client, mut fake) = connect(builder()).await;
    let completing = tokio::spawn(async move {
        let template = CompletionReference::resource("file:///{path}");
        client.complete(template, "path", "", ()).await
    });
    let request = fake.request("completion/complete").await;
    assert_eq!(
        request.params()["ref"],
        json!({"type": "ref/resource", "uri": "file:///{path}"})
    );
    assert_eq!(request.params().get("context"), None);
    // The total and whether there is more may be missing.
    fake.reply(&request, json!({"completion": {"values": []}}))
        .await;
    assert_eq!(completing.await.unwrap().unwrap(), Completion::default());
}

#[tokio::test(start_paused = true)]
async fn methods_that_may_not_ask_are_in_error_if_they_do() {
    for method in [
        "server/discover",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "completion/complete",
        "subscriptions/listen",
    ] {
        let (builder, shown) = answering(json!({"confirm": true}));
        let (client, mut fake) = connect(builder).await;
        let asking = tokio::spawn(async move {
            match method {
                "server/discover" => client.discover().await.map(drop),
                "prompts/list" => client.list_prompts().await.map(drop),
                "resources/list" => client.list_resources().await.map(drop),
                "resources/templates/list" => client.list_resource_templates().await.map(drop),
                "completion/complete" => {
                    let prompt = CompletionReference::prompt("p");
                    client.complete(prompt, "a", "", ()).await.map(drop)
                }
                _ => client
                    .subscribe(Subscription::new().tools())
                    .await
                    .map(drop),
            }
        });
        let request = fake.request(method).await;
        fake.reply(&request, asks(json!({"k": confirm("?")}), json!("s")))
            .await;
        let error = asking.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, Error::MayNotAsk { method: named } if named == method),
            "{method}: {error}"
        );
        assert!(shown.lock().unwrap().is_empty());
        assert!(
            fake.next().await.is_none(),
            "{method}: the state goes nowhere"
        );
    }
}
