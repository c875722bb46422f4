"""A server on the Python SDK that asks in the middle of a call: the peer of tests/tests/peers.rs.

It reads its state key from PEER_STATE_KEY (32 bytes in hex), so that a second process with the same key can go on
with a call that the first one paused. Without the variable the SDK makes a key of its own.

It serves standard input and output or, with `--http`, Streamable HTTP at `/mcp` of a free port, which it prints.
"""

import os
import socket
import sys
import warnings
from typing import Annotated, Literal

import anyio
import uvicorn
from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
    ListRoots,
    MCPServer,
    RequestStateSecurity,
    Resolve,
    Sample,
)
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)
from pydantic import BaseModel, Field

# Logging, sampling and roots are deprecated, and still served: that is what is tested here.
warnings.simplefilter("ignore", MCPDeprecationWarning)

key = os.environ.get("PEER_STATE_KEY")
security = RequestStateSecurity(keys=[bytes.fromhex(key)]) if key else None
server = MCPServer("python-peer", version="1.0.0", request_state_security=security, log_level="ERROR")

runs: dict[str, int] = {}
"""How often each tool's body ran, since a question must not run it."""


def ran(tool: str) -> None:
    runs[tool] = runs.get(tool, 0) + 1


class Confirm(BaseModel):
    confirm: bool = Field(description="Check to delete the note for good.")


class Reason(BaseModel):
    """One field of each kind that a form may have."""

    reason: Literal["damaged", "wrong item", "late"]
    parcels: int = Field(ge=1, le=9)
    refund: float = Field(default=1.5, ge=0)
    restock: bool = False
    note: str | None = Field(default=None, max_length=200)


class Receipt(BaseModel):
    order_id: str
    reason: str
    parcels: int
    released: bool


def ask_confirm(note_id: str) -> Elicit[Confirm]:
    return Elicit(f"Delete note {note_id}?", Confirm)


def ask_reason(order_id: str) -> Elicit[Reason]:
    return Elicit(f"Why does order {order_id} come back?", Reason)


def ask_release(
    order_id: str, reason: Annotated[Reason, Resolve(ask_reason)]
) -> Confirm | Elicit[Confirm]:
    """Depends on the first answer: damaged goods are released without a second question."""
    if reason.reason == "damaged":
        return Confirm(confirm=True)
    return Elicit(f"Release {reason.parcels} parcels of {order_id} ({reason.reason})?", Confirm)


@server.tool()
def delete_note(
    note_id: str, answer: Annotated[ElicitationResult[Confirm], Resolve(ask_confirm)]
) -> str:
    """Deletes a note; all three outcomes reach the body."""
    ran("delete_note")
    if isinstance(answer, AcceptedElicitation) and answer.data.confirm:
        return f"Deleted note {note_id}."
    return f"Kept note {note_id}: {answer.action}."


@server.tool()
def purge_note(note_id: str, answer: Annotated[Confirm, Resolve(ask_confirm)]) -> str:
    """Deletes a note; whoever declines ends the call."""
    ran("purge_note")
    return f"Purged note {note_id}: {answer.confirm}."


@server.tool()
def record_return(
    order_id: str,
    reason: Annotated[Reason, Resolve(ask_reason)],
    release: Annotated[Confirm, Resolve(ask_release)],
) -> Receipt:
    """Asks twice, the second question made from the first answer; has an output schema."""
    ran("record_return")
    return Receipt(
        order_id=order_id, reason=reason.reason, parcels=reason.parcels, released=release.confirm
    )


def ask_model(product: str) -> Sample:
    text = TextContent(type="text", text=f"A slogan for {product}, please.")
    return Sample([SamplingMessage(role="user", content=text)], max_tokens=50)


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def slogan(
    product: str,
    said: Annotated[CreateMessageResult, Resolve(ask_model)],
    found: Annotated[ListRootsResult, Resolve(ask_roots)],
) -> str:
    """Asks the host's model and for its directories, in one round."""
    assert isinstance(said.content, TextContent)
    roots = " and ".join(str(root.uri) for root in found.roots)
    return f"{said.content.text} ({said.model}, for {roots})"


@server.tool()
def connect(ctx: Context) -> str | InputRequiredResult:
    """Asks to open a page, by hand; the flow counts as finished at the second visit."""
    visits = int(ctx.request_state or "0")
    answer = (ctx.input_responses or {}).get("page")
    if isinstance(answer, ElicitResult):
        if answer.action != "accept":
            return f"Not connected: {answer.action}."
        visits += 1
    if visits == 2:
        return "Connected after 2 visits."
    page = ElicitRequestURLParams(
        message="Connect your account on its own page.", url="https://pay.example/connect/7"
    )
    return InputRequiredResult(
        input_requests={"page": ElicitRequest(params=page)}, request_state=str(visits)
    )


@server.tool()
def poll(ctx: Context) -> str | InputRequiredResult:
    """Wants to be called again, twice, and nothing else."""
    waited = int(ctx.request_state or "0")
    if waited == 2:
        return "Ready."
    return InputRequiredResult(request_state=str(waited + 1))


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Reports each number as progress, and logs at two levels."""
    await ctx.debug("not worth saying")
    await ctx.warning(f"counting to {to}")
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"number {number}")
    return f"Counted to {to}."


@server.tool()
async def sleep() -> str:
    """Takes longer than anyone waits, and remembers that it was cancelled."""
    try:
        await anyio.sleep(600)
    except anyio.get_cancelled_exc_class():
        ran("sleep, cancelled")
        raise
    return "Slept."


@server.tool()
def body_runs(tool: str) -> int:
    """How often the body of a tool ran in this process."""
    return runs.get(tool, 0)


def serve_http() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run([listener])


if __name__ == "__main__":
    if "--http" in sys.argv:
        serve_http()
    else:
        server.run("stdio")
