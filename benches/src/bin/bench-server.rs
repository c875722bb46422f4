//! Serves the measured tools: over standard input and output, on one thread; or, with the feature `http` and the argument
//! `--http`, over HTTP at `/mcp` of 127.0.0.1 and the port in `PORT`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "http")]
    if std::env::args().any(|argument| argument == "--http") {
        return serve_http();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        mcp_benches::server()?
            .serve_stdio()
            .await
            .map_err(Into::into)
    })
}

/// On as many threads as there are cores, or on one with `RT=current`.
#[cfg(feature = "http")]
fn serve_http() -> Result<(), Box<dyn Error>> {
    let port = std::env::var("PORT").map_or(Ok(8000), |port| port.parse::<u16>())?;
    let mut runtime = match std::env::var("RT").as_deref() {
        Ok("current") => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build()?;
    let server = mcp_benches::server()?;
    runtime.block_on(server.serve_http(("127.0.0.1", port)))?;
    Ok(())
}
