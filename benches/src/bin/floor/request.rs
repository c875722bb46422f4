//! A request, parsed in one pass: everything borrowed, all tools' arguments in one type.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow)]
    pub(crate) jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) method: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: Meta<'a>,
    #[serde(borrow)]
    pub(crate) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) arguments: Arguments<'a>,
    #[serde(borrow)]
    pub(crate) input_responses: Option<Responses<'a>>,
    #[serde(borrow)]
    pub(crate) request_state: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) version: Cow<'a, str>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    _client: Option<Implementation<'a>>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) capabilities: Capabilities,
}

#[derive(Deserialize)]
struct Implementation<'a> {
    #[serde(borrow, rename = "name")]
    _name: Cow<'a, str>,
    #[serde(borrow, rename = "version")]
    _version: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(crate) struct Capabilities {
    pub(crate) elicitation: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
pub(crate) struct Arguments<'a> {
    #[serde(borrow)]
    pub(crate) text: Option<Cow<'a, str>>,
    pub(crate) a: Option<i64>,
    pub(crate) b: Option<i64>,
    #[serde(borrow)]
    pub(crate) note_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(crate) struct Responses<'a> {
    #[serde(borrow)]
    pub(crate) confirm: Option<Answer<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Answer<'a> {
    #[serde(borrow)]
    pub(crate) action: Cow<'a, str>,
    pub(crate) content: Option<Confirm>,
}

#[derive(Deserialize)]
pub(crate) struct Confirm {
    pub(crate) confirm: bool,
}
