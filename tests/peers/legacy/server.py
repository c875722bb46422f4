"""A server on the Python SDK 1.x that does all that a server of its revisions can: a peer of tests/tests/legacy_peers.

`typescript/server.mjs` is the same server on the TypeScript SDK. Both serve standard input and output or, with `--http`,
Streamable HTTP at `/mcp` and, with `--sse`, the transport of 2024-11-05 at `/sse`, of a free port, which they print.
"""

import socket
import sys
from typing import Any, Literal

import anyio
import uvicorn
from mcp import types
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel import NotificationOptions
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.shared.message import ServerMessageMetadata
from pydantic import AnyUrl, BaseModel, Field


class Events(EventStore):
    """Every event of the process, so that a stream can be gone on with."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.events.append((stream_id, message))
        return str(len(self.events) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        last = int(last_event_id)
        stream_id = self.events[last][0]
        for number, (stream, message) in enumerate(self.events):
            if number > last and stream == stream_id and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream_id


server = FastMCP(
    "legacy-peer",
    instructions="Ask me anything.",
    event_store=Events(),
    retry_interval=50,
    log_level="CRITICAL",
)
low = server._mcp_server

runs: dict[str, int] = {}
"""How often the body of each tool ran to its end, and what else is counted."""


def ran(what: str) -> None:
    runs[what] = runs.get(what, 0) + 1


# --- what is declared, and what FastMCP has no decorator for ---------------------------------------------------------

declared = low.get_capabilities


def get_capabilities(
    _: NotificationOptions, experimental: dict[str, Any]
) -> types.ServerCapabilities:
    capabilities = declared(NotificationOptions(True, True, True), experimental)
    assert capabilities.resources is not None
    capabilities.resources.subscribe = True
    return capabilities


low.get_capabilities = get_capabilities  # type: ignore[method-assign]

LEVELS = ["debug", "info", "warning", "error"]
level = "debug"
subscribed: set[str] = set()


@low.set_logging_level()
async def set_level(wanted: types.LoggingLevel) -> None:
    global level
    level = wanted


@low.subscribe_resource()
async def subscribe(uri: AnyUrl) -> None:
    subscribed.add(str(uri))


@low.unsubscribe_resource()
async def unsubscribe(uri: AnyUrl) -> None:
    subscribed.discard(str(uri))


async def roots_changed(_: types.RootsListChangedNotification) -> None:
    ran("roots changed")


low.notification_handlers[types.RootsListChangedNotification] = roots_changed


async def log(ctx: Context, at: Literal["debug", "warning"], message: str) -> None:
    if LEVELS.index(at) >= LEVELS.index(level):
        await ctx.log(at, message)


# --- tools that ask --------------------------------------------------------------------------------------------------


class Confirm(BaseModel):
    confirm: bool = Field(description="Check to delete the note for good.")


class Reason(BaseModel):
    """One field of each kind that a form may have."""

    reason: str = Field(json_schema_extra={"enum": ["damaged", "wrong item", "late"]})
    parcels: int = Field(ge=1, le=9)
    refund: float = Field(default=1.5, ge=0)
    restock: bool = False
    note: str | None = Field(default=None, max_length=200)


class Receipt(BaseModel):
    order_id: str
    reason: str
    parcels: int
    released: bool


@server.tool(annotations=types.ToolAnnotations(title="Delete a note", destructiveHint=True))
async def delete_note(note_id: str, ctx: Context) -> types.CallToolResult:
    """Deletes a note; all three outcomes reach the body."""
    answer = await ctx.elicit(f"Delete note {note_id}?", Confirm)
    ran("delete_note")
    if answer.action == "accept" and answer.data.confirm:
        return say(f"Deleted note {note_id}.")
    return say(f"Kept note {note_id}: {answer.action}.")


def say(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


@server.tool()
async def record_return(order_id: str, ctx: Context) -> Receipt:
    """Asks twice, the second question made from the first answer; has an output schema."""
    first = await ctx.elicit(f"Why does order {order_id} come back?", Reason)
    if first.action != "accept":
        raise ValueError(f"not recorded: {first.action}")
    found = first.data
    second = await ctx.elicit(
        f"Release {found.parcels} parcels of {order_id} ({found.reason})?", Confirm
    )
    ran("record_return")
    released = second.action == "accept" and second.data.confirm
    return Receipt(order_id=order_id, reason=found.reason, parcels=found.parcels, released=released)


@server.tool()
async def connect(ctx: Context) -> types.CallToolResult:
    """Asks to open a page, and says when the user is done there."""
    answer = await ctx.elicit_url(
        "Connect your account on its own page.", "https://pay.example/connect/7", "flow-7"
    )
    if answer.action != "accept":
        return say(f"Not connected: {answer.action}.")
    await ctx.session.send_elicit_complete("flow-7", ctx.request_id)
    return say("Connected.")


@server.tool()
async def connect_first(ctx: Context) -> types.CallToolResult:
    """Refuses the first call: a page must be opened before."""
    ran("connect_first")
    if runs["connect_first"] == 1:
        page = types.ElicitRequestURLParams(
            message="Connect your account first.",
            url="https://pay.example/connect/8",
            elicitationId="flow-8",
        )
        raise UrlElicitationRequiredError([page])
    return say("Connected before.")


@server.tool()
async def slogan(product: str, ctx: Context) -> types.CallToolResult:
    """Asks the host's model and for its directories."""
    text = types.TextContent(type="text", text=f"A slogan for {product}, please.")
    said = await ctx.session.create_message(
        [types.SamplingMessage(role="user", content=text)],
        max_tokens=50,
        system_prompt="Be brief.",
        related_request_id=ctx.request_id,
    )
    found = await ctx.session.send_request(
        types.ServerRequest(types.ListRootsRequest()),
        types.ListRootsResult,
        metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
    )
    assert isinstance(said.content, types.TextContent)
    roots = " and ".join(str(root.uri) for root in found.roots)
    return say(f"{said.content.text} ({said.model}, for {roots})")


