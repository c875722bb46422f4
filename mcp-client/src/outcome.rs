//! What kind of result a request got: the final one, or a request for input.
//!
//! Specification: basic/index, ResultType, and basic/patterns/mrtr.

use std::borrow::Cow;
use std::fmt;

use mcp_core::protocol::{CreateMessageRequestParams, Implementation};
use mcp_core::schema::FormSchema;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::question::{
    Asker, FormQuestion, InputRequest, Kind, RootsQuestion, SamplingQuestion, UrlQuestion,
    check_url,
};

/// The methods that may be answered with a request for input.
pub(crate) const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// A result, told apart by its `resultType`.
#[derive(Debug)]
pub(crate) enum Outcome {
    Complete(Box<RawValue>),
    InputRequired(InputRequired),
}

/// An `InputRequiredResult`, with everything in it as the server wrote it.
#[derive(Clone, Debug)]
pub(crate) struct InputRequired {
    /// In the server's order, which is the order in which people are asked.
    pub(crate) requests: Vec<(String, String)>,
    /// The JSON string with its quotes and escapes, so that the echo is the same to the byte.
    pub(crate) state: Option<String>,
}

#[derive(Deserialize)]
struct TypeOnly<'a> {
    #[serde(borrow, default, rename = "resultType", deserialize_with = "present")]
    result_type: Option<&'a RawValue>,
}

/// Keeps `null` apart from an absent member.
pub(crate) fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

/// Tells a result's type.
pub(crate) fn classify(method: &str, result: Box<RawValue>) -> Result<Outcome, Error> {
    let invalid = |e: serde_json::Error| Error::InvalidResult {
        method: method.to_owned(),
        reason: e.to_string(),
    };
    let of: TypeOnly<'_> = serde_json::from_str(result.get()).map_err(invalid)?;
    match of.result_type.map(RawValue::get) {
        // Servers of earlier revisions do not write the type.
        None | Some(r#""complete""#) => Ok(Outcome::Complete(result)),
        Some(r#""input_required""#) if MAY_ASK.contains(&method) => {
            input_required(method, &result).map(Outcome::InputRequired)
        }
        Some(r#""input_required""#) => Err(Error::MayNotAsk {
            method: method.to_owned(),
        }),
        Some(other) => Err(Error::UnknownResultType {
            method: method.to_owned(),
            name: other.chars().take(100).collect(),
        }),
    }
}

#[derive(Deserialize)]
struct InputMembers<'a> {
    #[serde(borrow, default, rename = "inputRequests")]
    requests: Option<Ordered<'a>>,
    #[serde(borrow, default, rename = "requestState")]
    state: Option<&'a RawValue>,
}

fn input_required(method: &str, result: &RawValue) -> Result<InputRequired, Error> {
    let invalid = |reason: String| Error::InvalidResult {
        method: method.to_owned(),
        reason,
    };
    let members: InputMembers<'_> =
        serde_json::from_str(result.get()).map_err(|e| invalid(e.to_string()))?;
    if members
        .state
        .is_some_and(|state| !state.get().starts_with('"'))
    {
        return Err(invalid("its requestState is not a string".to_owned()));
    }
    let requests = members
        .requests
        .map(|requests| requests.0)
        .unwrap_or_default();
    if requests.is_empty() && members.state.is_none() {
        return Err(invalid(
            "it has neither inputRequests nor requestState".to_owned(),
        ));
    }
    Ok(InputRequired {
        requests: requests
            .into_iter()
            .map(|(key, raw)| (key, raw.get().to_owned()))
            .collect(),
        state: members.state.map(|state| state.get().to_owned()),
    })
}

/// A JSON object as a list, since the order of questions matters and a key may stand only once.
struct Ordered<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Ordered<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrderedVisitor;
        impl<'de> Visitor<'de> for OrderedVisitor {
            type Value = Ordered<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of input requests")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(String, &'de RawValue)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    if entries.iter().any(|(known, _)| *known == key) {
                        return Err(serde::de::Error::custom(format!("{key:?} stands twice")));
                    }
                    entries.push((key, value));
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(OrderedVisitor)
    }
}

