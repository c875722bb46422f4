//! The `everything` example: it can be built, offers all kinds of things, and its README tells where.

use std::{fs, path::Path};

use mcp_client::{Client, IoTransport};
use mcp_examples::everything;

type TestResult = Result<(), Box<dyn std::error::Error + Send + Sync>>;

#[tokio::test]
async fn it_offers_all_kinds_of_things() -> TestResult {
    let server = everything::server()?;
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(async move { server.serve(reader, writer).await });
    let (reader, writer) = tokio::io::split(near);
    let client = Client::builder("tests", "1.0.0")
        .connect(IoTransport::new(reader, writer))
        .await?;
    let capabilities = client.discover().await?.capabilities;
    assert!(capabilities.tools.is_some());
    assert!(capabilities.prompts.is_some());
    assert!(capabilities.resources.is_some());
    assert!(capabilities.completions.is_some());

    let call = client
        .call_tool("test_simple_text", serde_json::json!({}))
        .await?;
    assert_eq!(call.text(), "This is a simple text response for testing.");
    let read = client.read_resource("test://template/123/data").await?;
    let text = read.contents[0].text().unwrap_or_default();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(text)?,
        serde_json::json!({"id": "123", "templateTest": true, "data": "Data for ID: 123"})
    );
    client.close().await;
    Ok(())
}

#[test]
fn the_readme_names_the_right_lines() -> TestResult {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/everything");
    let readme = fs::read_to_string(folder.join("README.md"))?;
    let mut rows = 0;
    for row in readme.lines().filter(|line| line.contains(".rs#L")) {
        let place = row.split(['(', ')']).nth(1).unwrap_or_default();
        let (file, line) = place.split_once("#L").unwrap_or_default();
        let code = row.split('`').nth(1).unwrap_or_default();
        let source = fs::read_to_string(folder.join(file))?;
        let shown = source.lines().nth(line.parse::<usize>()? - 1);
        assert!(
            shown.is_some_and(|shown| shown.contains(code)),
            "{place} does not show `{code}`: {shown:?}"
        );
        rows += 1;
    }
    assert!(rows > 30, "{rows} features");
    Ok(())
}
