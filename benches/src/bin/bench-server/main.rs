//! Serves the measured tools over standard input and output, on one thread.

mod tools;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async { tools::server()?.serve_stdio().await.map_err(Into::into) })
}
