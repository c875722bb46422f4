//! The client's streams where they cannot be moved aside: a tool must not print.

use std::{
    io::{self, Read, Write},
    time::Duration,
};

/// The client's messages.
pub(super) struct ClientInput(io::Stdin);

/// The way to the client.
pub(super) struct ClientOutput(io::Stdout);

/// What is printed meanwhile: nobody can tell.
pub(super) struct Stray;

/// Standard input and output as they are.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn take() -> io::Result<(ClientInput, ClientOutput, Stray)> {
    Ok((ClientInput(io::stdin()), ClientOutput(io::stdout()), Stray))
}

impl Stray {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn report(self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for ClientInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl ClientInput {
    /// What tells when the client closes its end: here nothing does.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn hang_up(&self) -> io::Result<HangUp> {
        Ok(HangUp)
    }
}

/// Looks whether the client has closed its end.
pub(super) struct HangUp;

impl HangUp {
    pub(super) fn is_seen(&self) -> bool {
        false
    }
}

impl ClientOutput {
    /// Writes wait for themselves.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn wait(&self, _: Option<Duration>) -> io::Result<bool> {
        Ok(true)
    }
}

impl Write for &ClientOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stdout = self.0.lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
