"""The Python SDK as a host: launches one of our example servers and answers its questions by a script."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.session import ClientRequestContext
from mcp_types import (
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)
from process import binary, serving

INVALID_PARAMS = -32602
MISSING_REQUIRED_CLIENT_CAPABILITY = -32021

REFUSED_STATE = "Invalid or expired requestState"
"""What every failure of a state looks like to the client."""


Answer = ElicitResult | Callable[[ElicitRequestParams], ElicitResult]


def accept(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content or None)


DECLINE = ElicitResult(action="decline")
CANCEL = ElicitResult(action="cancel")


@dataclass
class Person:
    """Answers each question with the next answer of the script, and remembers the questions."""

    answers: list[Answer]
    asked: list[ElicitRequestParams] = field(default_factory=list)

    async def __call__(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        assert len(self.asked) < len(self.answers), f"a question too many: {params.message}"
        answer = self.answers[len(self.asked)]
        self.asked.append(params)
        return answer(params) if callable(answer) else answer

    @property
    def messages(self) -> list[str]:
        return [question.message for question in self.asked]


async def nobody(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    """Declares elicitation for a client that answers by hand, where no callback may be called."""
    raise AssertionError(f"asked through the callback: {params.message}")


class Launch(Protocol):
    """What the fixture `launch` is: a client of one example server over one of the transports.

    Without a person it declares no elicitation. Options are those of the SDK's client.
    """

    def __call__(
        self,
        server: str,
        person: Any = None,
        *,
        env: dict[str, str] | None = None,
        **options: Any,
    ) -> AbstractAsyncContextManager[Client]: ...


@asynccontextmanager
async def launch_over(
    transport: Literal["stdio", "http"],
    server: str,
    person: Any = None,
    *,
    env: dict[str, str] | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """A process of the server, and a client for it."""
    arguments = [] if server == "everything" else ["--serve"]
    if transport == "http":
        process = serving(binary(server), *arguments, "--http", env=env)
    else:
        parameters = StdioServerParameters(command=binary(server), args=arguments, env=env)
        process = nullcontext(parameters)
    with process as reached:
        async with connect(reached, person, **options) as client:
            yield client


def connect(server: Any, person: Any = None, **options: Any) -> Client:
    return Client(server, elicitation_callback=person, read_timeout_seconds=20, **options)


async def by_hand(
    client: Client, tool: str, arguments: dict[str, Any], **retry: Any
) -> CallToolResult | InputRequiredResult:
    """One request, one result; `retry` takes `input_responses` and `request_state`."""
    return await client.session.call_tool(tool, arguments, allow_input_required=True, **retry)


async def ask(client: Client, tool: str, arguments: dict[str, Any]) -> InputRequiredResult:
    """The first request of a call that must ask."""
    result = await by_hand(client, tool, arguments)
    assert isinstance(result, InputRequiredResult), f"the server did not ask: {result}"
    return result


def the_question(asked: InputRequiredResult, key: str) -> Any:
    """The only question of a round, which is under `key`."""
    assert asked.input_requests is not None
    assert list(asked.input_requests) == [key]
    return asked.input_requests[key].params


def text(result: Any) -> str:
    assert isinstance(result, CallToolResult), f"the server asks again: {result}"
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def changed(state: str, position: int) -> str:
    """The state with one character changed to another of its alphabet."""
    position %= len(state)
    other = "A" if state[position] != "A" else "B"
    return state[:position] + other + state[position + 1 :]


def assert_refused(error: MCPError) -> None:
    """Whatever was wrong with a state, the client is told this and no more."""
    assert (error.code, error.message) == (INVALID_PARAMS, REFUSED_STATE)
