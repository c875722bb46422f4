//! The floor: what a server written by hand for exactly these tools must do at the least.
//!
//! A blocking loop on one thread answers every whole line that one read brought and writes the replies at once. A
//! request is parsed once, into borrowed types, and a reply is written once, into the output. It checks what the
//! protocol asks to be checked, and nothing that only a framework can know.
//!
//! With the feature `http` and `--http axum` or `--http hyper` it is what such a server must do over HTTP: see `http.rs`.

mod answer;
#[cfg(feature = "http")]
mod http;
mod request;
mod seal;

use std::io::{self, Read, Write};

/// What one read may bring.
const BUFFER: usize = 256 * 1024;

fn main() -> io::Result<()> {
    #[cfg(feature = "http")]
    {
        let mut words = std::env::args().skip_while(|word| word != "--http");
        if words.next().is_some() {
            return http::serve(words.next().as_deref());
        }
    }
    // A read of this size goes straight to the descriptor, and so does a write that ends with a newline: the buffers of
    // std stay empty.
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let floor = answer::Floor::new();
    let mut buffer = vec![0; BUFFER];
    let (mut start, mut end) = (0, 0);
    let mut out = Vec::with_capacity(BUFFER);
    loop {
        match input.read(&mut buffer[end..]) {
            Ok(0) => return Ok(()),
            Ok(read) => end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        while let Some(len) = memchr::memchr(b'\n', &buffer[start..end]) {
            // An error is a reply as any other.
            let _ = floor.answer(&buffer[start..start + len], &mut out, |_| Ok(()));
            start += len + 1;
        }
        if !out.is_empty() {
            output.write_all(&out)?;
            out.clear();
        }
        if start > 0 {
            // At most the beginning of one message is left.
            buffer.copy_within(start..end, 0);
            (start, end) = (0, end - start);
        }
        if end == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
    }
}