@server.tool()
async def count_roots(ctx: Context) -> types.CallToolResult:
    """Asks for the host's directories, over HTTP on the stream that belongs to no request."""
    with anyio.fail_after(10):
        found = await ctx.session.list_roots()
    return say(f"{len(found.roots)} directories")


@server.tool()
async def ping_host(ctx: Context) -> types.CallToolResult:
    """Pings the host."""
    await ctx.session.send_request(
        types.ServerRequest(types.PingRequest()),
        types.EmptyResult,
        metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
    )
    return say("It is there.")


@server.tool()
async def give_up_asking(note_id: str, ctx: Context) -> types.CallToolResult:
    """Asks, takes the question back after a moment, and goes on without the answer."""
    request_id = ctx.session._request_id
    with anyio.move_on_after(0.2):
        await ctx.elicit(f"Delete note {note_id}?", Confirm)
    gone = types.CancelledNotificationParams(requestId=request_id, reason="too slow")
    await ctx.session.send_notification(
        types.ServerNotification(types.CancelledNotification(params=gone)), ctx.request_id
    )
    return say(f"Kept note {note_id}: nobody answered.")


# --- tools that report, fail, wait and change ------------------------------------------------------------------------


@server.tool()
async def count(to: int, ctx: Context) -> types.CallToolResult:
    """Reports each number as progress, and logs at two levels."""
    await log(ctx, "debug", "not worth saying")
    await log(ctx, "warning", f"counting to {to}")
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"number {number}")
    return say(f"Counted to {to}.")


@server.tool()
async def fail() -> types.CallToolResult:
    """Fails, and says why."""
    raise ValueError("no such shelf")


@server.tool()
async def sleep(ctx: Context) -> types.CallToolResult:
    """Takes longer than anyone waits, and remembers that it was cancelled."""
    await ctx.report_progress(1, None, "sleeping")
    try:
        await anyio.sleep(600)
    except anyio.get_cancelled_exc_class():
        ran("sleep, cancelled")
        raise
    return say("Slept.")


@server.tool()
async def reconnect(ctx: Context) -> types.CallToolResult:
    """Closes the stream of its call, and says more afterwards."""
    await ctx.close_sse_stream()
    await anyio.sleep(0.1)
    return say("Here again.")


@server.tool()
async def change(
    what: Literal["tools", "prompts", "resources", "note"], ctx: Context
) -> types.CallToolResult:
    """Says that a list, or the first note, has changed."""
    session = ctx.session
    if what == "tools":
        await session.send_tool_list_changed()
    elif what == "prompts":
        await session.send_prompt_list_changed()
    elif what == "resources":
        await session.send_resource_list_changed()
    elif "note://n-1" in subscribed:
        await session.send_resource_updated(AnyUrl("note://n-1"))
    return say("Changed.")


@server.tool()
def body_runs(tool: str) -> int:
    """How often the body of a tool ran in this process."""
    return runs.get(tool, 0)


# --- prompts and resources -------------------------------------------------------------------------------------------


@server.prompt(title="Review")
def review(text: str, tone: str = "plain") -> str:
    """Asks for a review."""
    return f"Review this in a {tone} tone: {text}"


@server.completion()
async def complete(
    ref: Any, argument: types.CompletionArgument, context: Any
) -> types.Completion | None:
    if argument.name == "tone":
        chosen = (context.arguments or {}).get("text", "") if context else ""
        values = [tone for tone in ("plain", "playful", "stern") if tone.startswith(argument.value)]
        return types.Completion(values=values + ([chosen] if chosen else []), hasMore=False)
    return types.Completion(values=["n-1"])


@server.resource("note://n-1", name="Groceries", mime_type="text/plain")
def first_note() -> str:
    return "Milk, bread"


@server.resource("note://logo", name="Logo", mime_type="image/png")
def logo() -> bytes:
    return b"\x89PNG"


@server.resource("note://{note_id}/title", name="Title of a note", mime_type="text/plain")
def title_of(note_id: str) -> str:
    return f"Title of {note_id}"


# --- serving ---------------------------------------------------------------------------------------------------------


def serve(app: Any) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listener])


if __name__ == "__main__":
    if "--http" in sys.argv:
        serve(server.streamable_http_app())
    elif "--sse" in sys.argv:
        serve(server.sse_app())
    else:
        server.run("stdio")
