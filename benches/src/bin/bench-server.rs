//! Serves the measured tools over standard input and output, on one thread.

fn main() -> Result<(), Box<dyn std::error::Error>> {
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
