//! [`Extension`]: what a server and a client may agree on beyond the protocol.

use std::{future::Future, pin::Pin, sync::Arc};

use mcp_core::{protocol::meta::key, rpc::RpcError};
use serde_json::{Map, Value};

use crate::{
    context::Context,
    faults::Faults,
    function::Registry,
    methods::{self, Method},
};

/// An extension of the protocol: a name, settings that the server declares, and request methods of its own.
///
/// Register it with [`Builder::extension`](crate::Builder::extension). Its methods are there for clients that have declared it on
/// the request; others get the error `-32021`, which names it. Whether a client has declared it, tools, prompts and resources learn
/// from [`Context::client_extension`].
///
/// ```
/// use mcp_server::{Extension, RpcError, prelude::*};
/// use serde_json::{Value, json};
///
/// struct Clock;
///
/// impl Extension for Clock {
///     fn name(&self) -> &str {
///         "com.example/clock"
///     }
///
///     fn settings(&self) -> Value {
///         json!({ "zones": ["UTC"] })
///     }
///
///     fn methods(&self) -> &[&str] {
///         &["clock/now"]
///     }
///
///     async fn request(&self, _: &str, params: Value, _: &Context) -> Result<Value, RpcError> {
///         if params["zone"] != "UTC" {
///             return Err(RpcError::invalid_params("`zone` must be `UTC`"));
///         }
///         Ok(json!({ "now": "2026-07-28T12:00:00Z" }))
///     }
/// }
///
/// let server = Server::builder("clock", "1.0.0").extension(Clock).build()?;
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
///
/// Specification: basic/versioning, Extension Negotiation.
pub trait Extension: Send + Sync + 'static {
    /// Its identifier: a prefix that belongs to whoever defines it, and a name, as in `com.example/clock`.
    fn name(&self) -> &str;

    /// What `server/discover` says of it, which must be an object. None by default, which is the empty one.
    fn settings(&self) -> Value {
        Value::Object(Map::new())
    }

    /// The request methods that it brings. None by default.
    fn methods(&self) -> &[&str] {
        &[]
    }

    /// Answers a request for one of its methods. `params` come without `_meta`, which is in [`Context::meta`].
    ///
    /// The result must be an object. It is complete unless it says something else in `resultType`.
    ///
    /// # Errors
    ///
    /// The extension's own.
    fn request(
        &self,
        method: &str,
        params: Value,
        ctx: &Context,
    ) -> impl Future<Output = Result<Value, RpcError>> + Send {
        let _ = (params, ctx);
        let error = RpcError::method_not_found(method);
        async { Err(error) }
    }
}

/// The answer to an extension's request, under way.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Value, RpcError>> + Send>>;

/// An extension as the server holds it. As with kinds, only what registers one names the code that serves it.
pub(crate) trait Extend: Send + Sync {
    fn name(&self) -> &str;

    fn settings(&self) -> Value;

    fn methods(&self) -> &[&str];

    fn request(self: Arc<Self>, params: Value, ctx: Context) -> Answering;

    /// What answers its methods.
    fn entry(&self) -> Method;
}

impl<E: Extension> Extend for E {
    fn name(&self) -> &str {
        Extension::name(self)
    }

    fn settings(&self) -> Value {
        Extension::settings(self)
    }

    fn methods(&self) -> &[&str] {
        Extension::methods(self)
    }

    fn request(self: Arc<Self>, params: Value, ctx: Context) -> Answering {
        Box::pin(async move { Extension::request(&*self, ctx.method(), params, &ctx).await })
    }

    fn entry(&self) -> Method {
        methods::call_extension
    }
}

/// Adds the methods of all extensions, after everything else; what is wrong with them goes to `faults`.
pub(crate) fn register(
    extensions: &[Arc<dyn Extend>],
    registry: &mut Registry,
    faults: &mut Faults,
) {
    for (index, extension) in extensions.iter().enumerate() {
        let name = extension.name();
        if !name.contains('/') || !key::is_valid(name) {
            faults.add(format!(
                "`{name}` is no name for an extension; write a prefix of your own and a name, as in `com.example/thing`"
            ));
        }
        if extensions[..index].iter().any(|other| other.name() == name) {
            faults.add(format!(
                "the extension `{name}` is registered twice; leave one out"
            ));
        }
        if !extension.settings().is_object() {
            faults.add(format!(
                "the settings of the extension `{name}` are no object; give `{{}}` where there are none"
            ));
        }
        for method in extension.methods() {
            let taken = registry.methods.iter().any(|(known, _)| known == method);
            if taken || OF_THE_PROTOCOL.contains(method) {
                faults.add(format!(
                    "the method `{method}` of the extension `{name}` is there already; call it something else"
                ));
            } else {
                let entry = extension.entry();
                registry.methods.push(((*method).to_owned().into(), entry));
            }
        }
    }
}

/// The methods that an extension cannot have, whether the server has a use for them or not.
///
/// Specification: schema, ClientRequest.
const OF_THE_PROTOCOL: &[&str] = &[
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];
