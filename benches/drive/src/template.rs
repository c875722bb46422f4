//! Messages that differ from each other in few places.

use memchr::memmem;

/// A message with holes for the id, for the call's own value and for the server's state.
///
/// # Motivation
///
/// A driver that parsed every reply would take longer than the servers it measures and would so decide how many
/// requests a server finds in one read. Two right replies of one server to one workload differ only in these holes,
/// so comparing the bytes between them is enough, once one reply was parsed and found right.
#[derive(Debug)]
pub(crate) struct Template {
    /// Each hole with the bytes before it.
    parts: Vec<(Box<[u8]>, Hole)>,
    end: Box<[u8]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hole {
    Id,
    Value,
    State,
}

/// What stands in the holes; empty where there is none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fill<'a> {
    pub(crate) id: &'a [u8],
    pub(crate) value: &'a [u8],
    pub(crate) state: &'a [u8],
}

impl Template {
    /// Makes a hole wherever one of the given texts stands in `message`.
    pub(crate) fn cut(message: &[u8], fill: Fill<'_>) -> Self {
        let texts = [
            (Hole::Id, fill.id),
            (Hole::Value, fill.value),
            (Hole::State, fill.state),
        ];
        let mut parts = Vec::new();
        let mut rest = message;
        loop {
            let first = texts
                .iter()
                .filter(|(_, text)| !text.is_empty())
                .filter_map(|&(hole, text)| Some((memmem::find(rest, text)?, hole, text.len())))
                .min_by_key(|&(at, ..)| at);
            let Some((at, hole, len)) = first else {
                return Self {
                    parts,
                    end: rest.into(),
                };
            };
            parts.push((rest[..at].into(), hole));
            rest = &rest[at + len..];
        }
    }

    /// Appends the message with its holes filled.
    pub(crate) fn render(&self, fill: Fill<'_>, out: &mut Vec<u8>) {
        for (before, hole) in &self.parts {
            out.extend_from_slice(before);
            out.extend_from_slice(match hole {
                Hole::Id => fill.id,
                Hole::Value => fill.value,
                Hole::State => fill.state,
            });
        }
        out.extend_from_slice(&self.end);
    }

    /// The id of a message that begins as this one does up to the id.
    pub(crate) fn id(&self, message: &[u8]) -> Option<u64> {
        let (before, Hole::Id) = self.parts.first()? else {
            return None;
        };
        let rest = message.strip_prefix(&**before)?;
        let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&rest[..len]).ok()?.parse().ok()
    }

    /// Whether this is the message with these holes; then the state in it, empty if it has none.
    /// The state of the pattern plays no part: any other is as good, up to the end of its JSON string.
    pub(crate) fn matches<'m>(&self, message: &'m [u8], fill: Fill<'_>) -> Option<&'m [u8]> {
        let mut rest = message;
        let mut state: &[u8] = &[];
        for (before, hole) in &self.parts {
            rest = rest.strip_prefix(&**before)?;
            rest = match hole {
                Hole::Id => rest.strip_prefix(fill.id)?,
                Hole::Value => rest.strip_prefix(fill.value)?,
                Hole::State => {
                    let (text, rest) = rest.split_at(memchr::memchr(b'"', rest)?);
                    if text.len() < MIN_STATE || text.contains(&b'\\') {
                        return None;
                    }
                    state = text;
                    rest
                }
            };
        }
        (*rest == *self.end).then_some(state)
    }
}

/// What sealed state has at the least, in bytes: a shorter one is no seal with a nonce, a tag and a time.
pub(crate) const MIN_STATE: usize = 48;
