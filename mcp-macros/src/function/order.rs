//! Which answers a question waits for: the earlier ones that it mentions.

use proc_macro2::Span;
use quote::ToTokens;

use super::mention;
use super::model::{Marker, Once, Parameter, Role};
use crate::errors::Errors;
use crate::syntax::plain;

/// Fills in what each marker waits for. `markers`: the names of all of them in order, also of those that have
/// faults and are no parameters.
pub(super) fn check(parameters: &mut [Parameter], markers: &[String], errors: &mut Errors) {
    for index in 0..parameters.len() {
        let (earlier, rest) = parameters.split_at_mut(index);
        let Some(Parameter {
            role: Role::Marker(marker),
            ..
        }) = rest.first_mut()
        else {
            continue;
        };
        for (name, span) in mentioned_markers(marker, markers) {
            let place = |name: &str| markers.iter().position(|marker| marker == name);
            if name == marker.name {
                let message = format!(
                    "the question for `{name}` cannot mention its own answer: ask with the arguments and earlier answers{}",
                    mention::rename_hint(marker.question.tokens(), &name)
                );
                errors.at(span, message);
            } else if place(&name) > place(&marker.name) {
                errors.at(
                    span,
                    format!(
                        "`{name}` is asked after `{}`: declare it first{}",
                        marker.name,
                        mention::rename_hint(marker.question.tokens(), &name)
                    ),
                );
            } else {
                let found = earlier
                    .iter()
                    .position(|parameter| plain(&parameter.ident) == name);
                marker.after.extend(found);
            }
        }
        marker.after.sort_unstable();
    }
}

/// Each once, where it is mentioned first.
fn mentioned_markers(marker: &Marker, markers: &[String]) -> Vec<(String, Span)> {
    let mut mentioned: Vec<(String, Span)> = Vec::new();
    mention::scan(marker.question.tokens(), &mut |name, span| {
        let is_new = mentioned.iter().all(|(known, _)| known != name);
        if is_new && markers.iter().any(|marker| marker == name) {
            mentioned.push((name.to_owned(), span));
        }
    });
    mentioned
}

/// Notes which parameters need a local of their name.
pub(super) fn note_mentions(parameters: &mut [Parameter], once: &Once) {
    let mut read = Vec::new();
    let mut note = |name: &str, _| read.push(name.to_owned());
    for parameter in parameters.iter() {
        if let Role::Marker(Marker { question, .. }) = &parameter.role {
            mention::scan(question.tokens(), &mut note);
        }
    }
    if let Once::Key(key) = once {
        mention::scan(key.to_token_stream(), &mut note);
    }
    for parameter in parameters {
        parameter.mentioned = read.contains(&plain(&parameter.ident));
    }
}