#[derive(Deserialize)]
struct RawRequest<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ElicitMembers<'a> {
    #[serde(borrow, default)]
    mode: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Cow<'a, str>,
    #[serde(borrow, default, rename = "requestedSchema")]
    schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    url: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct SamplingTools<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolChoice")]
    tool_choice: Option<&'a RawValue>,
}

/// Reads the input requests and checks each against what was declared.
pub(crate) fn read_requests(
    raw: &[(String, String)],
    declared: &Capabilities,
    asker: &Asker,
) -> Result<Vec<InputRequest>, Error> {
    raw.iter()
        .map(|(key, raw)| read_request(key, raw, declared, asker))
        .collect()
}

pub(crate) fn read_request(
    key: &str,
    raw: &str,
    declared: &Capabilities,
    asker: &Asker,
) -> Result<InputRequest, Error> {
    let invalid = |reason: String| Error::InvalidQuestion {
        key: key.to_owned(),
        reason,
    };
    let undeclared = |kind: String| Error::UndeclaredInput {
        key: key.to_owned(),
        kind,
    };
    let require = |kind: Kind| match declared.has(kind) {
        true => Ok(()),
        false => Err(undeclared(kind.to_string())),
    };
    let request: RawRequest<'_> = serde_json::from_str(raw).map_err(|e| invalid(e.to_string()))?;
    let params = request.params.map_or("{}", RawValue::get);
    let (key, asker) = (key.to_owned(), asker.clone());
    match &*request.method {
        "elicitation/create" => {
            let members: ElicitMembers<'_> =
                serde_json::from_str(params).map_err(|e| invalid(e.to_string()))?;
            let message = members.message.clone().into_owned();
            match members.mode.as_deref() {
                None | Some("form") => {
                    require(Kind::Form)?;
                    let Some(schema) = members.schema else {
                        return Err(invalid("it has no requestedSchema".to_owned()));
                    };
                    let schema: FormSchema =
                        serde_json::from_str(schema.get()).map_err(|e| invalid(e.to_string()))?;
                    Ok(InputRequest::Form(FormQuestion {
                        key,
                        message,
                        schema,
                        asker,
                    }))
                }
                Some("url") => {
                    require(Kind::Url)?;
                    let url = members.url.unwrap_or_default().into_owned();
                    check_url(&url).map_err(|reason| invalid(reason.to_owned()))?;
                    Ok(InputRequest::Url(UrlQuestion {
                        key,
                        message,
                        url,
                        asker,
                    }))
                }
                Some(mode) => Err(undeclared(format!("elicitation.{mode}"))),
            }
        }
        "sampling/createMessage" => {
            require(Kind::Sampling)?;
            let tools: SamplingTools<'_> =
                serde_json::from_str(params).map_err(|e| invalid(e.to_string()))?;
            let uses_tools = tools.tools.is_some() || tools.tool_choice.is_some();
            if uses_tools && !declared.has_sampling_tools() {
                return Err(undeclared("sampling.tools".to_owned()));
            }
            let params: CreateMessageRequestParams =
                serde_json::from_str(params).map_err(|e| invalid(e.to_string()))?;
            Ok(InputRequest::Sampling(SamplingQuestion {
                key,
                params,
                asker,
            }))
        }
        "roots/list" => {
            require(Kind::Roots)?;
            Ok(InputRequest::Roots(RootsQuestion { key, asker }))
        }
        other => Err(undeclared(other.chars().take(100).collect())),
    }
}

/// The server's name for itself in a result's `_meta`, if it is there and readable.
pub(crate) fn server_info(result: &RawValue) -> Option<Implementation> {
    #[derive(Deserialize)]
    struct Members<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: MetaMembers<'a>,
    }
    #[derive(Deserialize)]
    struct MetaMembers<'a> {
        #[serde(borrow, rename = "io.modelcontextprotocol/serverInfo")]
        server: &'a RawValue,
    }
    let members: Members<'_> = serde_json::from_str(result.get()).ok()?;
    serde_json::from_str(members.meta.server.get()).ok()
}
