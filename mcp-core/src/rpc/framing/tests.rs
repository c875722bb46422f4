use super::*;

/// Feeds the bytes in pieces of `step` and collects the lines.
fn lines(bytes: &[u8], step: usize, limit: usize) -> Vec<Result<Vec<u8>, usize>> {
    let mut buffer = LineBuffer::new(limit);
    let mut found = Vec::new();
    for mut piece in bytes.chunks(step) {
        while !piece.is_empty() {
            let room = buffer.room();
            let count = room.len().min(piece.len());
            room[..count].copy_from_slice(&piece[..count]);
            buffer.filled(count);
            piece = &piece[count..];
            while let Some(line) = buffer.next_line() {
                found.push(match line {
                    Line::Message(bytes) => Ok(bytes.to_vec()),
                    Line::TooLong { limit } => Err(limit),
                });
            }
        }
    }
    if let Some(Line::Message(rest)) = buffer.rest() {
        found.push(Ok(rest.to_vec()));
    }
    found
}

#[test]
fn marks_blank_lines_and_line_ends_are_passed_over() {
    let input = "\u{feff}{\"a\":1}\r\n\n  \n{\"b\":\"é🎉\"}\n{\"c\":3}".as_bytes();
    let expected: Vec<Result<Vec<u8>, usize>> = [r#"{"a":1}"#, r#"{"b":"é🎉"}"#, r#"{"c":3}"#]
        .map(|line| Ok(line.as_bytes().to_vec()))
        .to_vec();
    for step in [1, 2, 3, 7, 1000] {
        assert_eq!(lines(input, step, 100), expected, "in pieces of {step}");
    }
}

#[test]
fn a_mark_on_a_later_line_is_content() {
    let found = lines("{}\n\u{feff}{}\n".as_bytes(), 100, 100);
    assert_eq!(found[1], Ok("\u{feff}{}".as_bytes().to_vec()));
}

#[test]
fn a_line_over_the_limit_is_reported_once_and_the_next_one_read() {
    let mut input = vec![b'x'; 1_000_000];
    input.extend_from_slice(b"\n{}\n");
    for step in [1000, 65_536, 2_000_000] {
        assert_eq!(
            lines(&input, step, 1000),
            [Err(1000), Ok(b"{}".to_vec())],
            "in pieces of {step}"
        );
    }
}

#[test]
fn a_line_at_the_limit_passes() {
    let input = [
        vec![b'x'; 1000],
        b"\n".to_vec(),
        vec![b'y'; 1001],
        b"\n".to_vec(),
    ]
    .concat();
    assert_eq!(lines(&input, 10, 1000), [Ok(vec![b'x'; 1000]), Err(1000)]);
}

#[test]
fn an_endless_line_holds_no_memory() {
    let mut buffer = LineBuffer::new(1024 * 1024);
    for _ in 0..4096 {
        let count = buffer.room().len().min(16 * 1024);
        buffer.room()[..count].fill(b'x');
        buffer.filled(count);
        while buffer.next_line().is_some() {}
    }
    assert!(
        buffer.buffer.len() <= 4 * 1024 * 1024,
        "{}",
        buffer.buffer.len()
    );
    buffer.room();
    assert!(
        buffer.buffer.len() <= 4 * ROOM,
        "freed after the line was given up"
    );
}

#[test]
fn who_fills_the_room_is_offered_more() {
    let mut lines = LineBuffer::new(1_000_000);
    let first = lines.room().len();
    lines.room().fill(b'\n');
    lines.filled(first);
    assert_eq!(lines.next_line(), None);
    assert_eq!(lines.room().len(), 64 * 1024);
}
