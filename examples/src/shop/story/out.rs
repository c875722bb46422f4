//! Where the story is told: standard output, for as long as somebody reads it.

use std::{
    fmt,
    io::{self, Write as _},
    process,
};

/// Prints a line, as `println!` does.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::shop::story::out::line(::std::format_args!($($text)*))
    };
}

pub(super) use say;

/// Prints a line, or ends the program where nobody reads any more: `println!` would panic behind `| head`. A server
/// that was launched ends with its standard input.
pub(super) fn line(text: fmt::Arguments<'_>) {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => process::exit(0),
        written => written.expect("standard output takes what is printed"),
    }
}
