"""A server on the Python SDK that asks in the middle of a call: the peer of tests/tests/peers.rs.

It reads its state key from PEER_STATE_KEY (32 bytes in hex), so that a second process with the same key can go on
with a call that the first one paused. Without the variable the SDK makes a key of its own.
"""

import os
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    RequestStateSecurity,
    Resolve,
)

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


@server.tool()
def body_runs(tool: str) -> int:
    """How often the body of a tool ran in this process."""
    return runs.get(tool, 0)


if __name__ == "__main__":
    server.run("stdio")
