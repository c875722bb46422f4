//! The parameters of a resource are the variables of its URI template: all of them, and nothing else.

use syn::punctuated::Punctuated;
use syn::{FnArg, Ident, LitStr, Token, Type};

use super::model::{Parameter, Resource, Role};
use super::parameters;
use super::template::{Form, Template, Variable};
use crate::errors::Errors;
use crate::syntax::{last_segment, peel, plain};

/// Reads the template and compares it with the parameters, which learn what their variable is like.
pub(super) fn check(
    resource: &Resource,
    parameters: &mut [Parameter],
    inputs: &Punctuated<FnArg, Token![,]>,
    errors: &mut Errors,
) {
    let uri = &resource.uri;
    let template = Template::parse(&uri.value());
    for fault in &template.faults {
        errors.on(uri, fault);
    }
    // What the variables of a faulty template are to be nobody knows.
    if !template.faults.is_empty() {
        return;
    }
    let variables = template.variables;
    if let Some(whole) = parameters
        .iter()
        .find(|parameter| matches!(parameter.role, Role::Arguments))
    {
        // Its fields are compared when the server is built, which knows their names and not their types.
        let path = variables
            .iter()
            .find(|variable| variable.form == Form::Path);
        if let Some(path) = path {
            let message = format!(
                "`{{+{0}}}` may have `/` and `..` in it, and nobody sees what a field of `Args` makes of them: take `{0}: SafePath` and the other variables as parameters",
                path.name
            );
            errors.on(&whole.ty, message);
        }
        if variables.is_empty() {
            errors.on(
                &whole.ty,
                "the URI has no variables, so there is nothing for `Args` to take: add them to the URI, such as `{id}`",
            );
        }
        return;
    }
    untaken(uri, &variables, parameters, inputs, errors);
    for parameter in parameters {
        let Role::Argument(argument) = &mut parameter.role else {
            continue;
        };
        let Some(variable) = variables
            .iter()
            .find(|variable| variable.name == argument.name)
        else {
            errors.on(&parameter.ident, stray(&argument.name, &variables));
            continue;
        };
        match variable.form {
            Form::Simple => {}
            Form::Path => {
                argument.is_path = true;
                if is_plain_text(&parameter.ty) {
                    let message = format!(
                        "`{{+{}}}` may have `/` and `..` in it: take it as `SafePath`, which stays inside its folder",
                        variable.name
                    );
                    errors.on(&parameter.ty, message);
                }
            }
            Form::Query => {
                let may_be_absent = argument.default.is_some()
                    || argument.deserialize_with.is_some()
                    || last_segment(&parameter.ty).is_some_and(|ty| ty.ident == "Option");
                if !may_be_absent {
                    let message = format!(
                        "the variable `{}` of the query may be absent: take it as an `Option`, or give it a `#[serde(default)]`",
                        variable.name
                    );
                    errors.on(&parameter.ty, message);
                }
            }
        }
        if let Some(alias) = argument.aliases.first() {
            let message = format!(
                "a variable has one name, that in the template: remove the alias \"{alias}\""
            );
            errors.on(&parameter.ident, message);
        }
    }
}

/// Variables that no parameter takes.
fn untaken(
    uri: &LitStr,
    variables: &[Variable],
    parameters: &[Parameter],
    inputs: &Punctuated<FnArg, Token![,]>,
    errors: &mut Errors,
) {
    let declared = parameters::declared(inputs);
    for variable in variables {
        let name = &variable.name;
        let is_taken = parameters.iter().any(|parameter| {
            matches!(&parameter.role, Role::Argument(argument) if argument.name == *name)
        });
        if is_taken {
            continue;
        }
        let needed = declaration(variable);
        let namesake = parameters
            .iter()
            .find(|parameter| plain(&parameter.ident) == *name);
        match namesake {
            Some(other) if !matches!(other.role, Role::Argument(_)) => {
                let message = format!(
                    "`{name}` is a variable of the template, and this takes something else: rename it, and add the parameter `{needed}`"
                );
                errors.on(&other.ident, message);
            }
            // A parameter with a fault of its own is not missing.
            None if declared.contains(name) => {}
            _ => {
                let message = format!(
                    "nothing takes the variable `{name}` of the template: add the parameter `{needed}`"
                );
                errors.on(uri, message);
            }
        }
    }
}

/// The parameter that takes a variable.
fn declaration(variable: &Variable) -> String {
    let ty = match variable.form {
        Form::Simple => "String",
        Form::Path => "SafePath",
        Form::Query => "Option<String>",
    };
    let name = &variable.name;
    if syn::parse_str::<Ident>(name).is_ok() {
        format!("{name}: {ty}")
    } else {
        format!("r#{name}: {ty}")
    }
}

fn stray(name: &str, variables: &[Variable]) -> String {
    let why = if variables.is_empty() {
        "is no variable, since the URI has none"
    } else {
        "is not a variable of the template"
    };
    format!("`{name}` {why}: add `{{{name}}}` to the URI, or take it as `State`")
}

/// A type that is known not to look at its value. Of others the trait is asked.
fn is_plain_text(ty: &Type) -> bool {
    const PLAIN: [&str; 8] = [
        "String", "str", "PathBuf", "Path", "OsString", "Cow", "Box", "Arc",
    ];
    match peel(ty) {
        Type::Reference(_) => true,
        ty => {
            last_segment(ty).is_some_and(|segment| PLAIN.iter().any(|name| segment.ident == name))
        }
    }
}
