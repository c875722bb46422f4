//! Tools that change what the server offers while it runs; whoever listens hears of it.

use mcp_server::{Switches, ToolSet, prelude::*};

pub(super) fn tools() -> ToolSet {
    tools![
        test_trigger_tool_change,
        test_trigger_prompt_change,
        test_trigger_resource_change,
        test_dynamic_tool,
    ]
}

/// Turns `test_dynamic_tool` off, or on again.
#[tool]
async fn test_trigger_tool_change(ctx: Context) -> Result<String, ToolError> {
    turn(ctx.server().tools(), "test_dynamic_tool")
}

/// Turns the prompt `test_dynamic_prompt` off, or on again.
#[tool]
async fn test_trigger_prompt_change(ctx: Context) -> Result<String, ToolError> {
    turn(ctx.server().prompts(), "test_dynamic_prompt")
}

fn turn(switches: Switches<'_>, name: &str) -> Result<String, ToolError> {
    if switches.is_enabled(name)? {
        switches.disable(name)?;
        Ok(format!("{name} is off"))
    } else {
        switches.enable(name)?;
        Ok(format!("{name} is on"))
    }
}

/// Says that `test://watched-resource` has changed.
#[tool]
async fn test_trigger_resource_change(ctx: Context) -> &'static str {
    ctx.server()
        .notify()
        .resource_updated("test://watched-resource");
    "Changed."
}

/// Is there, or is not.
#[tool(read_only)]
async fn test_dynamic_tool() -> &'static str {
    "Here."
}
