//! The methods of a server with providers: what was known when it was built comes first, then the providers are asked.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use mcp_core::{
    protocol::{Completion, CompletionReference},
    rpc::RpcError,
};

use super::{
    Asked, Received, Step, Work,
    answer::error_of,
    call::{Target, call},
    completion::{Typed, propose, write},
    get_prompt,
    list::{cursor, list, write_page},
    read_resource,
};
use crate::{
    completion::Completing,
    context::Context,
    function::{AllProviders, Catalog, Provide, Provided, ProvidedPage, Providers, unknown_cursor},
    server::{Inner, Server},
};

/// One of the lists that providers have a part in.
pub(crate) struct ProvidedList {
    /// The name under which its entries stand.
    member: &'static str,
    catalog: fn(&Inner) -> &Catalog,
    providers: fn(&AllProviders) -> Option<&Providers>,
    page: fn(Arc<dyn Provide>, Option<String>, Context) -> Provided<ProvidedPage>,
}

pub(crate) static PROMPTS: ProvidedList = ProvidedList {
    member: "prompts",
    catalog: |inner| &inner.prompts,
    providers: |all| all.prompts.as_ref(),
    page: |provider, cursor, ctx| provider.list(cursor, ctx),
};

pub(crate) static RESOURCES: ProvidedList = ProvidedList {
    member: "resources",
    catalog: |inner| &inner.resources,
    providers: |all| all.resources.as_ref(),
    page: |provider, cursor, ctx| provider.list(cursor, ctx),
};

pub(crate) static TEMPLATES: ProvidedList = ProvidedList {
    member: "resourceTemplates",
    catalog: |inner| &inner.templates,
    providers: |all| all.resources.as_ref(),
    page: |provider, cursor, ctx| provider.templates(cursor, ctx),
};

/// A page that is not full yet.
#[derive(Default)]
struct Begun {
    /// The entries, separated by commas.
    json: String,
    count: usize,
}

impl Begun {
    fn add(&mut self, entry: &str) {
        if !self.json.is_empty() {
            self.json.push(',');
        }
        self.json.push_str(entry);
        self.count += 1;
    }
}

/// A place in the part of a list that is the providers'. Its cursor means the same after a restart and on every replica, as far as
/// the provider's own does.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    provider: usize,
    cursor: Option<String>,
}

impl Place {
    /// Where the providers' part begins.
    const FIRST: Self = Self {
        provider: 0,
        cursor: None,
    };

    /// None where the cursor is one of the static part, or nobody's. NUL tells them apart: no name and no URI begins with it.
    fn read(cursor: &str) -> Option<Self> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let text = text.strip_prefix('\0')?;
        let (provider, cursor) = match text.split_once('\0') {
            Some((provider, cursor)) => (provider, Some(cursor.to_owned())),
            None => (text, None),
        };
        let provider = provider.parse().ok()?;
        Some(Self { provider, cursor })
    }

    fn write(&self) -> String {
        URL_SAFE_NO_PAD.encode(match &self.cursor {
            Some(cursor) => format!("\0{}\0{cursor}", self.provider),
            None => format!("\0{}", self.provider),
        })
    }
}

/// Begins a page: the static part is written at once, the providers' is waited for. The last static page goes on with what the
/// providers have, so that a short list is one page.
///
/// # Errors
///
/// `-32602` for a cursor that neither this server nor a provider gave.
pub(crate) fn list_provided(
    server: &Server,
    of: &'static ProvidedList,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let inner = server.inner();
    let catalog = (of.catalog)(inner);
    let Some(providers) = (of.providers)(&inner.providers) else {
        return list(server, catalog, of.member, request, out);
    };
    let cursor = cursor(request.params)?;
    let (begun, place) = match cursor.as_deref().and_then(Place::read) {
        Some(place) if place.provider < providers.list.len() => (Begun::default(), place),
        Some(_) => return Err(unknown_cursor()),
        None => {
            let page = catalog
                .page(&inner.functions, cursor.as_deref(), &request.peer.principal)
                .map_err(|_| unknown_cursor())?;
            if let Some(next) = &page.next_cursor {
                write_page(inner, catalog, of.member, &page.json, Some(next), out);
                return Ok(Step::Written);
            }
            let begun = Begun {
                json: page.json.clone(),
                count: page.count,
            };
            (begun, Place::FIRST)
        }
    };
    let ctx = context(server, request, providers)?;
    let (around, providers) = (ctx.clone(), providers.clone());
    let page = async move {
        let (entries, next) = go_on(&around, of, &providers, begun, place).await?;
        let mut out = Vec::with_capacity(entries.len() + 256);
        let (inner, next) = (around.server().inner(), next.as_deref());
        write_page(
            inner,
            (of.catalog)(inner),
            of.member,
            &entries,
            next,
            &mut out,
        );
        Ok(out)
    };
    Ok(Step::Wait(ctx, Work::Request(Box::pin(page))))
}

