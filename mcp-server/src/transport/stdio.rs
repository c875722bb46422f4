//! Serving over standard input and output.
//!
//! Specification: basic/transports/stdio.

#[cfg(unix)]
mod aside;
mod thread;

use std::io;

use crate::server::Server;

impl Server {
    /// Serves the client that started this process, until it closes standard input.
    ///
    /// On Unix, standard output is moved aside first: what a tool or a library prints goes to
    /// standard error, with a warning, and cannot corrupt the messages. Standard input is moved
    /// aside as well, so that child processes do not read the client's messages. Elsewhere a tool
    /// must not print.
    ///
    /// Calls under way when the client closes standard input may finish within the server's grace
    /// period; then this returns, and `main` should too.
    ///
    /// # Errors
    ///
    /// Where standard input or output cannot be used.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        #[cfg(unix)]
        let (mut reader, mut writer) = aside::take()?;
        #[cfg(not(unix))]
        let (mut reader, mut writer) = (
            thread::ThreadReader::new(io::stdin())?,
            thread::Immediate(io::stdout()),
        );
        super::io::Connection::new(self.clone(), &mut *reader, &mut *writer)
            .run()
            .await
    }
}
