//! `host resources`, `host read` and `host watch`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use mcp_client::{
    Change, Client, End, Error, Subscription,
    protocol::{ReadResourceResult, Resource, ResourceTemplate},
};
use serde_json::json;

use super::{
    Host,
    asking::Asking,
    clean::{clean, clean_line},
    cli::{Read, Server, Watch},
    client, say,
};
use crate::AnyError;

pub(super) async fn list(host: &Host, server: &Server) -> Result<ExitCode, AnyError> {
    let list = async |client: &Client| {
        let resources = client.list_resources().await?;
        Ok((resources, client.list_resource_templates().await?))
    };
    let (resources, templates) = host.run(server, client(), list).await?;
    let all = json!({ "resources": resources, "resourceTemplates": templates });
    host.print(&all, || {
        let resources = resources.iter().map(describe);
        resources
            .chain(templates.iter().map(describe_template))
            .collect()
    })
}

pub(super) async fn read(host: &Host, read: Read) -> Result<ExitCode, AnyError> {
    let asking = Asking::new(read.answers);
    let result = host
        .run(&read.server, asking.client(), async |client| {
            client.read_resource(read.uri).await
        })
        .await;
    asking.finish(&result);
    let result = result?;
    if host.json {
        return host.print(&result, Vec::new);
    }
    write(&result, &mut io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// Text made fit for a terminal, bytes as they are: `host read URI > FILE`.
fn write(result: &ReadResourceResult, output: &mut impl Write) -> Result<(), AnyError> {
    for contents in &result.contents {
        match contents.text() {
            Some(text) => writeln!(output, "{}", clean(text))?,
            None => output.write_all(&contents.bytes()?)?,
        }
    }
    Ok(())
}

pub(super) async fn watch(host: &Host, watch: Watch) -> Result<ExitCode, AnyError> {
    let lists = Subscription::new().tools().prompts().resources();
    let wanted = watch.uris.into_iter().fold(lists, Subscription::resource);
    let printed = host
        .run(&watch.server, client(), async |client| {
            let mut changes = client.subscribe(wanted.reconnect()).await?;
            while let Some(change) = changes.next().await {
                if let Err(unread) = say(line(&change)) {
                    return Ok(Err(unread));
                }
            }
            match changes.into_end() {
                Some(End::Lost(error)) => Err(error),
                _ => Ok::<_, Error>(Ok(())),
            }
        })
        .await?;
    printed?;
    eprintln!("the server ended the subscription");
    Ok(ExitCode::SUCCESS)
}

fn line(change: &Change) -> String {
    match change {
        Change::Tools => "tools".to_owned(),
        Change::Prompts => "prompts".to_owned(),
        Change::Resources => "resources".to_owned(),
        Change::Resource(uri) => clean_line(uri),
        other => format!("{other:?}"),
    }
}

fn describe(resource: &Resource) -> String {
    entry(
        &resource.uri,
        &resource.name,
        resource.description.as_deref(),
    )
}

fn describe_template(template: &ResourceTemplate) -> String {
    let description = template.description.as_deref();
    entry(&template.uri_template, &template.name, description)
}

fn entry(uri: &str, name: &str, description: Option<&str>) -> String {
    let mut lines = vec![format!("{}: {}", clean_line(uri), clean_line(name))];
    let description = clean(description.unwrap_or_default());
    lines.extend(description.lines().map(|line| format!("    {line}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn text_is_made_fit_for_a_terminal_and_bytes_stay() {
        let result: ReadResourceResult = serde_json::from_value(json!({"contents": [
            {"uri": "x://t", "text": "a\u{1b}[1mb"},
            {"uri": "x://b", "blob": "Gw=="},
        ]}))
        .unwrap();
        let mut output = Vec::new();
        write(&result, &mut output).unwrap();
        assert_eq!(output, b"ab\n\x1b");
    }

    #[test]
    fn what_a_server_calls_things_stays_on_its_line() {
        let shown = entry("x://{id}", "a\nb", Some("One.\nTwo."));
        assert_eq!(shown, "x://{id}: a b\n    One.\n    Two.");
        assert_eq!(line(&Change::Resource("x://\u{7}a".to_owned())), "x://a");
    }
}