/// Fills the page with what the providers have from a place on; gives it with the next page's cursor.
async fn go_on(
    ctx: &Context,
    of: &ProvidedList,
    providers: &Providers,
    mut begun: Begun,
    mut place: Place,
) -> Result<(String, Option<String>), RpcError> {
    let most = ctx.server().options().page_size.max(1);
    while let Some(provider) = providers.list.get(place.provider) {
        if begun.count >= most {
            return Ok((begun.json, Some(place.write())));
        }
        let page = (of.page)(Arc::clone(provider), place.cursor.take(), ctx.clone());
        let page = page.await.map_err(|error| error_of(ctx, error))?;
        page.entries.iter().for_each(|entry| begun.add(entry));
        place.cursor = page.next_cursor;
        if place.cursor.is_some() {
            return Ok((begun.json, Some(place.write())));
        }
        place.provider += 1;
    }
    Ok((begun.json, None))
}

/// Finds the prompt, or asks the providers for it.
///
/// # Errors
///
/// `-32602` where the parameters are off.
pub(crate) fn get_provided(
    server: &Server,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let (inner, principal) = (server.inner(), &request.peer.principal);
    match (&request.params.name, &inner.providers.prompts) {
        (Some(name), Some(providers)) if inner.prompt(name, principal).is_none() => {
            call(server, request, target(providers, name))
        }
        _ => get_prompt(server, request, out),
    }
}

/// Finds the resource, or asks the providers for it.
///
/// # Errors
///
/// `-32602` where the parameters are off.
pub(crate) fn read_provided(
    server: &Server,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let (inner, principal) = (server.inner(), &request.peer.principal);
    match (&request.params.uri, &inner.providers.resources) {
        (Some(uri), Some(providers)) if inner.resource(uri, principal).is_none() => {
            call(server, request, target(providers, uri))
        }
        _ => read_resource(server, request, out),
    }
}

fn target(providers: &Providers, address: &str) -> Target {
    Target {
        address: Some(address.into()),
        ..Target::named(providers.function)
    }
}

/// Completes an argument of what was known when the server was built, or asks the providers. Where none of them knows it there is
/// nothing to propose, because nobody can tell whether it is there.
///
/// # Errors
///
/// `-32602` where the parameters are off.
pub(crate) fn complete_provided(
    server: &Server,
    request: &Asked<'_>,
    out: &mut Vec<u8>,
) -> Result<Step, RpcError> {
    let typed = Typed::read(request.params)?;
    let all = &server.inner().providers;
    let (of, providers) = match &typed.reference {
        CompletionReference::Prompt(prompt) => (prompt.name.clone(), &all.prompts),
        CompletionReference::ResourceTemplate(template) => (template.uri.clone(), &all.resources),
        _ => (String::new(), &None),
    };
    let providers = match (typed.function(server, request), providers) {
        (Err(_), Some(providers)) => providers,
        (function, _) => return propose(server, request, typed, function?, out),
    };
    let ctx = context(server, request, providers)?;
    let (around, list) = (ctx.clone(), Arc::clone(&providers.list));
    let completed = async move {
        let typing = Completing {
            value: typed.value,
            arguments: typed.arguments,
            ctx: around.clone(),
        };
        for provider in list.iter().cloned() {
            let proposed = provider.complete(of.clone(), typed.name.clone(), typing.clone());
            match proposed.await {
                Ok(Some(completion)) => return Ok(write(around.server(), &completion)),
                Ok(None) => {}
                Err(error) => return Err(error_of(&around, error)),
            }
        }
        Ok(write(around.server(), &Completion::default()))
    };
    Ok(Step::Wait(ctx, Work::Request(Box::pin(completed))))
}

/// What providers know of a request that is no call.
fn context(
    server: &Server,
    request: &Asked<'_>,
    providers: &Providers,
) -> Result<Context, RpcError> {
    let received = Received::new(request.line, request.params, request.terms)?;
    let function = Some(providers.function);
    Ok(Context::new(
        server.clone(),
        function,
        received,
        request.peer,
        None,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for cursor in [None, Some(""), Some("7"), Some("a\0b"), Some("\u{fc}")] {
            let place = || Place {
                provider: 12,
                cursor: cursor.map(str::to_owned),
            };
            assert_eq!(Place::read(&place().write()), Some(place()));
        }
    }

    #[test]
    fn what_is_no_place_is_none() {
        for text in ["", "name", "\0", "\0x", "\0-1", "\0\u{0}7"] {
            assert_eq!(Place::read(&URL_SAFE_NO_PAD.encode(text)), None, "{text:?}");
        }
        assert_eq!(Place::read("not base64!"), None);
    }
}
