"""What the tests know of a host that opens with `initialize`, whichever SDK it stands on.

Messages are dicts with the names of the specification. A person answers the questions of the server by a script, and
the host declares the capabilities that the script has answers for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
from process import PATIENCE

Message = dict[str, Any]

ELICIT = "elicitation/create"
SAMPLE = "sampling/createMessage"
ROOTS = "roots/list"

CAPABILITIES = {ELICIT: "elicitation", SAMPLE: "sampling", ROOTS: "roots"}


class Refused(Exception):
    """A JSON-RPC error, as an answer to a request or to a question."""

    def __init__(self, code: Any, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.data = code, message, data


Answer = Message | Refused | Callable[[Message], Message]


def accept(**content: Any) -> Message:
    return {"action": "accept", "content": content} if content else {"action": "accept"}


DECLINE: Message = {"action": "decline"}
CANCEL: Message = {"action": "cancel"}


def said(text: str) -> Message:
    """What a model says."""
    content = {"type": "text", "text": text}
    return {"role": "assistant", "content": content, "model": "a-model", "stopReason": "endTurn"}


def found(*uris: str) -> Message:
    """Directories of the host."""
    return {"roots": [{"uri": uri} for uri in uris]}


@dataclass
class Person:
    """Answers the questions of each method in the order of the script, and remembers them."""

    script: dict[str, list[Answer]]
    asked: list[tuple[str, Message]] = field(default_factory=list)

    def __call__(self, method: str, params: Message) -> Message:
        self.asked.append((method, params))
        already = sum(name == method for name, _ in self.asked) - 1
        assert already < len(self.script[method]), f"a question too many: {params}"
        answer = self.script[method][already]
        if isinstance(answer, Refused):
            raise answer
        return answer(params) if callable(answer) else answer

    @property
    def capabilities(self) -> set[str]:
        return {CAPABILITIES[method] for method in self.script}

    @property
    def messages(self) -> list[str]:
        return [params["message"] for method, params in self.asked if method == ELICIT]


@dataclass
class Host(ABC):
    """A connection of an SDK's client."""

    person: Person
    initialized: Message = field(default_factory=dict)
    session: str | None = None
    events: list[tuple[str, Message]] = field(default_factory=list)
    """The notifications that came."""
    strays: list[str] = field(default_factory=list)
    """What the SDK complained of: answers that nobody waits for, messages that do not fit its schema."""

    @abstractmethod
    async def request(
        self, method: str, params: Message | None = None, progress: bool = False
    ) -> Message:
        """Makes a request by the function that the SDK has for it, and gives its result.

        With `progress`, the reports come as events.
        """

    @abstractmethod
    async def taken_back(self, tool: str, arguments: Message) -> None:
        """Calls a tool, waits for its first report of progress, and takes the call back."""

    async def call(self, tool: str, /, **arguments: Any) -> Message:
        return await self.request("tools/call", {"name": tool, "arguments": arguments})

    async def everything_of(self, kind: str, method: str | None = None) -> list[Message]:
        """All of a list, through its pages."""
        items: list[Message] = []
        params: Message = {}
        while True:
            page = await self.request(method or f"{kind}/list", params)
            items += page[kind]
            if "nextCursor" not in page:
                return items
            params = {"cursor": page["nextCursor"]}

    def heard(self, method: str) -> list[Message]:
        return [params for name, params in self.events if name == method]

    async def hears(self, method: str, times: int = 1) -> list[Message]:
        """Waits until so many notifications of a method have come."""
        with anyio.fail_after(PATIENCE):
            while len(self.heard(method)) < times:
                await anyio.sleep(0.01)
        return self.heard(method)


def text(result: Message) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
