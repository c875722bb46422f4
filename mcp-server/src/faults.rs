//! What is wrong with a server that is being built: all of it, not the first thing only.

use std::{fmt, panic::Location};

use crate::spec::FunctionSpec;

/// Why a server could not be built.
///
/// It lists every fault, each with its function, its parameter and the way out.
pub struct BuildError {
    faults: Vec<Fault>,
}

/// One fault of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The tool, prompt or resource, if it is one's.
    pub function: Option<String>,
    /// The parameter, if it is one's.
    pub parameter: Option<String>,
    /// What is wrong, and what to do.
    pub text: String,
    /// `tool`, `prompt` or `resource`.
    kind: &'static str,
    location: Option<&'static Location<'static>>,
}

impl BuildError {
    /// The faults, in the order in which the server was described.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.faults.len();
        write!(
            f,
            "the server has {count} fault{}",
            if count == 1 { "" } else { "s" }
        )?;
        for fault in &self.faults {
            write!(f, "\n- {fault}")?;
        }
        Ok(())
    }
}

/// The text of [`Display`](fmt::Display): it is what a `main` that returns the error prints.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind;
        match (&self.function, &self.parameter) {
            (Some(name), Some(parameter)) => {
                write!(f, "{kind} `{name}`, parameter `{parameter}`: ")?;
            }
            (Some(name), None) => write!(f, "{kind} `{name}`: ")?,
            _ => {}
        }
        f.write_str(&self.text)?;
        if let Some(location) = self.location {
            write!(f, " ({}:{})", location.file(), location.line())?;
        }
        Ok(())
    }
}

/// Faults as they are found.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, text: impl Into<String>) {
        self.push(text.into());
    }

    #[cold]
    #[inline(never)]
    fn push(&mut self, text: String) {
        self.0.push(Fault {
            function: None,
            parameter: None,
            text,
            kind: "",
            location: None,
        });
    }

    pub(crate) fn of<'f>(&'f mut self, spec: &'f FunctionSpec) -> FunctionFaults<'f> {
        FunctionFaults {
            faults: &mut self.0,
            spec,
        }
    }

    /// The error, if there is a fault.
    pub(crate) fn into_result(self) -> Result<(), BuildError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(BuildError { faults: self.0 })
        }
    }
}

/// Takes the faults of one function.
#[derive(Debug)]
pub(crate) struct FunctionFaults<'f> {
    faults: &'f mut Vec<Fault>,
    spec: &'f FunctionSpec,
}

impl FunctionFaults<'_> {
    pub(crate) fn add(&mut self, parameter: Option<&str>, text: impl Into<String>) {
        self.push(parameter, text.into());
    }

    #[cold]
    #[inline(never)]
    fn push(&mut self, parameter: Option<&str>, text: String) {
        self.faults.push(Fault {
            function: Some(self.spec.name.to_owned()),
            parameter: parameter.map(str::to_owned),
            text,
            kind: self.spec.kind_name(),
            location: Some(self.spec.location),
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A `main` that returns the error prints it with `Debug`.
    #[test]
    fn debug_is_the_text_for_people() {
        let mut faults = Faults::default();
        faults.add("the name is empty; give it one");
        let error = faults.into_result().unwrap_err();
        let boxed: Box<dyn std::error::Error> = error.into();
        assert_eq!(
            format!("{boxed:?}"),
            "the server has 1 fault\n- the name is empty; give it one"
        );
    }
}
