//! The measured tools on the official Rust SDK, wired for speed: the router is built once, the pipes are read without
//! blocking threads, and all runs on one thread; or, with the feature and the argument `http`, over
//! HTTP: see `http.rs`.

mod dummies;
#[cfg(feature = "http")]
mod http;

use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, RequestState, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, Implementation, InputRequest,
    InputRequests, InputRequiredResult, RequestStateCodec, SealOptions, ServerCapabilities,
    ServerConfig,
};
use rmcp::{
    ErrorData, Json, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router,
    transport,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const QUESTION: &str =
    "Delete this note for good? It cannot be undone afterwards, not even by an admin.";

#[derive(Clone)]
struct Bench {
    tool_router: ToolRouter<Self>,
    codec: Arc<RequestStateCodec>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    /// The text to send back.
    text: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Add {
    /// First summand.
    a: i64,
    /// Second summand.
    b: i64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Delete {
    /// The note to delete.
    note_id: String,
}

/// What the server must know again when the answer comes.
#[derive(Serialize, Deserialize)]
struct State {
    tool: String,
    note_id: String,
    asked: String,
}

#[tool_router(router = working)]
impl Bench {
    #[tool(description = "Sends the text back.")]
    fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Adds two integers.")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Deletes a note after asking.")]
    fn confirm_delete(
        &self,
        Parameters(Delete { note_id }): Parameters<Delete>,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        // As the codec's documentation recommends: the method with a digest of the salient arguments.
        let mut bound_to = b"tools/call confirm_delete ".to_vec();
        bound_to.extend_from_slice(&Sha256::digest(note_id.as_bytes()));
        let Some(state) = state else {
            return self.ask(note_id, &bound_to);
        };
        let state: State = self
            .codec
            .open_json_with(&state, &bound_to)
            .map_err(|_| ErrorData::invalid_params("the state is invalid or expired", None))?;
        let answer = responses
            .as_ref()
            .and_then(|responses| responses.get("confirm"))
            .and_then(|answer| ElicitResult::deserialize(answer).ok())
            .ok_or_else(|| ErrorData::invalid_params("there is no answer", None))?;
        let content = answer.content.as_ref();
        let confirmed = content.and_then(|content| content.get("confirm")?.as_bool());
        let yes = answer.action == ElicitationAction::Accept && confirmed == Some(true);
        let text = [if yes { "deleted " } else { "kept " }, &*state.note_id].concat();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

impl Bench {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {
            tool_router: Self::working() + Self::dummies(),
            codec: Arc::new(RequestStateCodec::try_new(
                b"the benchmark's key, known to anyone and no secret",
            )?),
        })
    }

    fn ask(&self, note_id: String, bound_to: &[u8]) -> Result<CallToolResponse, ErrorData> {
        let internal = |error: String| ErrorData::internal_error(error, None);
        let state = State {
            tool: "confirm_delete".to_owned(),
            note_id,
            asked: QUESTION.to_owned(),
        };
        let options = SealOptions::new()
            .associated_data(bound_to)
            .ttl(Duration::from_secs(300));
        let state = self.codec.seal_json_with(&state, &options);
        let state = state.map_err(|error| internal(error.to_string()))?;
        let schema = ElicitationSchema::builder()
            .required_bool("confirm")
            .build();
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: QUESTION.to_owned(),
            requested_schema: schema.map_err(|error| internal(error.to_string()))?,
        };
        let mut requests = InputRequests::new();
        requests.insert(
            "confirm".to_owned(),
            InputRequest::Elicitation(ElicitRequest::new(params)),
        );
        Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("rmcp-server", "1.0.0");
        info
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "http")]
    if std::env::args().any(|argument| argument == "--http") {
        return http::serve();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let service = Bench::new()?.serve(transport::io::stdio_pipes()).await?;
        service.waiting().await?;
        Ok(())
    })
}
